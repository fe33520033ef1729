/** How the command ends. Codes of a command that was run are its own; these are what scripts can tell the others by. */
import { constants } from 'node:os'
import { CommandFailedError, FatalWorkError } from '../model/errors.ts'

export const EXIT = {
  /** Stopped as asked, with everything handed over. */
  ok: 0,
  /** `status NAME`: nobody leads it. */
  unled: 1,
  /** As in sysexits.h, like flock. */
  usage: 64,
  unavailable: 69,
  defect: 70,
  timeout: 75,
  lost: 76,
  /** As in shells. */
  notExecutable: 126,
  notFound: 127,
  killed: 128 + constants.signals.SIGKILL,
} as const

export function codeOfSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
}

/** How a command has ended by itself. */
export function codeOfCommand(error: unknown): number {
  if (error === undefined) return EXIT.ok
  if (error instanceof CommandFailedError)
    return error.signal ? codeOfSignal(error.signal) : (error.exitCode ?? EXIT.defect)
  if (error instanceof FatalWorkError) {
    const code = (error.cause as { readonly code?: unknown } | undefined)?.code
    return code === 'ENOENT' ? EXIT.notFound : EXIT.notExecutable
  }
  return EXIT.defect
}
