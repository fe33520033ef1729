/** What chaos needs of a store: where its servers are, and what can befall it. */
import type { Fault } from '../fault.ts'

export interface ChaosStore {
  /** For each server that a client knows of, its port as the nodes of this slot see it. None, where there is no server. */
  readonly ports: readonly ((slot: number) => number)[]
  /** A client's URL, by the ports of its roads to these servers. */
  url(ports: readonly number[]): string
  readonly faults: readonly Fault[]
  /** Lets it run again, whatever was done to it. */
  mend(): Promise<void>
  dispose(): Promise<void>
  /** Asked where nothing recovers: what is wrong with the store itself, as somebody finds who has nothing to do with us. */
  outage?(): Promise<string | undefined>
}

export interface StoreKind {
  readonly name: string
  /** The programs without which there is none of it, as `npm test` names them. */
  readonly needs: readonly string[]
  start(): Promise<ChaosStore>
}
