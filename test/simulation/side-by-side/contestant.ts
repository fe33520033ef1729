/** What a duel needs of the store that it sets against the model. */
import type { Backend, BackendEnvironment, Hint } from '../../../src/backends/port.ts'
import type { Store } from '../model/store.ts'

export interface Contestant {
  readonly backend: Backend
  /** Given to each connection. The model gets the same random numbers, so that its sessions have the same ids. */
  readonly environment: Pick<BackendEnvironment, 'clock' | 'namespace'>
  /** Where the model begins. */
  readonly start: Partial<Store>
  /** Lets time pass, or sets the store's clock back where `ms` is negative. */
  pass(ms: number): Promise<void>
  stepWall(ms: number): void
  restart(data: 'kept' | 'lost'): Promise<void>
  /** Ends a session before its time, and resolves when its client knows. Left out where time can pass, and sessions run out. */
  expire?(session: Listener): Promise<void>
  /** Resolves when these sessions have heard everything that the store has pushed to them so far. */
  hear(listeners: readonly Listener[]): Promise<void>
  /** By how much its durations may differ from the model's. Where 0, even tokens are the same. */
  readonly slackMs: number
  /** Its renewals tell when something may run out next. */
  readonly tellsExpiries: boolean
  /** It holds an offer against the clock when that was set back. Not asked of stores whose clock does not go back. */
  readonly cutsOffers: boolean
  /** It is a process of its own: it tells its age by a clock that nobody moves, and after a restart it is not found at once. */
  readonly isServer: boolean
}

export interface Listener {
  readonly id: string
  /** What was pushed to it and not compared yet. */
  readonly heard: Hint[]
  look(): Promise<unknown>
}
