/** What commands that are leader work write into one file, in the order in which they have written it; and the commands. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { until } from '../../support/simba-process.ts'

export interface StoryLine {
  readonly node: string
  readonly what: string
  readonly pid: number
  readonly rest: readonly string[]
}

const tell = (what: string, pid = '$$') => `echo "$SIMBA_NODE ${what} ${pid} $SIMBA_TOKEN $SIMBA_PARTITION" >> "$STORY"`

/** Cleans up and leaves when it is told to. */
export const POLITE = `${tell('begins')}; trap '${tell('leaves').replaceAll("'", "'\\''")}; exit 0' TERM; while :; do sleep 0.05; done`

/** Ignores what it is told, with children and a grandchild that do so as well, and goes on writing. */
export const STUBBORN = `trap "" TERM
sleep 1000 & ${tell('child', '$!')}
(sleep 1000 & ${tell('grandchild', '$!')}; wait) & ${tell('child', '$!')}
${tell('begins')}
while :; do ${tell('writes')}; sleep 0.02; done`

export class Story {
  readonly folder = mkdtempSync(join(tmpdir(), 'simba-cli-'))
  readonly #file = join(this.folder, 'story')

  constructor() {
    writeFileSync(this.#file, '')
    onTestFinished(({ task }) => {
      if (task.result?.state === 'fail')
        console.info(readFileSync(this.#file, 'utf8').split('\n').slice(-60).join('\n'))
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** For a simba whose commands write into it, and whose leases are in a file of this story. */
  get env(): NodeJS.ProcessEnv {
    return { STORY: this.#file, SIMBA_BACKEND: this.backend }
  }

  get backend(): string {
    return `sqlite:${join(this.folder, 'leases.db')}`
  }

  get lines(): readonly StoryLine[] {
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [node = '', what = '', pid, ...rest] = line.split(' ')
        return { node, what, pid: Number(pid), rest }
      })
  }

  of(node: string, what: string): readonly StoryLine[] {
    return this.lines.filter((line) => line.node === node && line.what === what)
  }

  /** Resolves when the node has written so at least so many times. */
  async has(node: string, what: string, times = 1): Promise<StoryLine> {
    await until(`${node} ${what} in the story`, () => this.of(node, what).length >= times)
    return this.of(node, what)[times - 1]!
  }

  /** Who has written what, without what was only going on. */
  get plot(): readonly string[] {
    return this.lines
      .filter(({ what }) => what === 'begins' || what === 'leaves')
      .map(({ node, what }) => `${node} ${what}`)
  }
}
