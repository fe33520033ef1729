/** The node processes: started, told, killed, paused and continued by name. None of them outlives this process. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Mailbox } from './mailbox.ts'
import { type Letter, type NodeOptions, PAUSE, type Report } from './messages.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A node that does not stop in this time never will. */
const LONGEST_END_MS = 15_000

export type SharedOptions = Omit<NodeOptions, 'node'>

export class Cluster {
  readonly mail = new Mailbox()
  readonly #options: SharedOptions
  readonly #onLetter: (letter: Letter) => void
  readonly #nodes = new Map<string, ChildProcess>()
  /** Whose end is no surprise. */
  readonly #doomed = new Set<ChildProcess>()
  #written = 0

  constructor(options: SharedOptions, onLetter: (letter: Letter) => void) {
    this.#options = options
    this.#onLetter = onLetter
  }

  /** How many records are in the sink, as far as the nodes have said. */
  get written(): number {
    return this.#written
  }

  get leaseMs(): number {
    return this.#options.leaseMs
  }

  pid(name: string): number {
    return this.#node(name).pid!
  }

  start(name: string): void {
    const options: NodeOptions = { ...this.#options, node: name }
    const child = fork(WORKER, [JSON.stringify(options)], {
      cwd: ROOT,
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', 'tsx'],
    })
    this.#nodes.set(name, child)
    child.on('message', (report: Report) => {
      const letter: Letter = { ...report, node: name, atMs: performance.now() }
      if (letter.kind === 'written') this.#written = letter.record
      this.#onLetter(letter)
      if (letter.kind !== 'warned') this.mail.put(letter)
    })
    child.on('exit', (code, signal) => {
      if (!this.#doomed.has(child)) this.mail.fail(new Error(`Node ${name} has ended by itself (${signal ?? code}).`))
    })
    child.on('error', (error) => this.mail.fail(error))
  }

  /** Resolves when the process is gone. */
  async kill(name: string): Promise<void> {
    await this.#end(name, 'SIGKILL')
  }

  /** Asks the node to stop; resolves when its process is gone. */
  async stop(name: string): Promise<void> {
    await this.#end(name, 'SIGTERM')
  }

  /** The node will pause itself right before its next write. */
  askForPause(name: string): void {
    this.#node(name).send(PAUSE)
  }

  resume(name: string): void {
    this.#node(name).kill('SIGCONT')
  }

  /** At once, whatever they are doing; one that is paused cannot end in any other way. */
  killAll(): void {
    for (const child of this.#nodes.values()) {
      this.#doomed.add(child)
      child.kill('SIGKILL')
    }
  }

  async #end(name: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#node(name)
    this.#doomed.add(child)
    child.kill(signal)
    if (child.exitCode !== null || child.signalCode !== null) return
    await once(child, 'exit', { signal: AbortSignal.timeout(LONGEST_END_MS) })
  }

  #node(name: string): ChildProcess {
    return this.#nodes.get(name)!
  }
}
