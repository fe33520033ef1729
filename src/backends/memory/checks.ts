/** What the memory store refuses. It is as strict as a real store's parsers, so that a wrong call shows in the first test. */
import { SimbaError } from '../../model/errors.ts'
import { checkName } from '../../model/names.ts'
import type { MemberEntry, SessionOptions } from '../port.ts'

export const checkLease = (name: string): string => checkName('The lease', name)

export const checkGroup = (name: string): string => checkName('The group', name)

export function checkNumber(what: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw refused(what, value, `safe integers from ${least}`)
}

export function checkEntry({ partitions, resting }: MemberEntry): MemberEntry {
  checkNumber('partitions', partitions)
  for (const partition of resting) {
    checkNumber('resting', partition, 0)
    if (partition >= partitions) throw refused('resting', partition, `partitions below ${partitions}`)
  }
  return { partitions, resting: [...resting] }
}

export function checkSessionOptions({ node, leaseDurationMs, renewIntervalMs }: SessionOptions): SessionOptions {
  if (typeof node !== 'string') throw refused('node', node, 'a string')
  if (!isDuration(leaseDurationMs)) throw refused('leaseDurationMs', leaseDurationMs, 'more than 0, and finite')
  if (!isDuration(renewIntervalMs)) throw refused('renewIntervalMs', renewIntervalMs, 'more than 0, and finite')
  return { node, leaseDurationMs, renewIntervalMs }
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
}

function refused(what: string, value: unknown, allowed: string): SimbaError {
  return new SimbaError('INVALID_OPTION', `${what} is ${JSON.stringify(value)}; allowed are ${allowed}.`)
}
