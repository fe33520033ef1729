/**
 * What a declaration says, as users write it. Texts may have placeholders, `${name}` and `${name:default}`, which are filled in at the
 * registration.
 */
import type { Balance } from '../model/assignment/assignment.ts'
import type { Duration } from './durations.ts'

/** Exactly one of the two. */
export type EveryAttribute =
  | {
      /** From the end of a run to the next start. At least 1 ms. */
      readonly fixedDelay: Duration
      readonly fixedRate?: undefined
    }
  | {
      /** Between two scheduled starts. At least 1 ms. A run that overruns skips the starts that it misses. */
      readonly fixedRate: Duration
      readonly fixedDelay?: undefined
    }

interface InitialDelayAttribute {
  /** From the start of each term to the first run. Minimum and default: 0. */
  readonly initialDelay?: Duration
}

export interface LeaderAttributes {
  /** Of the election: unique on a client. */
  readonly name: string
}

export type ScheduledAttributes = LeaderAttributes & EveryAttribute & InitialDelayAttribute

interface GroupAttributes {
  /** The name of the group: unique on a client. */
  readonly group: string
  /** 1 to 65,536, the same on all nodes. A text is a number in digits. */
  readonly partitions: number | string
  /** As for `simba.group()`: `hashed` (the default) or `bounded`. */
  readonly balance?: Balance | `\${${string}`
}

export type PartitionedAttributes = GroupAttributes & EveryAttribute & InitialDelayAttribute
