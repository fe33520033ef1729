/** The code of somebody else that the README's examples work with: a source, and a sink that refuses a former leader's token. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The path of this file. */
export const GIVEN = fileURLToPath(import.meta.url)

/** What runs elsewhere, beside the examples. */
export const GIVEN_FILES: Readonly<Record<string, string>> = {
  'shrink.js': 'export const run = (term) => term.revoked\n',
  'import.sh': 'exec sleep 60\n',
}

interface Fenced {
  readonly fencingToken: number
  readonly signal?: AbortSignal
}

interface Source {
  poll(options: { readonly signal: AbortSignal }): Promise<readonly string[]>
  report(): Promise<readonly string[]>
  invoices(partition: number): Promise<readonly string[]>
}

interface Sink {
  write(batch: readonly string[], options: Fenced): Promise<void>
  removeOld(options: Fenced): Promise<void>
}

declare global {
  var source: Source
  var sink: Sink
}

const newest = new Map<string, number>()

function fence(what: string, { fencingToken }: Fenced): void {
  if (fencingToken < (newest.get(what) ?? 0)) throw new Error(`${fencingToken} is the token of a former leader.`)
  newest.set(what, fencingToken)
}

globalThis.source = {
  poll: ({ signal }) => sleep(20, ['a record'], { signal }),
  report: async () => ['a report'],
  invoices: async (partition) => [`an invoice of partition ${partition}`],
}

globalThis.sink = {
  // Each of the examples writes something of its own.
  write: async (batch, options) => fence(batch.join(), options),
  removeOld: async (options) => fence('old', options),
}
