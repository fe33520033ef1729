/** What the server knows of a node besides its data. */
import type { JuteReader } from './jute-reader.ts'

export interface Stat {
  /** The transaction that created the node. */
  readonly czxid: bigint
  /** The one that last wrote its data. */
  readonly mzxid: bigint
  /** When that was, by the wall clock of the ensemble's leader in milliseconds. */
  readonly mtimeMs: number
  /** Counts the writes of its data. */
  readonly version: number
  /** The session that it goes away with; 0 where it stays. */
  readonly ephemeralOwner: bigint
  /** The transaction that last created or deleted a child. */
  readonly pzxid: bigint
}

export function readStat(reader: JuteReader): Stat {
  const czxid = reader.long()
  const mzxid = reader.long()
  reader.long() // ctime
  const mtimeMs = Number(reader.long())
  const version = reader.int()
  reader.int() // cversion
  reader.int() // aversion
  const ephemeralOwner = reader.long()
  reader.int() // dataLength
  reader.int() // numChildren
  const pzxid = reader.long()
  return { czxid, mzxid, mtimeMs, version, ephemeralOwner, pzxid }
}
