/** What happens in one simulated cluster, as plain data: fast-check makes it and shrinks it, and its JSON replays it. */
import type { Weather } from '../../src/testing.ts'

export interface Plan {
  /** For everything that the plan leaves to chance. */
  readonly seed: number
  readonly storeRate: number
  readonly nodes: readonly NodePlan[]
  readonly duties: readonly Duty[]
  readonly faults: readonly Fault[]
  /** Where nothing else is said. */
  readonly weather?: Partial<Weather>
}

export interface NodePlan {
  /** Default: `node-` and its place. */
  readonly name?: string
  /** The names of those that it has from its beginning. Default: all. */
  readonly duties?: readonly string[]
  /** Within the half of the declared drift that a clock may be off true time. */
  readonly rate: number
  readonly wallMs: number
}

export interface Duty {
  /** Of the election or of the group. */
  readonly name: string
  /** A group where given. */
  readonly partitions?: number
  readonly balance?: 'hashed' | 'bounded'
  /** On a schedule where given. */
  readonly schedule?: {
    readonly kind: 'fixedRate' | 'fixedDelay'
    readonly everyMs: number
    readonly initialDelayMs: number
  }
  readonly work: Behaviour
}

/** What leader work does. On a schedule, `forMs` is how long a run takes. */
export type Behaviour =
  /** Works until it is told to end, and ends at once. */
  | { readonly kind: 'well-behaved'; readonly forMs: number }
  /** Takes its time to end. */
  | { readonly kind: 'slow'; readonly exitMs: number }
  /** Does not listen. */
  | { readonly kind: 'stubborn'; readonly forMs: number }
  | { readonly kind: 'throwing'; readonly afterMs: number; readonly isFatal: boolean }
  | { readonly kind: 'never-settling' }
  | { readonly kind: 'returning'; readonly afterMs: number }
  /** An XState machine. Where it does not heed the event that its term ends, it is stopped. On a schedule, a run takes `forMs`. */
  | { readonly kind: 'machine'; readonly forMs: number; readonly exitMs: number; readonly heeds: boolean }
  /** Stops its own task from inside, and ends when it is told to. */
  | { readonly kind: 'stopping-itself'; readonly afterMs: number }

/** `node` and `duty` are places in the plan's lists, counted round: after shrinking, they still name something. */
export type Fault =
  | { readonly kind: 'pause' | 'sleep' | 'crash'; readonly node: number; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'wall-step'; readonly node: number; readonly atMs: number; readonly byMs: number }
  | {
      readonly kind: 'cut'
      readonly node: number
      readonly atMs: number
      readonly forMs: number
      readonly way: 'requests' | 'answers' | 'both'
    }
  | {
      readonly kind: 'weather'
      readonly node: number
      readonly atMs: number
      readonly forMs: number
      readonly weather: Partial<Weather>
    }
  | { readonly kind: 'freeze'; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'restart'; readonly atMs: number; readonly data: 'kept' | 'lost' }
  /** People: a client is stopped and started again, a task is stopped and declared again, an election steps down. */
  | { readonly kind: 'stop-client'; readonly node: number; readonly atMs: number; readonly forMs: number }
  | {
      readonly kind: 'stop-task'
      readonly node: number
      readonly duty: number
      readonly atMs: number
      readonly forMs: number
    }
  | { readonly kind: 'step-down'; readonly node: number; readonly duty: number; readonly atMs: number }
  /** A task is stopped and declared again, several times, after as long each time. */
  | {
      readonly kind: 'flicker'
      readonly node: number
      readonly duty: number
      readonly atMs: number
      readonly times: number
      readonly eachMs: number
    }

export type FaultKind = Fault['kind']

export const LEASE_MS = 10_000
export const RENEW_MS = 3_000
export const DRIFT = 0.02
/** What a client takes off a lease duration. */
export const MARGIN_MS = LEASE_MS * DRIFT + 50
/** No fault begins later. */
export const FAULTY_MS = 60_000

/** For how long a calm cluster is watched. */
export const QUIET_MS = 10_000

/** The leases of an election, or of the partitions of a group. */
export function leasesOf({ name, partitions }: Duty): readonly string[] {
  return partitions ? Array.from({ length: partitions }, (_, partition) => `${name}.${partition}`) : [name]
}

export function dutyOf({ duties }: Plan, lease: string): Duty {
  const duty = duties.find(({ name }) => lease === name || lease.startsWith(`${name}.`))
  if (!duty) throw new Error(`Nobody has the duty ${lease}.`)
  return duty
}

/** When nothing of the plan is wrong any more. */
export function endOfFaultsMs({ faults }: Plan): number {
  return Math.max(0, ...faults.map((fault) => fault.atMs + ('forMs' in fault ? fault.forMs : 0)))
}

/** A text for people who read a failure. */
export function describePlan(plan: Plan): string {
  const lines = [
    `seed ${plan.seed}; store rate ${plan.storeRate}; leases of ${LEASE_MS} ms, renewed each ${RENEW_MS} ms`,
    ...plan.nodes.map((node, index) => `node-${index}: ${JSON.stringify(node)}`),
    ...plan.duties.map((duty) => `duty: ${JSON.stringify(duty)}`),
    ...plan.faults.map((fault) => `fault: ${JSON.stringify(fault)}`),
  ]
  return lines.join('\n')
}
