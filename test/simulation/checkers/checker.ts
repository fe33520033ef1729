/** A checker watches the facts of one cluster and reports what must not be. It never asks a machine for its state. */
import type { Cluster } from '../cluster.ts'
import type { Fact } from '../facts.ts'

export type Report = (what: string) => void

export type Checker = (cluster: Cluster, report: Report) => (fact: Fact) => void

/** A few round trips in fair weather, and by how much two clocks disagree on a wait. */
export const TRIPS_MS = 400

/** What timers round and floating point loses. Not a margin for anything else. */
export const GRAIN_MS = 5
