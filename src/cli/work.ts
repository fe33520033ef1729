/** The command as leader work, with its ends told to whoever decides on the exit code. */
import type { TermEndReason } from '../model/endings.ts'
import { FatalWorkError, plainError } from '../model/errors.ts'
import { type CommandOptions, command } from '../runtime/executors/command.ts'
import type { Executor } from '../runtime/executors/executor.ts'
import type { Duty } from './duty.ts'

export interface CommandEnd {
  /** Undefined where the command has succeeded. */
  readonly error: unknown
  /** Why its term was told to end before that; undefined where the command has ended by itself. */
  readonly reason: TermEndReason | undefined
  readonly wasKilled: boolean
}

export interface WatchedCommand extends Executor {
  /** Whether it is there now. */
  readonly isRunning: boolean
}

/** The command cannot be run here at all. */
export function isFatal(error: unknown): boolean {
  return error instanceof FatalWorkError
}

/** For a command whose end ends everything. What it has to say about a failure it has said itself. */
export function tellEnd({ screen }: Duty, error: unknown): void {
  if (isFatal(error)) screen.fail(plainError(error).message)
  else screen.detail(error === undefined ? 'The command has ended by itself.' : plainError(error).message)
}

export function watchedCommand(
  [file = '', ...args]: readonly string[],
  options: CommandOptions,
  onEnd: (end: CommandEnd) => void,
): WatchedCommand {
  const executor = command(file, args, options)
  let running = 0
  return {
    name: executor.name,
    get isRunning() {
      return running > 0
    },
    execute(assignment) {
      const { term } = assignment
      const execution = executor.execute(assignment)
      running += 1
      let wasKilled = false
      const tell = (error?: unknown) => {
        running -= 1
        onEnd({ error, reason: term.endReason ?? (term.isValid ? undefined : 'expired'), wasKilled })
      }
      execution.exited.then(() => tell(), tell)
      return {
        exited: execution.exited,
        look: () => execution.look(),
        kill() {
          wasKilled = true
          execution.kill()
        },
      }
    },
  }
}
