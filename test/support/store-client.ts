/** One client of a store as the tests use it: a connection, one session on it, and everything that it has said. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Player } from '../../src/backends/contract/player.ts'
import type { Backend, Connection, Hint, SessionOptions } from '../../src/backends/port.ts'

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly details: object
}

export interface Client {
  readonly connection: Connection
  readonly player: Player
  readonly log: LogLine[]
  /** The types of all hints, in the order in which they came. */
  readonly hinted: Hint['type'][]
}

export function client(backend: Backend, namespace: string, options: Partial<SessionOptions> = {}): Client {
  const log: LogLine[] = []
  const write = (level: LogLine['level']) => (details: object, message: string) =>
    void log.push({ level, message, details })
  const hinted: Hint['type'][] = []
  const real = backend.connect({
    clock: { now: () => performance.now(), wallMs: () => Date.now() },
    random: Math.random,
    logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    namespace,
  })
  const connection: Connection = {
    session: (sessionOptions, onHint) =>
      real.session(sessionOptions, (hint) => {
        hinted.push(hint.type)
        onHint(hint)
      }),
    leaders: (leases) => real.leaders(leases),
    close: () => real.close(),
  }
  const player = new Player(connection, { node: 'a', leaseDurationMs: 60_000, renewIntervalMs: 20_000, ...options })
  return { connection, player, log, hinted }
}

export async function openClient(
  backend: Backend,
  namespace: string,
  options: Partial<SessionOptions> = {},
): Promise<Client> {
  const made = client(backend, namespace, options)
  try {
    await made.player.open()
  } catch (error) {
    await made.connection.close()
    throw error
  }
  return made
}

export function freshNamespace(): string {
  return `test-${randomBytes(6).toString('hex')}`
}

/** What does not hold by then is not going to, however busy the machine. */
const PATIENCE_MS = 15_000

/** Looks until it holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(5)) if (await holds()) return
  throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
}

/** Resolves when the store answers on this connection (again). */
export function answering(connection: Connection): Promise<void> {
  const asked = () =>
    connection.leaders([]).then(
      () => true,
      () => false,
    )
  return until('the store answers', asked)
}
