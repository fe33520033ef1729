/**
 * What the code may know of time. One clock serves a whole client; tests and the simulation bring their own.
 */
export interface Clock {
  /**
   * Milliseconds that have passed since some fixed start. Never goes back, and counts the time that the process or its
   * machine slept. Only differences between two readings of the same clock mean anything.
   */
  now(): number
  /** The wall clock in milliseconds since 1970. May step in either direction: for tokens and for people, never for a deadline. */
  wallMs(): number
}

/** A clock that can also wake somebody up. */
export interface TimerClock extends Clock {
  /**
   * Calls `wake` once, at `now() >= atMs`; never earlier, and perhaps much later. A timer is a hint: whoever is woken reads the clock.
   * Any finite `atMs` is fine, however far away. Returns a function that cancels the wake-up.
   */
  wakeAt(atMs: number, wake: () => void): () => void
}
