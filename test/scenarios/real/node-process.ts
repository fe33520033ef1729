/** One node process from outside: its orders, its lines, and signals to this one process alone. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Order, Said } from './orders.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROGRAM = fileURLToPath(new URL('node.ts', import.meta.url))

/** How it ended: with a code by itself, or by a signal. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class NodeProcess {
  /** Resolves when it takes orders. */
  readonly ready: Promise<void>
  readonly exited: Promise<Exit>
  /** Where its lines go. */
  onLine: (said: Said) => void = () => {}
  #child: ChildProcessByStdio<Writable, Readable, null>
  #isPaused = false
  readonly #waiting: { readonly order: Order['do']; readonly resolve: () => void }[] = []

  /** `build` is that of XState: the one for development finds faults, the other one is faster. */
  constructor(build: 'development' | 'production') {
    this.#child = spawn(process.execPath, ['-C', build, '--import', 'tsx', PROGRAM], {
      cwd: ROOT,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    // A process that is gone takes no orders; whoever waits for it sees its exit.
    this.#child.stdin.on('error', () => {})
    this.exited = once(this.#child, 'exit').then(([code, signal]): Exit => ({ code, signal }))
    this.ready = new Promise((resolve, reject) => {
      void this.exited.then(({ code }) => reject(new Error(`a node process has ended with code ${code}`)))
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const said: Said = JSON.parse(line)
        if (said.type === 'ready') resolve()
        else if (said.type === 'done') this.#done(said.order)
        else this.onLine(said)
      })
    })
    this.ready.catch(() => {})
    process.once('exit', this.kill)
    void this.exited.then(() => process.off('exit', this.kill))
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Resolves when it is done. */
  order(order: Order): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ order: order.do, resolve })
      this.#child.stdin.write(`${JSON.stringify(order)}\n`)
    })
  }

  /** SIGKILL. */
  readonly kill = (): void => void this.#child.kill('SIGKILL')

  /** SIGSTOP: it stands still, and its connections stay. */
  pause(): void {
    this.#isPaused = true
    this.#child.kill('SIGSTOP')
  }

  /** SIGCONT. */
  resume(): void {
    this.#isPaused = false
    this.#child.kill('SIGCONT')
  }

  #done(order: Order['do']): void {
    const index = this.#waiting.findIndex((waiting) => waiting.order === order)
    this.#waiting.splice(index, 1)[0]?.resolve()
  }
}
