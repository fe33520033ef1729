/** What the nodes tell the demo, and what they are started with. */

export interface NodeOptions {
  readonly node: string
  /** The file with the leases. */
  readonly leases: string
  readonly leaseMs: number
  readonly source: string
  readonly sink: string
  readonly batchSize: number
  readonly paceMs: number
}

/** Some records of the source: `count` of them, after the first `record`. */
export interface Part {
  readonly record: number
  readonly count: number
}

/** `record` counts the records before the point that is meant. */
export type Report =
  | { readonly kind: 'leads'; readonly token: number }
  /** The sink has taken the token, and said where to go on. */
  | { readonly kind: 'resumed'; readonly token: number; readonly record: number }
  /** A batch is read, and will be written. */
  | ({ readonly kind: 'writing'; readonly token: number } & Part)
  | { readonly kind: 'written'; readonly token: number; readonly record: number }
  /** About to stand still, between the last look at the term and the write. */
  | ({ readonly kind: 'pausing'; readonly token: number } & Part)
  | { readonly kind: 'refused'; readonly token: number; readonly newest: number; readonly count: number }
  /** The source has no more records. */
  | { readonly kind: 'done'; readonly token: number }
  | { readonly kind: 'handedOver'; readonly token: number; readonly workMs: number; readonly releaseMs: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'warned'; readonly message: string }

/** Asks a node to pause itself right before its next write. */
export const PAUSE = 'pause'

export type Kind = Report['kind']
/** A report, with who sent it and when it arrived. */
export type Letter<K extends Kind = Kind> = Extract<Report, { readonly kind: K }> & {
  readonly node: string
  readonly atMs: number
}
