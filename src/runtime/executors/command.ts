/** `command()`: leader work that is a program in any language. */
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkKeys } from '../../model/checkKeys.ts'
import { CommandFailedError, FatalWorkError, plainError, SimbaError } from '../../model/errors.ts'
import type { LiveTerm } from '../term.ts'
import { type End, GuardedCommand } from './command/guarded.ts'
import { readLines } from './command/lines.ts'
import type { CommandStart } from './command/messages.ts'
import type { Assignment, Execution, Executor } from './executor.ts'

export interface OutputLine {
  readonly stream: 'stdout' | 'stderr'
  /** Without its end. A line of more than 16,384 characters comes in pieces. */
  readonly line: string
  readonly lease: string
  readonly token: number
  readonly partition?: number
}

/**
 * What becomes of what the command prints: `log` (the default) hands each line to the client's logger, standard output at the level info and
 * standard errors at the level warn; `inherit` gives the command those of this process; `ignore` drops it. A function is called with each line;
 * where it returns a promise, the command is not read from until that has settled.
 */
export type CommandOutput = 'log' | 'inherit' | 'ignore' | ((line: OutputLine) => unknown)

export interface CommandOptions {
  /** Where the command runs. Default: where this process does. */
  readonly cwd?: string | URL
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  readonly output?: CommandOutput
  /** `inherit` gives the command the standard input of this process; by default it has none. */
  readonly stdin?: 'ignore' | 'inherit'
}

/** How long to wait for more lines when the command itself is gone: somebody beyond its group may still have its output open. */
const LAST_LINES_MS = 500

/**
 * Leader work in a process of its own, as a new process group. When the term is told to end, the group gets SIGTERM; what is left of it
 * when the term is out of time gets SIGKILL, and the lease is not released before all of it is gone. A second small process, the guard, sees
 * to that also where this one is stopped, busy or killed.
 *
 * The run is over when the command has ended. What it leaves behind in its group gets SIGTERM then, and SIGKILL five seconds later.
 * Processes that leave the group (`setsid`, daemons) are beyond reach.
 *
 * The command finds its term in the environment: `SIMBA_LEASE`, `SIMBA_TOKEN`, `SIMBA_PARTITION` (in a group), `SIMBA_TERM` (lease and token as
 * one word), `SIMBA_REMAINING_MS` (how long the term had to go when the command was started; renewals add to it) and `SIMBA_NODE`.
 *
 * An exit code other than 0, or an end by a signal, is a failure with the code `COMMAND_FAILED`. A command that cannot be started is fatal
 * work: the election rests for one lease duration.
 *
 * Throws `INVALID_OPTION` for options that are not allowed, and on Windows, which has no process groups.
 *
 * @example
 * simba.election('ingest').runWhileLeader(command('python3', ['ingest.py']))
 */
export function command(file: string, args: readonly string[] = [], options: CommandOptions = {}): Executor {
  checkCommand(file, args, options)
  return {
    name: 'command',
    execute: (assignment) => new CommandExecution(file, args, options, assignment),
  }
}

class CommandExecution implements Execution {
  readonly exited: Promise<unknown>
  readonly #file: string
  readonly #cwd: string | undefined
  readonly #command: GuardedCommand

  constructor(file: string, args: readonly string[], options: CommandOptions, assignment: Assignment) {
    const { output = 'log', stdin = 'ignore', env } = options
    this.#file = file
    this.#cwd = options.cwd instanceof URL ? fileURLToPath(options.cwd) : options.cwd
    const start: CommandStart = { file, args, cwd: this.#cwd, env: environmentOf(assignment, env) }
    const way = typeof output === 'function' || output === 'log' ? 'pipe' : output
    const stdio = way === 'inherit' ? ([1, 2] as const) : ([way, way] as const)
    this.#command = new GuardedCommand(start, assignment.term, [stdin === 'inherit' ? 0 : 'ignore', ...stdio])
    this.exited = this.#awaitExit(takerOf(output, assignment), assignment)
  }

  look(): void {
    this.#command.look()
  }

  kill(): void {
    this.#command.kill()
  }

  async #awaitExit(take: Taker, { logger, term }: Assignment): Promise<void> {
    const { stdout, stderr } = this.#command
    const onError = (error: unknown) =>
      logger.error({ lease: term.lease, err: plainError(error) }, 'Whoever takes the output of a command has failed.')
    let lines = 0
    let underWay = 0
    const counted = (name: OutputLine['stream']) => async (line: string) => {
      lines += 1
      underWay += 1
      try {
        await take(name, line)
      } finally {
        underWay -= 1
      }
    }
    const read = (name: OutputLine['stream'], stream: Readable | null) =>
      stream && readLines(stream, counted(name), onError).catch(() => {})
    const lastLines = Promise.all([read('stdout', stdout), read('stderr', stderr)])
    try {
      const end = await this.#command.end
      for (let seen = -1; seen !== lines || underWay > 0; ) {
        seen = lines
        if ((await within(LAST_LINES_MS, lastLines)) || !term.isValid) break
      }
      this.#settle(end, term)
    } finally {
      for (const stream of [stdout, stderr]) stream?.destroy()
    }
  }

