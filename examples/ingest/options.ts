/** What may be said on the command line. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface Options {
  readonly help: boolean
  readonly file?: string
  readonly leaseMs: number
}

export const USAGE = `Three processes contend for the leadership of one ingest. The leader is killed, replaced, paused and killed
again; in the end every record must be in the sink exactly once.

  npm start                      ingest the cities of the world
  npm start -- --file PATH       ingest a text file, one record a line
  npm start -- --lease MS        with leases of so many milliseconds, 500 to 10,000 (default 1,500)
  npm start -- --help            show this
`

/** What was said makes no sense. The message says why. */
export class UsageError extends Error {}

/** Throws `UsageError`. */
export function parseOptions(args: readonly string[]): Options {
  const { help, file, lease } = parse(args)
  const leaseMs = Number(lease)
  if (!Number.isInteger(leaseMs) || leaseMs < 500 || leaseMs > 10_000)
    throw new UsageError(`--lease is ${lease}; allowed is a whole number of milliseconds from 500 to 10,000.`)
  // npm runs scripts in the package's folder; INIT_CWD is where it was called.
  return { help, leaseMs, ...(file !== undefined && { file: resolve(process.env.INIT_CWD ?? '', file) }) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        file: { type: 'string', short: 'f' },
        lease: { type: 'string', default: '1500' },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
