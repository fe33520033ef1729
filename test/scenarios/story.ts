/**
 * The language of stories: nodes with names, what befalls them, and what comes of it, under virtual time and all checkers. Each story
 * is a test with assertions of its own, and its whole log is compared with the golden one.
 */
import { expect, test } from 'vitest'
import type { Duty } from '../simulation/plan.ts'
import { chronicle } from './chronicle.ts'
import { checkLog } from './golden.ts'
import { type NodeSetting, Stage } from './stage.ts'
import type { StoryNode } from './storyNode.ts'

export interface Setting<Name extends string> {
  /** Where it has gone wrong before, as in the table of README.md. */
  readonly hazards: readonly [string, ...string[]]
  readonly nodes: Readonly<Record<Name, NodeSetting>>
  /** Default: one election, `ingest`, whose work ends as soon as it is told. */
  readonly duties?: readonly Duty[]
}

export const ingest: Duty = { name: 'ingest', work: { kind: 'well-behaved', forMs: 0 } }

/** What happens goes into the log until `tell` is done; the calm and the stop of all clients that follow are watched, and not told. */
export function story<Name extends string>(
  name: string,
  { hazards, nodes, duties = [ingest] }: Setting<Name>,
  tell: (nodes: Readonly<Record<Name, StoryNode>>, stage: Stage) => Promise<void>,
): void {
  test(name, async () => {
    const stage = new Stage(nodes, duties)
    const log = () => chronicle({ name, hazards, lines: stage.lines })
    try {
      await tell(stage.nodes as Readonly<Record<Name, StoryNode>>, stage)
    } catch (error) {
      if (error instanceof Error) error.message += `\n\n${log()}`
      throw error
    }
    const told = log()
    expect(await stage.conclude(), told).toEqual([])
    checkLog(name, told)
  })
}
