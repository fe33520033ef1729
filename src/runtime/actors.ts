/**
 * The two kinds of actors that the machines invoke in great numbers: a wait, and a call. They do what `fromPromise` does, without an
 * abort controller and an error for each one that is left early.
 */
import type { AnyActorRef, PromiseActorLogic, PromiseSnapshot } from 'xstate'
import type { TimerClock } from '../model/clock.ts'

/** Lets a call that is still waiting for its turn be forgotten when its actor stops. */
export type OnStop = (stop: () => void) => void

/** An actor that is done after the milliseconds that `wait` works out from its input. */
export function waitLogic<Input>(clock: TimerClock, wait: (input: Input) => number): PromiseActorLogic<void, Input> {
  return settling<void, Input>((input, onStop, settle) => {
    onStop(clock.wakeAt(clock.now() + Math.max(0, wait(input)), () => settle({ type: 'settled', output: undefined })))
  })
}

/** An actor that is done with the answer, or fails with the error. Once it is stopped, the answer is nobody's. */
export function callLogic<Output, Input>(
  call: (input: Input, onStop: OnStop) => Promise<Output>,
): PromiseActorLogic<Output, Input> {
  return settling<Output, Input>((input, onStop, settle) => {
    call(input, onStop).then(
      (output) => settle({ type: 'settled', output }),
      (error: unknown) => settle({ type: 'failed', error }),
    )
  })
}

type Settled =
  | { readonly type: 'settled'; readonly output: unknown }
  | { readonly type: 'failed'; readonly error: unknown }

function settling<Output, Input>(
  begin: (input: Input, onStop: OnStop, settle: (settled: Settled) => void) => void,
): PromiseActorLogic<Output, Input> {
  const stops = new WeakMap<AnyActorRef, () => void>()
  return {
    config: () => Promise.reject(new Error('This logic is not made of a promise.')),
    getInitialSnapshot: (_, input) => ({ status: 'active', output: undefined, error: undefined, input }),
    getPersistedSnapshot: (snapshot) => snapshot,
    start({ status, input }, { self }) {
      if (status !== 'active') return
      begin(
        input as Input,
        (stop) => stops.set(self, stop),
        (settled) => {
          if (self.getSnapshot().status === 'active') self.send(settled)
        },
      )
    },
    transition(snapshot, event, { self }): PromiseSnapshot<Output, Input> {
      if (snapshot.status !== 'active') return snapshot
      switch (event.type) {
        case 'settled':
          return { ...snapshot, status: 'done', output: event.output as Output, input: undefined }
        case 'failed':
          return { ...snapshot, status: 'error', error: event.error, input: undefined }
        case 'xstate.stop':
          stops.get(self)?.()
          return { ...snapshot, status: 'stopped', input: undefined }
        default:
          return snapshot
      }
    },
  }
}
