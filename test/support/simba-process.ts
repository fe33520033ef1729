/** The real `simba` command in a real process, as a person in a terminal has it: what it says, how it ends, and signals to it alone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFailed, onTestFinished } from 'vitest'

/** What has not happened after this long is not going to, however busy the machine. */
const PATIENCE_MS = 40_000

export interface SimbaEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  /** Nobody reads what it prints until then. */
  readonly isUnread?: boolean
}

export class SimbaProcess {
  readonly ended: Promise<SimbaEnd>
  readonly process: ChildProcess
  stdout = ''
  stderr = ''
  readonly #watchers = new Set<() => void>()
  readonly #words: readonly string[]

  constructor(folder: string, words: readonly string[], { env = {}, input, isUnread }: StartOptions = {}) {
    this.#words = words
    this.process = spawn(process.execPath, [join(folder, 'dist/cli/main.js'), ...words], {
      env: { ...process.env, SIMBA_BACKEND: undefined, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const { stdin, stdout, stderr } = this.process
    stdin!.on('error', () => {})
    stdin!.end(input)
    stdout!.setEncoding('utf8')
    stderr!.setEncoding('utf8')
    stderr!.on('data', (text: string) => this.#heard({ stderr: text }))
    if (!isUnread) this.read()
    this.ended = once(this.process, 'close').then(([code, signal]) => ({ code, signal }))
    const exited = once(this.process, 'exit')
    void exited.then(() => this.#heard({}))
    onTestFinished(async () => {
      this.process.kill('SIGKILL')
      await exited
    })
    onTestFailed(() => console.info(`${this}`))
  }

  read(): void {
    this.process.stdout!.on('data', (text: string) => this.#heard({ stdout: text }))
  }

  get pid(): number {
    return this.process.pid!
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }

  /** Resolves when it has said so, on either of its outputs. */
  async says(pattern: RegExp, times = 1): Promise<void> {
    await this.#until(`to say ${pattern}`, () => {
      const found = `${this.stdout}\n${this.stderr}`.match(new RegExp(pattern, 'g'))
      return (found?.length ?? 0) >= times
    })
  }

  async end(): Promise<SimbaEnd> {
    await this.#until('to end', () => !this.isRunning)
    return this.ended
  }

  toString(): string {
    return `simba ${this.#words.join(' ')}\n${this.stdout}\n${this.stderr}`
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    await until(`${this.#words.slice(0, 2).join(' ')} ${what}`, holds, (wake) => {
      this.#watchers.add(wake)
      return () => this.#watchers.delete(wake)
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${this}`)
    })
  }

  #heard({ stdout = '', stderr = '' }: { readonly stdout?: string; readonly stderr?: string }): void {
    this.stdout += stdout
    this.stderr += stderr
    for (const wake of this.#watchers) wake()
  }
}

/** Looks after each sign, and now and then. */
export async function until(
  what: string,
  holds: () => unknown,
  onSign: (wake: () => void) => () => void = () => () => {},
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await new Promise<void>((resolve) => {
      const off = onSign(wake)
      const timer = setTimeout(wake, 30)
      function wake() {
        clearTimeout(timer)
        off()
        resolve()
      }
    })
  }
}
