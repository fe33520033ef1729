/** Watches who leads one lease, without contending for it: asks the store once per renew interval, and tells of each change. */
import { assign, setup } from 'xstate'
import type { Leader } from '../model/answers.ts'
import type { SessionFact } from './facts.ts'
import { call, effect } from './slots.ts'

export interface ObserverInput {
  /** The runtime keeps the listener; this is its key. */
  readonly observer: string
  readonly lease: string
  readonly everyMs: number
}

export interface Context extends ObserverInput {
  /** `undefined` before the first answer. */
  readonly leader: Leader | null | undefined
}

export type Event = SessionFact | { readonly type: 'observer.stop' }

export const observerMachine = setup({
  types: {
    input: {} as ObserverInput,
    context: {} as Context,
    events: {} as Event,
  },
  actors: {
    readLeader: call<Leader | null, { readonly lease: string }>('readLeader'),
    pause: call<void, { readonly forMs: number }>('pause'),
  },
  actions: {
    tellLeader: effect<{ readonly observer: string; readonly leader: Leader | null }>('tellLeader'),
    noteLeader: assign((_, { leader }: { leader: Leader | null }) => ({ leader })),
  },
  guards: {
    isNews: ({ context }, { leader }: { leader: Leader | null }) =>
      context.leader === undefined || context.leader?.token !== leader?.token || context.leader?.node !== leader?.node,
  },
}).createMachine({
  id: 'observer',
  context: ({ input }) => ({ ...input, leader: undefined }),
  initial: 'asking',
  on: {
    'observer.stop': '.stopped',
    'session.opened': {},
    'session.lost': {},
    'store.restarted': {},
  },
  states: {
    asking: {
      invoke: {
        src: 'readLeader',
        input: ({ context }) => ({ lease: context.lease }),
        onDone: [
          {
            guard: { type: 'isNews', params: ({ event }) => ({ leader: event.output }) },
            target: 'waiting',
            actions: [
              { type: 'noteLeader', params: ({ event }) => ({ leader: event.output }) },
              {
                type: 'tellLeader',
                params: ({ context, event }) => ({ observer: context.observer, leader: event.output }),
              },
            ],
          },
          { target: 'waiting' },
        ],
        onError: 'waiting',
      },
    },
    waiting: {
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.everyMs }),
        onDone: 'asking',
        onError: 'asking',
      },
      on: { 'session.opened': 'asking' },
    },
    stopped: { type: 'final' },
  },
})
