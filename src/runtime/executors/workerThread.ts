/** `workerThread()`: leader work that has an event loop, or a processor, of its own. */
import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel, type ResourceLimits, Worker } from 'node:worker_threads'
import { checkKeys } from '../../model/checkKeys.ts'
import { FatalWorkError, SimbaError } from '../../model/errors.ts'
import { sharedDeadline } from '../clock/machine.ts'
import { threadEntry } from './entry.ts'
import type { Assignment, Execution, Executor } from './executor.ts'
import { TermMemory } from './thread/memory.ts'
import { LOOK, type ThreadEnd, type ThreadStart, type ThrownThere } from './thread/messages.ts'

export interface WorkerThreadOptions {
  /** Which function of the module to run. Default: `default`. */
  readonly export?: string
  /** Limits of the thread, as Node's `Worker` takes them. Without: those of the process. */
  readonly resourceLimits?: ResourceLimits
  /** Options of Node for the thread, like `['--import', 'tsx']`. Default: those of the process. */
  readonly execArgv?: readonly string[]
}

/**
 * Leader work in a thread of its own: the module's function is called there with the term and, in a group, the partition. Work that uses
 * the processor for long neither keeps this client from renewing, nor can it outstay its term.
 *
 * The term is as exact there as here, also while either thread is busy; its signal aborts when the thread gets to it, or when the work
 * asks the term for anything. Each run has a new thread. The run is over when the function has settled; whatever the thread has left
 * running then, timers and promises, goes with it. A thread that is still there when its term is out of time is ended by force, and the
 * lease is not released before it is gone.
 *
 * What the function throws is known here by name, message, code and stack. A crash of the thread, an uncaught error or no memory left in
 * it, and a module or function that is not there, are fatal work: this process lives on, and the election rests for one lease duration.
 *
 * Throws `INVALID_OPTION` for what is no file.
 *
 * @example
 * simba.election('ingest').runWhileLeader(workerThread(new URL('./ingest.js', import.meta.url), { export: 'run' }))
 * // ingest.js: export async function run(term) { while (term.isValid) … }
 */
export function workerThread(module: URL | string, options: WorkerThreadOptions = {}): Executor {
  checkKeys('workerThread()', options, ['export', 'resourceLimits', 'execArgv'])
  const { export: name = 'default', resourceLimits, execArgv = process.execArgv } = options
  const href = checkModule(module)
  if (typeof name !== 'string' || name === '') throw invalid('export', name, 'the name of a function')
  if (!Array.isArray(execArgv)) throw invalid('execArgv', execArgv, 'a list of options of Node')
  const settings = { resourceLimits, execArgv: [...execArgv] }
  return {
    name: 'workerThread',
    execute: (assignment) => new ThreadExecution({ module: href, export: name }, settings, assignment),
  }
}

class ThreadExecution implements Execution {
  readonly exited: Promise<unknown>
  readonly #assignment: Assignment
  readonly #memory = new TermMemory()
  readonly #channel = new MessageChannel()
  readonly #worker: Worker
  #end: ThreadEnd | undefined
  #crash: Error | undefined

  constructor(
    what: Pick<ThreadStart, 'module' | 'export'>,
    settings: { readonly resourceLimits?: ResourceLimits; readonly execArgv: string[] },
    assignment: Assignment,
  ) {
    const { lease, token, partition } = assignment.term
    this.#assignment = assignment
    this.#write()
    const { port1, port2 } = this.#channel
    const start: ThreadStart = { ...what, term: { lease, token, partition }, memory: this.#memory.buffer }
    this.#worker = new Worker(threadEntry('thread/main'), {
      ...settings,
      name: `${lease} ${token}`,
      workerData: { ...start, port: port2 },
      transferList: [port2],
    })
    port1.on('message', (end: ThreadEnd) => {
      this.#end = end
      this.kill()
    })
    this.#worker.on('error', (error: Error) => {
      this.#crash = error
    })
    this.exited = new Promise((resolve) => this.#worker.once('exit', resolve)).then((code) => {
      port1.close()
      return this.#settle(code as number)
    })
  }

  look(): void {
    this.#write()
    this.#channel.port1.postMessage(LOOK)
  }

  kill(): void {
    void this.#worker.terminate()
  }

  #write(): void {
    const { term } = this.#assignment
    this.#memory.write({ deadline: sharedDeadline(() => term.remainingMs), end: term.endReason })
  }

  #settle(code: number): void {
    const { lease, isValid } = this.#assignment.term
    const end = this.#end
    if (end === undefined) throw crashed(lease, this.#crash ?? new Error(`the thread has ended with code ${code}`))
    switch (end.kind) {
      case 'completed':
        // A renewal came so late that the thread had given the term up: nobody would work for what is left of it.
        if (end.isOutOfTime && isValid) throw new FatalWorkError(`The work of '${lease}' has seen its term run out.`)
        return
      case 'failed':
        throw thrownHere(end.error)
      case 'missing':
        throw new FatalWorkError(end.message, end.error && { cause: thrownHere(end.error) })
    }
  }
}

/** As it is where its code says enough: that there was no memory left. */
function crashed(lease: string, error: Error & { readonly code?: unknown }): Error {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return error
  return new FatalWorkError(`The thread with the work of '${lease}' has crashed: ${error.message}`, { cause: error })
}

function thrownHere({ name, message, code, stack }: ThrownThere): Error {
  return Object.assign(new Error(message), { name }, code !== undefined && { code }, stack !== undefined && { stack })
}

function checkModule(module: unknown): string {
  const url = urlOf(module)
  if (url?.protocol !== 'file:') {
    throw invalid('The module of workerThread()', module, "a file, as in new URL('./work.js', import.meta.url)")
  }
  if (!statSync(url, { throwIfNoEntry: false })?.isFile()) {
    throw invalid('The module of workerThread()', fileURLToPath(url), 'a file that is there')
  }
  return url.href
}

function urlOf(module: unknown): URL | undefined {
  if (module instanceof URL) return module
  if (typeof module !== 'string') return undefined
  return isAbsolute(module) ? pathToFileURL(module) : URL.canParse(module) ? new URL(module) : undefined
}

function invalid(what: string, value: unknown, allowed: string): SimbaError {
  return new SimbaError(
    'INVALID_OPTION',
    `${what} is ${JSON.stringify(value) ?? String(value)}; allowed is ${allowed}.`,
  )
}
