/** What the nodes hold: JSON, so that an operator can read it. */
import { SimbaError } from '../../model/errors.ts'
import type { MemberEntry } from '../port.ts'

const FORMAT = 1

/** Tokens and versions are transaction ids on top of this. */
const GREATEST_BASE = 2 ** 52

/**
 * The root's record. Its base lets tokens go on growing where an ensemble has lost everything and counts its transactions anew: with the
 * first transaction, a token is at least the wall clock in microseconds.
 */
export function formatRoot(wallMs: number, zxid: bigint): string {
  const base = Math.min(Math.max(Math.floor(wallMs * 1_000) - Number(zxid), 0), GREATEST_BASE)
  return JSON.stringify({ format: FORMAT, base })
}

/** Returns the base. */
export function readRoot(path: string, data: string): number {
  const { format, base } = parse(data)
  if (format === FORMAT && Number.isSafeInteger(base)) return base as number
  const found = format === undefined ? 'something else' : `records of format ${JSON.stringify(format)}`
  throw new SimbaError(
    'BACKEND_FORMAT',
    `ZooKeeper holds ${found} at ${path}; this version knows format ${FORMAT} alone`,
  )
}

/** Transaction ids have 64 bits, the upper half for the elections of a leader: enough numbers for some two million of them. */
export function tokenOf(base: number, zxid: bigint): number {
  const token = BigInt(base) + zxid
  if (token <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(token)
  throw new SimbaError('BACKEND_UNAVAILABLE', `ZooKeeper: the transaction id ${zxid} is too great for a token`)
}

export function formatNode(node: string): string {
  return JSON.stringify({ node })
}

export function readNode(data: string): string {
  const { node } = parse(data)
  return typeof node === 'string' ? node : unexpected(data)
}

export function formatHolder(node: string, session: string): string {
  return JSON.stringify({ node, session })
}

/** Returns the port's id of the holder's session. */
export function readHolder(data: string): string {
  const { session } = parse(data)
  return typeof session === 'string' ? session : unexpected(data)
}

export function formatMember(node: string, { partitions, resting }: MemberEntry): string {
  return JSON.stringify({ node, partitions, resting })
}

export function readMember(data: string): MemberEntry & { readonly node: string } {
  const { partitions, resting } = parse(data)
  if (typeof partitions !== 'number' || !Array.isArray(resting)) return unexpected(data)
  return { node: readNode(data), partitions, resting }
}

function parse(data: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(data)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function unexpected(data: string): never {
  throw new SimbaError('BACKEND_UNAVAILABLE', `ZooKeeper holds something unexpected: ${data}`)
}
