/**
 * `simba.stopOnSignals()`: the first signal stops in handover order, a second one says what is still waited for, a third one ends the
 * process at once. All clients of a process that ask for it share one count and one end.
 */
import { constants } from 'node:os'
import { checkKeys } from '../model/checkKeys.ts'
import { SimbaError } from '../model/errors.ts'
import type { Core } from './core.ts'
import { stillWaitingFor } from './stillWaiting.ts'

export interface SignalOptions {
  /** Default: `SIGTERM` and `SIGINT`. */
  readonly signals?: readonly NodeJS.Signals[]
  /**
   * Called when the client has stopped, with the signal that it was stopped by. By default the process ends then, with
   * `process.exitCode` or 0; where every client brings a function of its own, the process lives on.
   */
  readonly onStopped?: (signal: NodeJS.Signals) => unknown
}

interface Listener {
  readonly core: Core
  readonly signals: readonly NodeJS.Signals[]
  readonly onStopped: SignalOptions['onStopped']
}

/** Of this process, as signals are. */
const listeners = new Set<Listener>()
const heard = new Set<NodeJS.Signals>()
let count = 0

export function stopOnSignals(core: Core, options: SignalOptions = {}): Disposable {
  checkKeys('stopOnSignals()', options, ['signals', 'onStopped'])
  const { signals = ['SIGTERM', 'SIGINT'], onStopped } = options
  const unknown = Array.isArray(signals) ? signals.find((signal) => !(signal in constants.signals)) : signals
  if (unknown !== undefined) throw invalid('signals', unknown, 'a list of names like SIGTERM')
  if (onStopped !== undefined && typeof onStopped !== 'function') throw invalid('onStopped', onStopped, 'a function')
  const listener: Listener = { core, signals, onStopped }
  listeners.add(listener)
  attend()
  return {
    [Symbol.dispose]() {
      listeners.delete(listener)
      attend()
    },
  }
}

/** Hears the signals that somebody wants, and no others. */
function attend(): void {
  const wanted = new Set([...listeners].flatMap(({ signals }) => signals))
  for (const signal of heard) if (!wanted.has(signal)) process.off(signal, hear)
  for (const signal of wanted) if (!heard.has(signal)) process.on(signal, hear)
  heard.clear()
  for (const signal of wanted) heard.add(signal)
}

function hear(signal: NodeJS.Signals): void {
  const concerned = [...listeners].filter(({ signals }) => signals.includes(signal))
  count += 1
  if (count === 1) void stop(concerned, signal)
  else if (count === 2) for (const { core } of concerned) tellWaits(core, signal)
  else endAtOnce(concerned, signal)
}

async function stop(concerned: readonly Listener[], signal: NodeJS.Signals): Promise<void> {
  for (const { core } of concerned) core.runtime.settings.logger.info({ signal }, 'Stops in handover order.')
  await Promise.all(concerned.map(({ core }) => core.stopAll()))
  count = 0
  await Promise.all(concerned.map(({ onStopped }) => onStopped?.(signal)))
  if (concerned.some(({ onStopped }) => onStopped === undefined)) process.exit()
}

function tellWaits(core: Core, signal: NodeJS.Signals): void {
  const waits = stillWaitingFor(core)
  core.runtime.settings.logger.warn(
    { signal },
    `Still waits for ${waits.length === 0 ? 'its last calls' : waits.join('; ')}. The next signal ends the process at once.`,
  )
}

function endAtOnce(concerned: readonly Listener[], signal: NodeJS.Signals): void {
  for (const { core } of concerned) {
    core.runtime.settings.logger.error({ signal }, 'Ends at once. What it leads is free when its session has run out.')
    for (const execution of core.runtime.executions) execution.kill()
  }
  process.exit(128 + constants.signals[signal])
}

function invalid(option: string, value: unknown, allowed: string): SimbaError {
  return new SimbaError('INVALID_OPTION', `${option} is ${String(value)}; allowed is ${allowed}.`)
}
