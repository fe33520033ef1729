/** What is derived from a client's lease duration, and which of them ZooKeeper can carry. */
import { SimbaError } from '../../model/errors.ts'
import type { SessionOptions } from '../port.ts'

/** Below this, a mere hiccup of the process would cost the connection. */
const LEAST_SILENCE_MS = 500
const GREATEST_SILENCE_MS = 5_000

/** A silent server should be noticed while there is time for another one. */
export function silenceFor(timeoutMs: number): number {
  return Math.min(Math.max(timeoutMs / 6, LEAST_SILENCE_MS), GREATEST_SILENCE_MS)
}

/** What is asked of the server, which takes whole milliseconds. */
export function timeoutFor(leaseDurationMs: number): number {
  return Math.ceil(leaseDurationMs)
}

/** A term outlives one lost renewal only if there is time for another one, and two ticks are not there to be counted on. */
export function checkSession({ leaseDurationMs, renewIntervalMs }: SessionOptions, tickMs: number): void {
  const longestMs = Math.floor(leaseDurationMs / 2 - tickMs)
  if (renewIntervalMs <= longestMs) return
  const allowed =
    longestMs > 0
      ? `at most ${longestMs} ms, half of the leaseDuration less the tickTime`
      : 'a leaseDuration of more than two ticks'
  throw new SimbaError(
    'INVALID_OPTION',
    `renewInterval is ${renewIntervalMs} ms with a leaseDuration of ${leaseDurationMs} ms and a ZooKeeper tickTime of ${tickMs} ms; allowed is ${allowed}. Where your ensemble's tickTime is shorter, say so: zookeeper(url, { tickTime }).`,
  )
}

/** The server decides how long it keeps a session, and a session must live exactly as long as a lease. */
export function checkTimeout(timeoutMs: number, leaseDurationMs: number): void {
  if (timeoutMs === timeoutFor(leaseDurationMs)) return
  const isShorter = timeoutMs < leaseDurationMs
  const remedy = isShorter
    ? 'Shorten the leaseDuration, or raise maxSessionTimeout (20 ticks by default)'
    : 'Lengthen the leaseDuration, or lower minSessionTimeout (2 ticks by default)'
  throw new SimbaError(
    'INVALID_OPTION',
    `leaseDuration is ${leaseDurationMs} ms, but this ZooKeeper keeps a session for ${timeoutMs} ms. ${remedy} on all servers.`,
  )
}