  #settle(end: End, { lease, isValid }: LiveTerm): void {
    if (end.kind === 'unstarted') throw this.#unstarted(end, lease)
    const { exitCode, signal } = end
    if (exitCode === 0) return
    const what = `The command '${this.#file}' of '${lease}'`
    if (exitCode === null && signal === null) {
      const message = `${what} was not started: when its guard was ready, the term was over.`
      // It is not: this machine is too busy. Another one may be quicker.
      throw isValid ? new FatalWorkError(message) : new CommandFailedError(message, { exitCode, signal })
    }
    const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`
    throw new CommandFailedError(`${what} ${how}.`, { exitCode, signal })
  }

  #unstarted({ code, message }: Extract<End, { kind: 'unstarted' }>, lease: string): FatalWorkError {
    const cause = Object.assign(new Error(message), { code })
    return new FatalWorkError(
      `The command '${this.#file}' of '${lease}' cannot be started: ${this.#whyNot(code, message)}`,
      {
        cause,
      },
    )
  }

  #whyNot(code: string, message: string): string {
    if (code === 'ENOENT' && this.#cwd !== undefined && !existsSync(this.#cwd))
      return `there is no folder ${this.#cwd}.`
    if (code === 'ENOENT') return 'there is no such program. Check its spelling, and PATH.'
    if (code === 'EACCES') return 'it may not be executed by this user.'
    return message
  }
}

type Taker = (stream: OutputLine['stream'], line: string) => unknown

function takerOf(output: CommandOutput, { term: { lease, token, partition }, logger }: Assignment): Taker {
  const key = { lease, token, ...(partition !== undefined && { partition }) }
  if (typeof output === 'function') return (stream, line) => output({ stream, line, ...key })
  return (stream, line) => logger[stream === 'stdout' ? 'info' : 'warn']({ ...key, stream }, line)
}

/** Whether the promise resolves in this time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController()
  const tooLong = sleep(ms, false, { signal: settled.signal }).catch(() => false)
  const isInTime = await Promise.race([promise.then(() => true), tooLong])
  settled.abort()
  return isInTime
}

function environmentOf({ term, node }: Assignment, added: CommandOptions['env']): CommandStart['env'] {
  const { lease, token, partition, remainingMs } = term
  return {
    ...process.env,
    ...added,
    SIMBA_LEASE: lease,
    SIMBA_TOKEN: `${token}`,
    // Not that of a command around this one.
    SIMBA_PARTITION: partition === undefined ? undefined : `${partition}`,
    SIMBA_TERM: `${lease}/${token}`,
    SIMBA_REMAINING_MS: `${Math.floor(remainingMs)}`,
    SIMBA_NODE: node,
  }
}

const OUTPUTS: readonly unknown[] = ['log', 'inherit', 'ignore']
const INPUTS: readonly unknown[] = ['ignore', 'inherit']

function checkCommand(file: unknown, args: unknown, options: CommandOptions): void {
  if (process.platform === 'win32') {
    throw new SimbaError('INVALID_OPTION', 'command() needs process groups, which Windows does not have.')
  }
  checkKeys('command()', options, ['cwd', 'env', 'output', 'stdin'])
  const { cwd, env = {}, output = 'log', stdin = 'ignore' } = options
  if (!isText(file) || file === '') throw invalid('The program of command()', file, 'its name or its path')
  if (!Array.isArray(args) || !args.every(isText)) throw invalid('The arguments of command()', args, 'a list of texts')
  if (cwd !== undefined && !isText(cwd) && !(cwd instanceof URL)) throw invalid('cwd', cwd, 'a folder')
  if (typeof env !== 'object' || env === null || !Object.values(env).every(isText))
    throw invalid('env', env, 'an object of texts')
  if (typeof output !== 'function' && !OUTPUTS.includes(output))
    throw invalid('output', output, "'log', 'inherit', 'ignore' or a function of a line")
  if (!INPUTS.includes(stdin)) throw invalid('stdin', stdin, "'ignore' or 'inherit'")
}

/** No process can be given a text with a zero in it. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

function invalid(what: string, value: unknown, allowed: string): SimbaError {
  return new SimbaError(
    'INVALID_OPTION',
    `${what} is ${JSON.stringify(value) ?? String(value)}; allowed is ${allowed}.`,
  )
}
