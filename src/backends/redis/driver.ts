/** ioredis, as this store uses it: two clients of our own, whatever the user hands in. Nothing of it is loaded before it is used. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { SimbaError } from '../../model/errors.ts'
import { type ScriptName, scripts } from './scripts/index.ts'
import { type Circumstances, clusterSettings, GOODBYE_MS, settings } from './settings.ts'

/** Where the server is: a URL, options of ioredis, or a client of ioredis, which is copied and never used or closed itself. */
export type RedisSource = string | RedisOptions | Redis | Cluster

/** What this store needs of a client: the part that Redis and Cluster have in common. */
export interface Client {
  readonly status: string
  connect(): Promise<unknown>
  disconnect(reconnect?: boolean): void
  defineCommand(name: string, definition: { lua: string; numberOfKeys: number }): void
  subscribe(...channels: string[]): Promise<unknown>
  unsubscribe(...channels: string[]): Promise<unknown>
  wait(replicas: number, timeoutMs: number): Promise<number>
  on(event: 'ready' | 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  once(event: 'end', listener: () => void): unknown
}

export interface Clients {
  readonly commands: Client
  /** Apart from the commands: before RESP3, a connection that has subscribed takes no others. */
  readonly hints: Client
  readonly keyPrefix: string
  /** How long replicas have for acknowledging: less than a command has, so that their absence does not cost the connection. */
  readonly acknowledgeMs: number
}

interface Driver {
  /** Its first versions have no export of that name that a module could see. */
  readonly Redis?: typeof Redis
  readonly default: unknown
}

/** Runs a script of `commands`. ioredis sends its digest, and its text where the server does not know it (any more). */
export function runScript(
  commands: Client,
  script: ScriptName,
  root: string,
  args: readonly (string | number)[],
): Promise<unknown> {
  const defined = commands as unknown as Record<string, (key: string, ...args: (string | number)[]) => Promise<unknown>>
  return defined[commandName(script)]!(root, ...args)
}

/**
 * Rejects where fewer replicas than these have what was last written on this connection. Sent in the same turn as the answer to
 * that was read: on another connection there is nothing to wait for.
 */
export async function awaitReplicas({ commands, acknowledgeMs }: Clients, replicas: number): Promise<void> {
  const count = await commands.wait(replicas, acknowledgeMs)
  if (count < replicas) throw new Error(`only ${count} of ${replicas} replicas have it`)
}

/** Closes a client for good. Resolves when its socket and its timers are gone, too. */
export async function hangUp(client: Client): Promise<void> {
  const isBetween = ['wait', 'reconnecting', 'end'].includes(client.status)
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  client.disconnect()
  // Between two attempts there is no socket whose end would be told, but a timer for its goodbye all the same.
  await (isBetween ? sleep(GOODBYE_MS) : ended)
}

function commandName(script: ScriptName): string {
  return `simba:${script}`
}

/** An error of ioredis carries the command that failed: a password, or the whole text of a script. Neither belongs into a log. */
export function withoutCommand(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  Reflect.deleteProperty(error, 'command')
  return error
}

/** Makes both clients, without connecting them. */
export async function makeClients(
  source: RedisSource,
  options: RedisOptions | undefined,
  circumstances: Circumstances,
  load: () => Promise<Driver> = () => import('ioredis'),
): Promise<Clients> {
  const original = isClient(source) ? source : await makeOriginal(source, options, load)
  const duplicate = (): Client =>
    isCluster(original)
      ? original.duplicate([], clusterSettings(original.options.redisOptions ?? {}, circumstances))
      : original.duplicate(settings(original.options, circumstances))
  const commands = duplicate()
  for (const [script, lua] of Object.entries(scripts)) {
    commands.defineCommand(commandName(script as ScriptName), { lua, numberOfKeys: 1 })
  }
  const given = isCluster(original) ? original.options.redisOptions : original.options
  const commandMs = given?.commandTimeout ?? circumstances.silenceMs
  const { keyPrefix = '' } = original.options
  return { commands, hints: duplicate(), keyPrefix, acknowledgeMs: Math.ceil(commandMs / 2) }
}

function isClient(source: RedisSource): source is Redis | Cluster {
  return typeof source === 'object' && 'duplicate' in source
}

function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster
}

/** A client that never connects, but knows how to read what the user has given. */
async function makeOriginal(
  source: string | RedisOptions,
  options: RedisOptions | undefined,
  load: () => Promise<Driver>,
): Promise<Redis> {
  let driver: Driver
  try {
    driver = await load()
  } catch (cause) {
    throw new SimbaError('DRIVER_MISSING', 'The Redis backend needs ioredis: npm install ioredis', { cause })
  }
  const Original = driver.Redis ?? (driver.default as typeof Redis)
  const lazy = { ...options, lazyConnect: true }
  return typeof source === 'string' ? new Original(source, lazy) : new Original({ ...source, ...lazy })
}
