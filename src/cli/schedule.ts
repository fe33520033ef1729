/** `simba schedule`: the command runs again and again while this node leads. */
import type { Schedule } from '../model/schedule.ts'
import { fixedDelay, fixedRate } from '../runtime/schedules.ts'
import { onDuty } from './duty.ts'
import { codeOfCommand, EXIT } from './exitCodes.ts'
import { tellBackend, tellTerms } from './run.ts'
import { type SharedOptions, setScene } from './shared.ts'
import { UsageError } from './usageError.ts'
import { tellWaits } from './waiting.ts'
import { isFatal, tellEnd, watchedCommand } from './work.ts'

export interface ScheduleOptions {
  readonly fixedRate?: string
  readonly fixedDelay?: string
  readonly initialDelay?: string
}

export function schedule(
  name: string,
  words: readonly string[],
  options: SharedOptions & ScheduleOptions,
): Promise<number> {
  const when = scheduleOf(options)
  if (when === undefined) throw new UsageError('give --fixed-rate or --fixed-delay')
  return onDuty(setScene(options), (duty) => {
    let hadToBeKilled = false
    tellBackend(duty)
    const work = watchedCommand(words, { output: 'inherit' }, ({ error, reason, wasKilled }) => {
      // A run that fails is told, and the next one comes; a command that is not there is not there the next time either.
      if (reason === undefined && isFatal(error)) {
        tellEnd(duty, error)
        duty.end(codeOfCommand(error))
      } else if (reason === 'stopped') hadToBeKilled = wasKilled
    })
    const task = duty.simba.election(name).schedule(when, work)
    tellTerms(duty, work)
    tellWaits(duty, name, task)
    return () => (hadToBeKilled ? EXIT.killed : EXIT.ok)
  })
}

/** Throws `UsageError` for two schedules at once. */
export function scheduleOf({
  fixedRate: rate,
  fixedDelay: delay,
  initialDelay,
}: ScheduleOptions): Schedule | undefined {
  if (rate !== undefined && delay !== undefined) throw new UsageError('give --fixed-rate or --fixed-delay, not both')
  const later = initialDelay === undefined ? {} : { initialDelay }
  if (rate !== undefined) return fixedRate(rate, later)
  if (delay !== undefined) return fixedDelay(delay, later)
  if (initialDelay !== undefined) throw new UsageError('--initial-delay goes with --fixed-rate or --fixed-delay')
  return undefined
}
