/** `simba lock`: the command runs once, when this node has the lock, and its exit code is that of the command. */
import { toMs } from '../runtime/durations.ts'
import type { Task } from '../runtime/task.ts'
import { shownBackend } from './backend.ts'
import { type Duty, onDuty } from './duty.ts'
import { codeOfCommand, codeOfSignal, EXIT } from './exitCodes.ts'
import { told } from './reasons.ts'
import { type SharedOptions, setScene } from './shared.ts'
import { UsageError } from './usageError.ts'
import { tellWaits } from './waiting.ts'
import { type CommandEnd, tellEnd, watchedCommand } from './work.ts'

export interface LockOptions {
  readonly timeout?: string
  readonly nonblock?: boolean
  readonly conflictExitCode: number
}

/** How often to see whether somebody else has the lock, for who does not want to wait. */
const GLANCE_MS = 10

export function lock(name: string, words: readonly string[], options: SharedOptions & LockOptions): Promise<number> {
  if (options.nonblock && options.timeout !== undefined) throw new UsageError('give --timeout or --nonblock, not both')
  const timeoutMs = options.timeout === undefined ? undefined : toMs('--timeout', options.timeout, { minMs: 1 })
  return onDuty(setScene(options), (duty) => {
    duty.screen.detail(`${duty.simba.node} wants '${name}' in ${shownBackend(duty.backend)}`)
    const work = watchedCommand(words, { output: 'inherit', stdin: 'inherit' }, (end) => duty.end(codeOf(end, duty)))
    const task = duty.simba.election(name).runWhileLeader(work)
    const stopWaiting = waitAtMost(duty, name, task, { ...options, timeoutMs })
    duty.simba.on('term.started', ({ token }) => {
      stopWaiting()
      duty.screen.detail(`has '${name}' with token ${token}`)
    })
    // Whoever has lost the lock is not given it a second time.
    duty.simba.on('term.revoked', () => void task.stop())
    return codeOfSignal
  })
}

function codeOf({ error, reason, wasKilled }: CommandEnd, duty: Duty): number {
  if (reason === undefined) {
    tellEnd(duty, error)
    return codeOfCommand(error)
  }
  if (reason !== 'stopped') {
    duty.screen.fail(`the lock was lost while the command was running: ${told(reason)}`)
    return EXIT.lost
  }
  return wasKilled ? EXIT.killed : codeOfCommand(error)
}

interface Patience {
  readonly timeoutMs: number | undefined
  readonly nonblock?: boolean
  readonly conflictExitCode: number
}

function waitAtMost(
  duty: Duty,
  name: string,
  task: Task,
  { timeoutMs, nonblock, conflictExitCode }: Patience,
): () => void {
  const timers: NodeJS.Timeout[] = []
  const offs = [tellWaits(duty, name, task)]
  const stop = () => {
    for (const timer of timers) clearTimeout(timer)
    for (const off of offs) off()
  }
  const giveUp = (why: string) => {
    stop()
    const isReached = duty.simba.getSnapshot().context.session !== null
    duty.screen.say(isReached ? `the lock '${name}' was not to be had${why}` : `the store was not reached${why}`)
    duty.end(isReached ? conflictExitCode : EXIT.unavailable)
  }
  if (timeoutMs !== undefined) timers.push(setTimeout(() => giveUp(` within ${timeoutMs} ms`), timeoutMs))
  if (nonblock) {
    const glance = () => {
      const state: unknown = task.actor?.getSnapshot().value
      if (state === 'waiting' || state === 'quarantined') giveUp('')
    }
    timers.push(setInterval(glance, GLANCE_MS))
  }
  return stop
}
