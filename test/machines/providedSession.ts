/** The session's machine, every slot filled with what a test settles by hand. */
import { type OfSession, type Opened, type Renewed, sessionMachine } from '../../src/machines/session.ts'
import type { Grant, LookAnswer } from '../../src/model/answers.ts'
import { Calls } from './calls.ts'
import type { Stage } from './stage.ts'

export function providedSession(stage: Stage) {
  /** `isBroken`: whoever asks the clock fails over it, as by a defect of the machine. */
  const clock = { nowMs: 0, isBroken: false }
  const calls = {
    open: new Calls<Opened, undefined>(),
    renew: new Calls<Renewed, OfSession & { readonly epoch: number }>(),
    look: new Calls<LookAnswer, OfSession>(),
    clear: new Calls<void, { readonly attempt: number }>(),
    disconnect: new Calls<void, undefined>(),
    returnStrays: new Calls<void, OfSession & { readonly holds: readonly Grant[] }>(),
    deadline: new Calls<void, { readonly atMs: number }>(),
    pause: new Calls<void, { readonly forMs: number }>(),
    backoff: new Calls<void, { readonly attempt: number }>(),
    retryDelay: new Calls<void, { readonly validUntilMs: number }>(),
  }
  const machine = sessionMachine.provide({
    actors: {
      open: calls.open.logic,
      renew: calls.renew.logic,
      look: calls.look.logic,
      clear: calls.clear.logic,
      disconnect: calls.disconnect.logic,
      returnStrays: calls.returnStrays.logic,
      deadline: calls.deadline.logic,
      pause: calls.pause.logic,
      backoff: calls.backoff.logic,
      retryDelay: calls.retryDelay.logic,
    },
    actions: stage.effects(
      'extendSession',
      'endSession',
      'reportOpened',
      'reportSuspended',
      'reportResumed',
      'reportClosed',
    ),
    guards: {
      hasRunOut: (_, { validUntilMs }) => {
        if (clock.isBroken) throw new Error('A machine has failed.')
        return clock.nowMs >= validUntilMs
      },
    },
  })
  return { ...calls, clock, machine }
}
