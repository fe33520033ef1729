/** How leases, groups and namespaces may be named, and which lease a partition stands for. */
import { SimbaError } from './errors.ts'

const MAX_LENGTH = 128
const PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/
const RULE = `1 to ${MAX_LENGTH} characters of A-Z a-z 0-9 . _ : -, the first one a letter or a digit`

/** Returns the name, or throws `INVALID_OPTION` with what is allowed. `what` tells whose name it is. */
export function checkName(what: string, name: unknown): string {
  if (typeof name === 'string' && name.length <= MAX_LENGTH && PATTERN.test(name)) return name
  throw new SimbaError('INVALID_OPTION', `${what} is ${JSON.stringify(name)}; allowed are ${RULE}.`)
}

/** The lease that stands for a partition of a group. */
export function partitionLease(group: string, partition: number): string {
  return `${group}.${partition}`
}

/** The partition that a lease stands for in a group, or `null` where it is none of the group's. */
export function partitionOf(group: string, partitions: number, lease: string): number | null {
  if (!lease.startsWith(`${group}.`)) return null
  const suffix = lease.slice(group.length + 1)
  if (!/^(0|[1-9]\d*)$/.test(suffix)) return null
  const partition = Number(suffix)
  return partition < partitions ? partition : null
}
