/** What the leases and groups of a session need of it. */
import type { Hint } from '../port.ts'
import type { Change, Changed } from './client/changes.ts'
import type { ZooKeeperClient } from './client/client.ts'
import type { Paths } from './paths.ts'

export interface Desk {
  /** The port's id of the session. */
  readonly session: string
  /** The public name. */
  readonly node: string
  readonly client: ZooKeeperClient
  readonly paths: Paths
  readonly renewIntervalMs: number
  now(): number
  /** All of the changes, or none; and none of them once a later connection has taken the session over. */
  commit(...changes: readonly Change[]): Promise<readonly Changed[]>
  /** A transaction id as a token, or as a version. */
  token(zxid: bigint): number
  hint(hint: Hint): void
}
