/**
 * The settings of ioredis that a lease depends on: a command is sent now or never, and once. One that waited in a queue would come late,
 * and one that was sent again could undo what came between.
 */
import type { Cluster, RedisOptions } from 'ioredis'

export interface Circumstances {
  /**
   * After this long without an answer, a connection is given up and made anew. Callers bound each call by themselves, and sooner;
   * this frees what they no longer wait for, and finds out that a silent connection is dead.
   */
  readonly silenceMs: number
  readonly random: () => number
}

/** How long a connection that was hung up has for saying goodbye. */
export const GOODBYE_MS = 20

/** Below this, a mere hiccup of the process would cost the connection. */
const LEAST_SILENCE_MS = 1_000
const GREATEST_SILENCE_MS = 5_000

/** A dead connection should be noticed while there is time for another one. */
export function silenceFor(renewIntervalMs = GREATEST_SILENCE_MS): number {
  return Math.min(Math.max(renewIntervalMs, LEAST_SILENCE_MS), GREATEST_SILENCE_MS)
}

export function settings(given: RedisOptions, circumstances: Circumstances): RedisOptions {
  const { silenceMs, random } = circumstances
  let isRefused = false
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: false,
    // Whoever subscribes here does so again itself, and then knows when it was done.
    autoResubscribe: false,
    // Takes an INFO, which not every user may ask for.
    enableReadyCheck: given.enableReadyCheck ?? true,
    maxLoadingRetryTime: 500,
    commandTimeout: given.commandTimeout ?? silenceMs,
    connectTimeout: Math.min(given.connectTimeout ?? silenceMs, silenceMs),
    disconnectTimeout: GOODBYE_MS,
    // A master that has become a replica: the next connection may lead to the new one, but it need not be there yet.
    reconnectOnError: (error) => {
      if (!error.message.includes('READONLY')) return false
      isRefused = true
      return true
    },
    retryStrategy: (attempt) => {
      const delayMs = retryDelayMs(isRefused ? Number.POSITIVE_INFINITY : attempt, random)
      isRefused = false
      return delayMs
    },
    sentinelRetryStrategy: (attempt) => retryDelayMs(attempt, random),
    // Ours goes in front of the root key, so that the scripts and the channels have it, too.
    keyPrefix: '',
    readOnly: false,
    monitor: false,
  }
}

export function clusterSettings(
  given: RedisOptions,
  circumstances: Circumstances,
): Parameters<Cluster['duplicate']>[1] {
  const { lazyConnect, enableOfflineQueue, retryStrategy, sentinelRetryStrategy, readOnly, ...forNodes } = settings(
    given,
    circumstances,
  )
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    // Repeats what may have been done already.
    retryDelayOnFailover: 0,
    scaleReads: 'master',
    clusterRetryStrategy: (attempt) => retryDelayMs(attempt, circumstances.random),
    keyPrefix: '',
    redisOptions: forNodes,
  }
}

/** At most a second, and spread, so that not all nodes come back to a restarted server at the same instant. */
function retryDelayMs(attempt: number, random: () => number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 1_000) * (0.5 + random() / 2)
}
