/**
 * The process beside a client that starts its command, and ends it in time whatever becomes of the client: at the deadline by a clock of
 * its own where the client is stopped or busy, and when the client's pipe closes because it is dead. It outlives the command by nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createClock } from '../../clock/clock.ts'
import { machineTime, remainingUntil, type SharedDeadline } from '../../clock/machine.ts'
import type { FromGuard, ToGuard } from './messages.ts'
import { isGroupAlive, signalGroup } from './processGroup.ts'

/** Standard input, output and errors of the command, as this process was given them. */
const COMMAND_STDIO = [3, 4, 5] as const

/** What a command leaves behind in its group when it ends by itself has this long to end as well. */
const LEFTOVER_MS = 5_000

const FIRST_LOOK_MS = 5
const LONGEST_LOOK_MS = 100

const clock = createClock({
  source: machineTime,
  onJump() {},
  onError(error) {
    throw error
  },
})

let group: number | undefined
let deadlineMs = 0
let cancelDeadline = () => {}
let isInterrupted = false
let isKilled = false

function obey(message: ToGuard): void {
  if (message.kind !== 'kill') takeDeadline(message.deadline)
  // When all that has come is read: on a busy machine the term may have been extended before this process has got to its feet.
  if (message.kind === 'run') setImmediate(() => run(message))
  else if (message.kind === 'interrupt') interrupt()
  else if (message.kind === 'kill') kill()
}

function takeDeadline(deadline: SharedDeadline): void {
  deadlineMs = clock.now() + remainingUntil(deadline)
  cancelDeadline()
  cancelDeadline = clock.wakeAt(deadlineMs, () => {
    // A guard that was held up may find word of a renewal waiting, together with its timer.
    setImmediate(() => {
      if (clock.now() >= deadlineMs) kill()
    })
  })
}

function run({ file, args, cwd, env }: Extract<ToGuard, { kind: 'run' }>): void {
  // The command is not started at all where its time is over before that.
  if (isInterrupted || isKilled || clock.now() >= deadlineMs) {
    gone(null, null)
    return
  }
  let command: ChildProcess
  try {
    command = spawn(file, args, { cwd, env, detached: true, stdio: [...COMMAND_STDIO] })
  } catch (error) {
    unstarted(error as NodeJS.ErrnoException)
    return
  }
  // Held here, they would keep the client from seeing that the output has ended.
  for (const fd of COMMAND_STDIO) closeSync(fd)
  command.once('error', unstarted)
  command.once('exit', (exitCode, signal) => void outlast(exitCode, signal))
  if (command.pid === undefined) return
  group = command.pid
  say({ kind: 'started', group })
}

function unstarted({ code = '', message }: NodeJS.ErrnoException): void {
  if (group === undefined) end({ kind: 'unstarted', code, message })
}

function interrupt(): void {
  if (isInterrupted) return
  isInterrupted = true
  if (group !== undefined) signalGroup(group, 'SIGTERM')
}

function kill(): void {
  isKilled = true
  if (group !== undefined) signalGroup(group, 'SIGKILL')
}

/** The command has ended; what it has started may go on. */
async function outlast(exitCode: number | null, signal: string | null): Promise<void> {
  if (isGroupAlive(group!) && !isInterrupted && !isKilled) {
    clock.wakeAt(clock.now() + LEFTOVER_MS, kill)
    interrupt()
  }
  for (let lookMs = FIRST_LOOK_MS; isGroupAlive(group!); lookMs = Math.min(2 * lookMs, LONGEST_LOOK_MS)) {
    if (isKilled) kill()
    await new Promise<void>((resolve) => clock.wakeAt(clock.now() + lookMs, resolve))
  }
  gone(exitCode, signal)
}

function gone(exitCode: number | null, signal: string | null): void {
  end({ kind: 'gone', exitCode, signal })
}

function end(message: FromGuard): void {
  say(message, () => process.exit())
}

function say(message: FromGuard, whenSaid: () => void = () => {}): void {
  process.stdout.write(`${JSON.stringify(message)}\n`, whenSaid)
}

// Whoever signals everybody, as service managers do, means the command. This process ends with it.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// Nobody listens any more.
process.stdout.on('error', () => {})

const orders = createInterface({ input: process.stdin })
orders.on('line', (line) => obey(JSON.parse(line)))
// The client is dead, or has let go. The command has the rest of the term to clean up.
orders.on('close', () => {
  interrupt()
  if (group === undefined) process.exit()
})
