/**
 * The slots that a machine leaves open: calls, waits and effects that the runtime provides. A slot that nobody has provided fails
 * loudly when it is used, so that a forgotten one is not taken for a store that is slow.
 */

import type { EventObject } from 'xstate'
import { fromCallback, fromPromise } from 'xstate'

function missing(slot: string): never {
  throw new Error(`The slot '${slot}' of this machine is not provided.`)
}

/** One call whose answer is awaited in a state. */
export function call<Output, Input>(slot: string) {
  return fromPromise<Output, Input>(async () => missing(slot))
}

/** Somebody to talk with: events in, events out, no end of its own. */
export function conversation<In extends EventObject, Input, Out extends EventObject = EventObject>(slot: string) {
  return fromCallback<In, Input, Out>(() => missing(slot))
}

/** An effect that is over when it returns. `Params` are plain data. */
export function effect<Params = undefined>(slot: string): (args: unknown, params: Params) => void {
  return () => missing(slot)
}

/** A question about the clock, or about what the runtime knows. */
export function question<Params = undefined>(slot: string): (args: unknown, params: Params) => boolean {
  return () => missing(slot)
}
