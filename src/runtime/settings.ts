/** The options of a client: checked one by one and against each other at the door, so that nothing behind it need doubt them. */
import { hostname } from 'node:os'
import type { InspectionEvent, Observer } from 'xstate'
import type { Backend } from '../backends/port.ts'
import { checkKeys } from '../model/checkKeys.ts'
import type { TimerClock } from '../model/clock.ts'
import { SimbaError } from '../model/errors.ts'
import type { Logger } from '../model/logger.ts'
import { checkName } from '../model/names.ts'
import { backendFromUrl } from './backendFromUrl.ts'
import { createClock, type TimeSource } from './clock/clock.ts'
import { systemTime } from './clock/system.ts'
import { consoleLogger } from './consoleLogger.ts'
import { type Duration, toMs } from './durations.ts'
import { guardedIsFatal, isFatalByDefault } from './fatal.ts'
import { guarded } from './guardedLogger.ts'

export interface SimbaOptions {
  /**
   * The store, or its URL: `memory:`, `sqlite:./leases.db`, `redis://host:6379`, `zookeeper://a:2181,b:2181`. Default: the URL in the environment variable
   * `SIMBA_BACKEND`; without one, a memory store that no other process sees.
   */
  readonly backend?: Backend | string
  /** Everything that shares one set of leases. A name like a lease's. Default: `simba`. */
  readonly namespace?: string
  /** The public name that others see as the holder: 1 to 255 characters. Default: host name and process id. */
  readonly node?: string
  /**
   * How long the store keeps what a client holds after its last renewal; also how long a crashed leader is missed. At least 200 ms,
   * default 15 s. All clients of a namespace should have the same.
   */
  readonly leaseDuration?: Duration
  /**
   * How often a client renews. At least 20 ms, at most half of what a lease duration leaves after the margin for clock drift; default
   * a third of the lease duration. Shorter means more commands, and more attempts before a lease is lost to a slow store.
   */
  readonly renewInterval?: Duration
  /** By which fraction of a duration the clocks of nodes and stores may disagree: 0 to 0.2, default 0.01. */
  readonly drift?: number
  /** Which errors of leader work must not be tried again on this node. Default: `FatalWorkError`, out of memory, and a terminated worker. */
  readonly isFatal?: (error: unknown) => boolean
  /** With the methods of pino. Default: warnings and errors to the console. */
  readonly logger?: Logger
  /** Handed to XState: sees every actor. What it throws is logged. */
  readonly inspect?: ((event: InspectionEvent) => void) | Observer<InspectionEvent>
  /** Time and chance, for tests and simulations. */
  readonly environment?: Environment
}

export interface Environment {
  readonly time?: TimeSource
  /** A number in [0, 1). */
  readonly random?: () => number
}

/** The options with everything decided. */
export interface Settings {
  readonly backend: Backend
  readonly namespace: string
  readonly node: string
  readonly leaseDurationMs: number
  readonly renewIntervalMs: number
  /** What a client takes off the lease duration: the drift, and 50 ms for what no clock shows. */
  readonly marginMs: number
  readonly isFatal: (error: unknown) => boolean
  readonly logger: Logger
  readonly inspect: SimbaOptions['inspect']
  readonly clock: TimerClock
  readonly random: () => number
}

const KEYS = [
  'backend',
  'namespace',
  'node',
  'leaseDuration',
  'renewInterval',
  'drift',
  'isFatal',
  'logger',
  'inspect',
  'environment',
] as const satisfies readonly (keyof SimbaOptions)[]

const LOGGER_METHODS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly (keyof Logger)[]
const TIME_METHODS = [
  'monotonicMs',
  'wallMs',
  'setTimer',
  'clearTimer',
] as const satisfies readonly (keyof TimeSource)[]

const DEFAULT_LEASE_MS = 15_000
const SHORTEST_LEASE_MS = 200
const SHORTEST_RENEWAL_MS = 20
const GREATEST_DRIFT = 0.2
const FIXED_MARGIN_MS = 50
const LONGEST_NODE = 255

