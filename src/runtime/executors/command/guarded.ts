/** One run of a command, through its guard. Both this client and the guard end the command at its deadline: either may be held up. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalWorkError } from '../../../model/errors.ts'
import { type SharedDeadline, sharedDeadline } from '../../clock/machine.ts'
import type { LiveTerm } from '../../term.ts'
import { processEntry } from '../entry.ts'
import type { CommandStart, FromGuard, ToGuard } from './messages.ts'
import { isGroupAlive, signalGroup } from './processGroup.ts'

export type End = Exclude<FromGuard, { kind: 'started' }>

/** How often a group is looked for whose guard has died. */
const LOOK_MS = 20

/** A stream of the command's: read here, dropped, or one of this process by its number. */
export type CommandStdio = 'pipe' | 'ignore' | number

export class GuardedCommand {
  /** Resolves when nothing of the command is left; rejects where the guard has died. */
  readonly end: Promise<End>
  /** Where they were asked for. */
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly #guard: ChildProcess
  readonly #term: LiveTerm
  #group: number | undefined
  #end: End | undefined

  constructor(start: CommandStart, term: LiveTerm, stdio: readonly CommandStdio[]) {
    this.#term = term
    this.#guard = startGuard(stdio)
    const [, , , , stdout, stderr] = this.#guard.stdio as readonly (Readable | null)[]
    this.stdout = stdout ?? null
    this.stderr = stderr ?? null
    // Told to a guard that has died: its exit says so.
    ;(this.#guard.stdin as Writable).on('error', () => {})
    this.#tell({ kind: 'run', deadline: this.#deadline(), ...start })
    this.end = this.#awaitEnd()
  }

  /** The term may have been extended, or told to end. */
  look(): void {
    const kind = this.#term.endReason === undefined ? 'extend' : 'interrupt'
    this.#tell({ kind, deadline: this.#deadline() })
  }

  kill(): void {
    this.#tell({ kind: 'kill' })
    // The guard may be stopped. But this process may have been, too, and the end of the group be among the news that wait for it, its
    // number somebody else's by now: so the news come first.
    setImmediate(() => {
      if (this.#group !== undefined && this.#end === undefined) signalGroup(this.#group, 'SIGKILL')
    })
  }

  async #awaitEnd(): Promise<End> {
    const guard = this.#guard
    createInterface({ input: guard.stdout as Readable }).on('line', (line) => this.#hear(JSON.parse(line)))
    // Closed when it has exited and all that it said has arrived; the output of the command is closed apart.
    const failure = await new Promise<Error | undefined>((resolve) => {
      guard.once('error', resolve)
      ;(guard.stdout as Readable).once('close', () => resolve(undefined))
    })
    if (failure)
      throw new FatalWorkError(`The guard of the command cannot be started: ${failure.message}`, { cause: failure })
    if (this.#end) return this.#end
    if (this.#group !== undefined) {
      signalGroup(this.#group, 'SIGKILL')
      while (isGroupAlive(this.#group)) await sleep(LOOK_MS)
    }
    throw new Error('The guard of the command has died, and the command with it.')
  }

  #hear(message: FromGuard): void {
    if (message.kind === 'started') this.#group = message.group
    else this.#end = message
  }

  #deadline(): SharedDeadline {
    return sharedDeadline(() => this.#term.remainingMs)
  }

  #tell(message: ToGuard): void {
    this.#guard.stdin?.write(`${JSON.stringify(message)}\n`)
  }
}

/** The guard has the streams of the command as 3, 4 and 5. */
function startGuard(stdio: readonly CommandStdio[]): ChildProcess {
  // Above 2, a stream that is ignored would not be there at all, and its number that of something of the guard's own.
  const nothing = openSync(devNull, 'r+')
  try {
    return spawn(process.execPath, [...processEntry('command/guard')], {
      // A session of its own: what a terminal sends to this process is none of its business.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit', ...stdio.map((stream) => (stream === 'ignore' ? nothing : stream))],
      // Options of Node that were meant for this process are not for the guard.
      env: { ...process.env, NODE_OPTIONS: undefined },
    })
  } finally {
    closeSync(nothing)
  }
}
