/**
 * An election as an actor of a user's own XState machine, which invokes or spawns it and is told about the terms.
 * It is a task like any other: only the way in which it is started, told and stopped is XState's.
 */
import { type CallbackActorLogic, type EventObject, fromCallback } from 'xstate'
import type { Events, SimbaEventOf } from './events.ts'
import type { Task } from './task.ts'

/** What the machine may send to the actor. STOP ends it in handover order; then the actor is done. */
export type ElectionLogicCommand = { readonly type: 'STOP' } | { readonly type: 'STEP_DOWN' }

/** What the machine is sent: the events of this election's terms, as listeners get them. */
export type TermEvent = SimbaEventOf<(typeof TERM_EVENTS)[number]>

export type ElectionLogic = CallbackActorLogic<ElectionLogicCommand>

const TERM_EVENTS = ['term.started', 'term.revoked', 'term.ended'] as const

/** Told to the actor by itself: nothing is left of the election. */
const ENDED = 'election.ended'

interface Party {
  readonly lease: string
  readonly events: Events
  /** Throws where the lease has another owner on this client. */
  readonly start: (onEnd: () => void) => Task
}

export function createElectionLogic({ lease, events, start }: Party): ElectionLogic {
  const contending = fromCallback<ElectionLogicCommand, undefined>(({ self, sendBack, receive }) => {
    const task = start(() => {
      end()
      // Nobody hears an actor that the machine has left.
      if (self.getSnapshot().status === 'active') (self as { send(event: EventObject): void }).send({ type: ENDED })
    })
    const silence = TERM_EVENTS.map((type) =>
      events.on(type, (event: TermEvent) => {
        if (event.lease === lease) sendBack(event)
      }),
    )
    const end = () => {
      for (const off of silence) off()
    }
    receive(({ type }) => {
      if (type === 'STOP') void task.stop()
      else if (type === 'STEP_DOWN') task.actor?.send({ type })
    })
    return () => {
      end()
      void task.stop()
    }
  }) as ElectionLogic

  return {
    ...contending,
    transition(snapshot, event, scope) {
      // The one thing that an actor made of a callback lacks: an end of its own.
      if ((event as EventObject).type === ENDED)
        return { ...snapshot, status: 'done', output: undefined, error: undefined }
      return contending.transition(snapshot, event, scope)
    },
  }
}