export function checkOptions(options: SimbaOptions): Settings {
  checkKeys('createSimba', options, KEYS)
  const logger = guarded(checkMethods('logger', options.logger ?? consoleLogger, LOGGER_METHODS))
  const { time = systemTime, random = Math.random } = checkEnvironment(options.environment ?? {})
  const leaseDurationMs = toMs('leaseDuration', options.leaseDuration ?? DEFAULT_LEASE_MS, { minMs: SHORTEST_LEASE_MS })
  const marginMs = leaseDurationMs * checkDrift(options.drift ?? 0.01) + FIXED_MARGIN_MS
  const renewIntervalMs = checkRenewInterval(options.renewInterval, leaseDurationMs, marginMs)
  const node = checkNode(options.node ?? `${hostname()}:${process.pid}`)
  const backend = checkBackend(options.backend, logger)
  backend.check?.({ node, leaseDurationMs, renewIntervalMs })
  return {
    backend,
    namespace: checkName('namespace', options.namespace ?? 'simba'),
    node,
    leaseDurationMs,
    renewIntervalMs,
    marginMs,
    isFatal: guardedIsFatal(checkFunction('isFatal', options.isFatal ?? isFatalByDefault), logger),
    logger,
    inspect: checkInspect(options.inspect),
    clock: createClock({
      source: time,
      onJump: (jumpMs) =>
        logger.warn(
          { jumpMs },
          'The clock has jumped forward: the machine slept, or its wall clock was set. The time counts as passed.',
        ),
      onError: (error) => logger.error({ err: error }, 'Something failed when it was woken by the clock.'),
    }),
    random,
  }
}

function checkBackend(backend: unknown, logger: Logger): Backend {
  const fromEnvironment = process.env.SIMBA_BACKEND
  if (typeof backend === 'string') return backendFromUrl('backend', backend)
  if (backend !== undefined) {
    if (typeof (backend as Partial<Backend> | null)?.connect === 'function') return backend as Backend
    throw invalid('backend', backend, "a backend like redis('redis://host:6379'), or its URL")
  }
  if (fromEnvironment) return backendFromUrl('The environment variable SIMBA_BACKEND', fromEnvironment)
  logger.warn(
    {},
    'No backend is set, so leases are kept in this process and no other process sees them. Set the option backend, or SIMBA_BACKEND.',
  )
  return backendFromUrl('backend', 'memory:')
}

function checkEnvironment(environment: Environment): Environment {
  checkKeys('environment', environment, ['time', 'random'])
  const { time, random } = environment
  if (time !== undefined) checkMethods('environment.time', time, TIME_METHODS)
  if (random !== undefined) checkFunction('environment.random', random)
  return environment
}

function checkInspect(inspect: SimbaOptions['inspect']): SimbaOptions['inspect'] {
  if (inspect === undefined || typeof inspect === 'function') return inspect
  if (typeof inspect === 'object' && inspect !== null) return inspect
  throw invalid('inspect', inspect, 'a function or an observer')
}

function checkNode(node: unknown): string {
  if (typeof node === 'string' && node.length >= 1 && node.length <= LONGEST_NODE) return node
  throw invalid('node', node, `a text of 1 to ${LONGEST_NODE} characters`)
}

function checkDrift(drift: unknown): number {
  if (typeof drift === 'number' && drift >= 0 && drift <= GREATEST_DRIFT) return drift
  throw invalid('drift', drift, `a number from 0 to ${GREATEST_DRIFT}`)
}

function checkRenewInterval(interval: Duration | undefined, leaseDurationMs: number, marginMs: number): number {
  const maxMs = Math.floor((leaseDurationMs - marginMs) / 2)
  const ms = toMs('renewInterval', interval ?? Math.min(leaseDurationMs / 3, maxMs), { minMs: SHORTEST_RENEWAL_MS })
  if (ms <= maxMs) return ms
  throw invalid(
    'renewInterval',
    interval,
    `at most ${maxMs} ms, half of what a leaseDuration of ${leaseDurationMs} ms leaves after the margin of ${marginMs} ms`,
  )
}

function checkFunction<F>(option: string, value: F): F {
  if (typeof value === 'function') return value
  throw invalid(option, value, 'a function')
}

function checkMethods<T extends object>(option: string, value: T, methods: readonly (keyof T & string)[]): T {
  if (methods.every((method) => typeof (value as Partial<T> | null)?.[method] === 'function')) return value
  throw invalid(option, value, `an object with the functions ${methods.join(', ')}`)
}

function invalid(option: string, value: unknown, allowed: string): SimbaError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return new SimbaError('INVALID_OPTION', `${option} is ${shown}; allowed is ${allowed}.`)
}
