/** What a node process is told on its standard input, and what it says on its standard output: one JSON object a line. */
import type { SimbaEvent } from 'simba-xstate'
import type { Answer } from './sink.ts'

/** What a client is made of. */
export interface ClientOrders {
  /** Its name in the logs. */
  readonly node: string
  /** A URL. */
  readonly backend: string
  readonly namespace: string
  readonly leaseDurationMs: number
  readonly renewIntervalMs: number
  readonly elections: readonly string[]
  /** Partitions by group. */
  readonly groups: Readonly<Record<string, number>>
  /** How long leader work takes to leave once it is told to. */
  readonly cleanUpMs: number
  /** What its work writes to, all the time; nothing, where it is left out. */
  readonly sink?: SinkOrders
}

export interface SinkOrders {
  /** A file that all nodes share. */
  readonly path: string
  /** How long each work waits between its writes. */
  readonly everyMs: number
  /** An election whose work is a schedule of single writes. */
  readonly schedule: string
}

export type Order =
  /** Makes a client and starts it. One at a time. */
  | { readonly do: 'begin'; readonly client: ClientOrders }
  | { readonly do: 'contend'; readonly leases: readonly string[] }
  /** Stops one election for good, and says `done` when it has ended. */
  | { readonly do: 'retire'; readonly lease: string }
  | { readonly do: 'step down'; readonly lease: string }
  /** Whatever else a client can have under way: a schedule, an observer, a lock that is held and two who wait for it. */
  | { readonly do: 'everything else' }
  /** Keeps the event loop from everything else. */
  | { readonly do: 'block'; readonly forMs: number }
  /** Stops the client, and says `done`. The process can begin another one. */
  | { readonly do: 'stop' }
  /** Stops the client and waits for no more orders: the process has to end by itself. */
  | { readonly do: 'leave' }

export interface Validity {
  readonly lease: string
  readonly token: number
  readonly isValid: boolean
}

export type Note =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly order: Order['do'] }
  /** The client relies on its session until this instant of the machine's clock. Said at each confirmation. */
  | { readonly type: 'session.valid'; readonly session: string; readonly untilMs: number }
  /** The event loop has stood still for so long; this is what the terms said at the first opportunity. */
  | { readonly type: 'stood still'; readonly forMs: number; readonly terms: readonly Validity[] }
  /** The leader work has come to its end. */
  | { readonly type: 'work.left'; readonly lease: string; readonly token: number }
  /** A write to the sink; right after `beganMs` its term said that it was valid. */
  | {
      readonly type: 'write'
      readonly lease: string
      readonly token: number
      readonly beganMs: number
      readonly answer: Answer
    }
  | { readonly type: 'log'; readonly level: 'warn' | 'error'; readonly message: string; readonly details: object }

/** `atMs` is read from the monotonic clock that all processes of a machine share. */
export type Said = (SimbaEvent | Note) & { readonly atMs: number }

/** A line of the merged log of several nodes. */
export type Line = Said & { readonly node: string }

/** The clock of the logs. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
