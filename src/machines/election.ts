/**
 * The contending of this client for one lease: campaign, wait in line, hold, hand over, release, and again. A call that may change
 * the store is never walked away from: its answer is awaited or its outcome settled, so that nothing that nobody wants is elected.
 */
import { assertEvent, assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup, stateIn } from 'xstate'
import type { CampaignAnswer, ReleaseAnswer, WithdrawAnswer } from '../model/answers.ts'
import type { TermEndReason } from '../model/endings.ts'
import { plainError } from '../model/errors.ts'
import type { Schedule } from '../model/schedule.ts'
import type { Crash, SessionFact } from './facts.ts'
import { call, effect, question } from './slots.ts'
import { type TermKey, termKey } from './term.ts'
import { termWorkerMachine } from './termWorker.ts'

/** When an election is over: only when it is stopped; also when it has stepped down; or with its first term, however that ends. */
export type ElectionEnd = 'when-stopped' | 'after-step-down' | 'after-term'

export interface ElectionInput {
  readonly lease: string
  readonly partition?: number
  readonly work: string
  readonly schedule?: Schedule
  /** The session that is live now. */
  readonly session: string | null
  readonly ends: ElectionEnd
  /** `after-crash`: a machine that had to do with this lease has failed, and what it left running has at most `restMs` left. */
  readonly begins?: 'at-once' | 'after-crash'
  /** How long to stay away from the lease after stepping down: one lease duration. */
  readonly restMs: number
}

export interface ElectionOutput {
  readonly end: 'stopped' | 'stepped-down' | 'term-over'
}

export interface Context extends ElectionInput {
  /** Of the present grant, or of the last one; 0 before the first. */
  readonly token: number
  /** Calls that failed in a row. */
  readonly attempt: number
  readonly quarantineMs: number
  readonly end: ElectionOutput['end']
}

export type ElectionCommand =
  | { readonly type: 'election.stop'; readonly reason: Extract<TermEndReason, 'stopped' | 'moved'> }
  | { readonly type: 'STEP_DOWN' }

export type Event =
  | SessionFact
  | ElectionCommand
  /** The store offers the lease to this session, or seems to. */
  | { readonly type: 'lease.freed'; readonly lease: string }
  | DoneActorEvent<CampaignAnswer, 'campaign'>
  | ErrorActorEvent<unknown, 'campaign'>
  | DoneActorEvent<ReleaseAnswer, 'release'>
  | ErrorActorEvent<unknown, 'release'>
  | DoneActorEvent<WithdrawAnswer, 'withdraw'>
  | ErrorActorEvent<unknown, 'withdraw'>

export interface LeaseCall {
  readonly session: string | null
  readonly lease: string
}

const electionSetup = setup({
  types: {
    input: {} as ElectionInput,
    context: {} as Context,
    events: {} as Event,
    output: {} as ElectionOutput,
    children: {} as { term: 'termWorker' },
  },
  actors: {
    termWorker: termWorkerMachine,
    campaign: call<CampaignAnswer, LeaseCall>('campaign'),
    /** Waits before a repeated attempt by itself. Where there is no session any more, the answer is that it is unknown. */
    withdraw: call<WithdrawAnswer, LeaseCall & { readonly attempt: number }>('withdraw'),
    /** Likewise. */
    release: call<ReleaseAnswer, LeaseCall & { readonly token: number; readonly attempt: number }>('release'),
    backoff: call<void, { readonly attempt: number }>('backoff'),
    pause: call<void, { readonly forMs: number }>('pause'),
    termDeadline: call<void, TermKey>('termDeadline'),
  },
  actions: {
    /** From here to `discharge`, what the store has under this lease in this client's name is this election's affair. */
    enroll: effect<{ readonly lease: string }>('enroll'),
    discharge: effect<{ readonly lease: string }>('discharge'),
    /** Before the term's actor: XState starts what an actor invokes at once before the effects of its first state. */
    beginTerm: effect<TermKey & { readonly session: string }>('beginTerm'),
    reportCrash: effect<Crash>('reportCrash'),
    revokeTerm: effect<TermKey & { readonly reason: TermEndReason }>('revokeTerm'),
    cutTerm: effect<TermKey & { readonly reason: TermEndReason }>('cutTerm'),
    endTerm: effect<TermKey & { readonly reason: TermEndReason }>('endTerm'),
    leaseReleased: effect<TermKey & { readonly confirmed: boolean }>('leaseReleased'),
    reportRest: effect<{ readonly lease: string; readonly restMs: number }>('reportRest'),
    noteSession: assign(({ event }) => {
      assertEvent(event, 'session.opened')
      return { session: event.session, attempt: 0 }
    }),
    noteLoss: assign({ session: null }),
    noteGrant: assign((_, answer: CampaignAnswer) =>
      answer.kind === 'granted' ? { token: answer.token, attempt: 0 } : {},
    ),
    noteQuarantine: assign((_, answer: CampaignAnswer) =>
      answer.kind === 'quarantined' ? { quarantineMs: answer.retryInMs } : {},
    ),
    countFailure: assign({ attempt: ({ context }) => context.attempt + 1 }),
    clearFailures: assign({ attempt: 0 }),
    noteEnd: assign((_, { end }: { end: ElectionOutput['end'] }) => ({ end })),
    revokeForStop: sendTo('term', ({ event }) => {
      assertEvent(event, 'election.stop')
      return { type: 'term.revoke', reason: event.reason }
    }),
    revokeForStepDown: sendTo('term', { type: 'term.revoke', reason: 'stepped-down' }),
    cutForLoss: sendTo('term', ({ event }) => {
      assertEvent(event, 'session.lost')
      return { type: 'term.cut', reason: event.reason }
    }),
    cutForgotten: sendTo('term', { type: 'term.cut', reason: 'forgotten' }),
  },
  guards: {
    beginsAfterCrash: ({ context }) => context.begins === 'after-crash',
    hasSession: ({ context }) => context.session !== null,
    /** By the clock, and not by what was heard last. */
    wasGrantedInTime: question<{ readonly answer: CampaignAnswer; readonly session: string | null }>(
      'wasGrantedInTime',
    ),
    wasGranted: (_, answer: CampaignAnswer) => answer.kind === 'granted',
    wasHeld: (_, answer: CampaignAnswer) => answer.kind === 'held',
    wasQuarantined: (_, answer: CampaignAnswer) => answer.kind === 'quarantined',
    /** `stale` here means that a copy of the command came first: its outcome is unknown, so ask again. */
    wasConfirmed: (_, answer: ReleaseAnswer | WithdrawAnswer) => answer.kind !== 'stale',
    isForgotten: ({ context, event }) =>
      event.type === 'store.restarted' && event.holds[context.lease] !== context.token,
    mustRest: (_, { reason }: { reason: TermEndReason }) => reason === 'fatal-work' || reason === 'crashed',
    endsAfterTerm: ({ context }) => context.ends === 'after-term',
    endsAfterStepDown: ({ context }) => context.ends !== 'when-stopped',
    recoversToStop: stateIn({ recovering: 'toStop' }),
    recoversToRest: stateIn({ recovering: 'toRest' }),
    handsOverToStop: stateIn({ holding: { handingOver: 'toStop' } }),
    handsOverToRest: stateIn({ holding: { handingOver: 'toRest' } }),
    releasesToStop: stateIn({ releasing: 'toStop' }),
    releasesToRest: stateIn({ releasing: 'toRest' }),
    outlastsToStop: stateIn({ holding: { outlasting: 'toStop' } }),
    withdrawsToStop: stateIn({ withdrawing: 'toStop' }),
  },
})

type Has<T> = { readonly context: T }

const lease = ({ context }: Has<Context>) => ({ lease: context.lease })
const leaseCall = ({ context: { session, lease } }: Has<Context>): LeaseCall => ({ session, lease })
const crashed = ({ context }: Has<Context>) => ({ reason: 'crashed' as const, ...termKey({ context }) })
const reportCrash = {
  type: 'reportCrash',
  params: ({ context, event }: Has<Context> & { readonly event: { readonly error: unknown } }): Crash => ({
    lease: context.lease,
    error: plainError(event.error),
  }),
} as const
const unreleased = {
  type: 'leaseReleased',
  params: ({ context }: Has<Context>) => ({ confirmed: false, ...termKey({ context }) }),
} as const
const released = {
  type: 'leaseReleased',
  params: ({ context, event }: Has<Context> & Answered<ReleaseAnswer>) => ({
    // Who holds nothing had given it back with an earlier attempt, or has lost it with an earlier session.
    confirmed: event.output.kind === 'released' || (event.output.kind === 'not-held' && context.attempt > 0),
    ...termKey({ context }),
  }),
} as const

type Answered<A> = { readonly event: { readonly output: A } }

const answer = ({ event }: Answered<CampaignAnswer>) => event.output
const wasGranted = { type: 'wasGranted', params: answer } as const
const wasGrantedInTime = {
  type: 'wasGrantedInTime',
  params: ({ context, event }: Has<Context> & Answered<CampaignAnswer>) => ({
    answer: event.output,
    session: context.session,
  }),
} as const
const beginTerm = {
  type: 'beginTerm',
  params: ({ context }: Has<Context>) => ({ session: context.session!, ...termKey({ context }) }),
} as const
const wasHeld = { type: 'wasHeld', params: answer } as const
const wasQuarantined = { type: 'wasQuarantined', params: answer } as const
const noteGrant = { type: 'noteGrant', params: answer } as const
const wasConfirmed = {
  type: 'wasConfirmed',
  params: ({ event }: Answered<ReleaseAnswer | WithdrawAnswer>) => event.output,
} as const

/** The next attempt keeps the intent, which is a state below the one that is entered anew. */
const releaseAgain = [
  { guard: 'releasesToStop', target: '.toStop', reenter: true, actions: 'countFailure' },
  { guard: 'releasesToRest', target: '.toRest', reenter: true, actions: 'countFailure' },
  { target: '.toContend', reenter: true, actions: 'countFailure' },
] as const
const withdrawAgain = [
  { guard: 'withdrawsToStop', target: '.toStop', reenter: true, actions: 'countFailure' },
  { target: '.toRest', reenter: true, actions: 'countFailure' },
] as const

const endCrashed = { type: 'endTerm', params: crashed } as const

function outlasted<const Actions extends readonly unknown[]>(...actions: Actions) {
  return [
    { guard: 'outlastsToStop', target: '#election.releasing.toStop', actions },
    { target: '#election.releasing.toRest', actions },
  ] as const
}

const recovered = [
  { guard: 'recoversToStop', target: 'withdrawing.toStop' },
  { guard: 'recoversToRest', target: 'withdrawing.toRest' },
  { target: 'ready' },
] as const

const noteQuarantine = { type: 'noteQuarantine', params: answer } as const

export const electionMachine = electionSetup.createMachine({
  id: 'election',
  context: ({ input }) => ({ token: 0, attempt: 0, quarantineMs: 0, end: 'stopped', ...input }),
  entry: { type: 'enroll', params: lease },
  initial: 'beginning',
  on: {
    'session.opened': { actions: 'noteSession' },
    'session.lost': { actions: 'noteLoss' },
    // Of no concern to a state that does not name them.
    'store.restarted': {},
    'lease.freed': {},
    'election.stop': {},
    STEP_DOWN: {},
  },
  states: {
    beginning: {
      always: [
        { guard: 'beginsAfterCrash', target: 'recovering' },
        { guard: 'hasSession', target: 'campaigning' },
        { target: 'unready' },
      ],
    },
    recovering: {
      description:
        'Waits until nothing that a failed machine left running has time left. Only then is its lease taken anew, or given back.',
      initial: 'toContend',
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.restMs }),
        onDone: recovered,
        onError: recovered,
      },
      states: {
        toContend: { on: { 'election.stop': 'toStop', STEP_DOWN: 'toRest' } },
        toRest: { on: { 'election.stop': 'toStop' } },
        toStop: {},
      },
    },
    ready: {
      always: [{ guard: 'hasSession', target: 'campaigning' }, { target: 'unready' }],
    },
    unready: {
      description: 'There is no session to campaign with.',
      on: {
        'session.opened': { target: 'campaigning', actions: 'noteSession' },
        'election.stop': 'stopped',
        STEP_DOWN: 'next.toRest',
      },
    },
    campaigning: {
      description: 'A campaign is under way. What is asked meanwhile is noted, and the answer awaited.',
      initial: 'wanted',
      invoke: { id: 'campaign', src: 'campaign', input: leaseCall },
      states: {
        wanted: {
          on: {
            'election.stop': 'stopping',
            STEP_DOWN: 'steppingDown',
            // The hint may be younger than the answer that is on its way.
            'lease.freed': 'hinted',
            'store.restarted': 'hinted',
            'session.lost': { target: '#election.unready', actions: 'noteLoss' },
            'xstate.done.actor.campaign': [
              { guard: wasGrantedInTime, target: '#election.holding', actions: [noteGrant, beginTerm] },
              // The answer came so late that the session has run out: then it is no term.
              { guard: wasGranted, target: '#election.unready' },
              { guard: wasHeld, target: '#election.waiting', actions: 'clearFailures' },
              { guard: wasQuarantined, target: '#election.quarantined', actions: ['clearFailures', noteQuarantine] },
              { target: '#election.unsettled', actions: 'countFailure' },
            ],
            'xstate.error.actor.campaign': { target: '#election.unsettled', actions: 'countFailure' },
          },
        },
        hinted: {
          on: {
            'election.stop': 'stopping',
            STEP_DOWN: 'steppingDown',
            'session.lost': { target: '#election.unready', actions: 'noteLoss' },
            'xstate.done.actor.campaign': [
              { guard: wasGrantedInTime, target: '#election.holding', actions: [noteGrant, beginTerm] },
              // The answer came so late that the session has run out: then it is no term.
              { guard: wasGranted, target: '#election.unready' },
              { guard: wasHeld, target: '#election.campaigning', actions: 'clearFailures' },
              { guard: wasQuarantined, target: '#election.quarantined', actions: ['clearFailures', noteQuarantine] },
              { target: '#election.unsettled', actions: 'countFailure' },
            ],
            'xstate.error.actor.campaign': { target: '#election.unsettled', actions: 'countFailure' },
          },
        },
        stopping: {
          on: {
            'session.lost': { target: '#election.stopped', actions: 'noteLoss' },
            'xstate.done.actor.campaign': [
              { guard: wasGranted, target: '#election.releasing.toStop', actions: noteGrant },
              { target: '#election.withdrawing.toStop', actions: 'clearFailures' },
            ],
            'xstate.error.actor.campaign': { target: '#election.withdrawing.toStop', actions: 'clearFailures' },
          },
        },
        steppingDown: {
          on: {
            'election.stop': 'stopping',
            'session.lost': { target: '#election.next.toRest', actions: 'noteLoss' },
            'xstate.done.actor.campaign': [
              { guard: wasGranted, target: '#election.releasing.toRest', actions: noteGrant },
              { target: '#election.withdrawing.toRest', actions: 'clearFailures' },
            ],
            'xstate.error.actor.campaign': { target: '#election.withdrawing.toRest', actions: 'clearFailures' },
          },
        },
      },
    },
    unsettled: {
      description: 'The outcome of a campaign is unknown: the lease may be ours. Campaign again, or withdraw.',
      invoke: {
        src: 'backoff',
        input: ({ context }) => ({ attempt: context.attempt }),
        onDone: 'campaigning',
        onError: 'campaigning',
      },
      on: {
        'election.stop': { target: 'withdrawing.toStop', actions: 'clearFailures' },
        STEP_DOWN: { target: 'withdrawing.toRest', actions: 'clearFailures' },
        'session.lost': { target: 'unready', actions: 'noteLoss' },
      },
    },
    waiting: {
      description: 'In line. The store says when the lease is offered.',
      on: {
        'lease.freed': 'campaigning',
        'store.restarted': 'campaigning',
        'election.stop': 'withdrawing.toStop',
        STEP_DOWN: 'withdrawing.toRest',
        'session.lost': { target: 'unready', actions: 'noteLoss' },
      },
    },
    quarantined: {
      description: 'In line, at a store that may have forgotten grants.',
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.quarantineMs }),
        onDone: 'campaigning',
        onError: 'campaigning',
      },
      on: {
        'election.stop': 'withdrawing.toStop',
        STEP_DOWN: 'withdrawing.toRest',
        'session.lost': { target: 'unready', actions: 'noteLoss' },
      },
    },
    holding: {
      description: 'A term is alive. The only way out is its own end: first the work, then the lease.',
      initial: 'leading',
      invoke: {
        id: 'term',
        src: 'termWorker',
        input: ({ context }) => ({
          work: context.work,
          schedule: context.schedule,
          ...termKey({ context }),
        }),
        onDone: [
          { guard: 'handsOverToStop', target: 'releasing.toStop' },
          { guard: 'handsOverToRest', target: 'releasing.toRest' },
          { guard: { type: 'mustRest', params: ({ event }) => event.output }, target: 'releasing.toRest' },
          { target: 'releasing.toContend' },
        ],
        onError: [
          { guard: 'handsOverToStop', target: '.outlasting.toStop', actions: reportCrash },
          { target: '.outlasting.toRest', actions: reportCrash },
        ],
      },
      states: {
        leading: {
          on: {
            'election.stop': { target: 'handingOver.toStop', actions: 'revokeForStop' },
            STEP_DOWN: { target: 'handingOver.toRest', actions: 'revokeForStepDown' },
            'session.lost': { target: 'handingOver.toContend', actions: ['noteLoss', 'cutForLoss'] },
            'store.restarted': { guard: 'isForgotten', target: 'handingOver.toContend', actions: 'cutForgotten' },
          },
        },
        handingOver: {
          initial: 'toContend',
          states: {
            toContend: { on: { 'election.stop': 'toStop', STEP_DOWN: 'toRest' } },
            toRest: { on: { 'election.stop': 'toStop' } },
            toStop: {},
          },
          on: {
            'session.lost': { actions: ['noteLoss', 'cutForLoss'] },
            'store.restarted': { guard: 'isForgotten', actions: 'cutForgotten' },
          },
        },
        outlasting: {
          description:
            'The term actor itself failed, and its work may still run: told to end, it has until the deadline.',
          entry: { type: 'revokeTerm', params: crashed },
          initial: 'toRest',
          invoke: {
            src: 'termDeadline',
            input: termKey,
            onDone: outlasted(endCrashed),
            onError: outlasted(endCrashed),
          },
          states: {
            toRest: { on: { 'election.stop': 'toStop' } },
            toStop: {},
          },
          on: {
            // Nothing is left to wait for.
            'session.lost': outlasted('noteLoss', { type: 'cutTerm', params: crashed }, endCrashed),
          },
        },
      },
    },
    releasing: {
      description: 'The release is repeated until it is confirmed, or until the session that holds the lease is over.',
      initial: 'toContend',
      invoke: {
        id: 'release',
        src: 'release',
        input: ({ context }) => ({ token: context.token, attempt: context.attempt, ...leaseCall({ context }) }),
      },
      states: {
        toContend: {
          on: {
            'election.stop': 'toStop',
            STEP_DOWN: 'toRest',
            'session.lost': { target: '#election.next.toContend', actions: ['noteLoss', unreleased] },
            'xstate.done.actor.release': { guard: wasConfirmed, target: '#election.next.toContend', actions: released },
          },
        },
        toRest: {
          on: {
            'election.stop': 'toStop',
            'session.lost': { target: '#election.next.toRest', actions: ['noteLoss', unreleased] },
            'xstate.done.actor.release': { guard: wasConfirmed, target: '#election.next.toRest', actions: released },
          },
        },
        toStop: {
          on: {
            'session.lost': { target: '#election.stopped', actions: ['noteLoss', unreleased] },
            'xstate.done.actor.release': { guard: wasConfirmed, target: '#election.stopped', actions: released },
          },
        },
      },
      on: {
        'xstate.done.actor.release': releaseAgain,
        'xstate.error.actor.release': releaseAgain,
      },
    },
    withdrawing: {
      description:
        'Whatever a campaign may have got is given back: a place in line, an offer, a grant whose answer was lost.',
      initial: 'toStop',
      invoke: {
        id: 'withdraw',
        src: 'withdraw',
        input: ({ context }) => ({ attempt: context.attempt, ...leaseCall({ context }) }),
      },
      states: {
        toRest: {
          on: {
            'election.stop': 'toStop',
            'session.lost': { target: '#election.next.toRest', actions: 'noteLoss' },
            'xstate.done.actor.withdraw': { guard: wasConfirmed, target: '#election.next.toRest' },
          },
        },
        toStop: {
          on: {
            'session.lost': { target: '#election.stopped', actions: 'noteLoss' },
            'xstate.done.actor.withdraw': { guard: wasConfirmed, target: '#election.stopped' },
          },
        },
      },
      on: {
        'xstate.done.actor.withdraw': withdrawAgain,
        'xstate.error.actor.withdraw': withdrawAgain,
      },
    },
    next: {
      description: 'Nothing is left of the lease here.',
      entry: 'clearFailures',
      initial: 'toContend',
      states: {
        toContend: {
          always: [
            {
              guard: 'endsAfterTerm',
              target: '#election.stopped',
              actions: { type: 'noteEnd', params: { end: 'term-over' } },
            },
            { target: '#election.ready' },
          ],
        },
        toRest: {
          always: [
            {
              guard: 'endsAfterStepDown',
              target: '#election.stopped',
              actions: { type: 'noteEnd', params: { end: 'stepped-down' } },
            },
            { target: '#election.resting' },
          ],
        },
      },
    },
    resting: {
      description: 'Stays away from the lease, so that another node may try.',
      entry: { type: 'reportRest', params: ({ context: { lease, restMs } }) => ({ lease, restMs }) },
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.restMs }),
        onDone: 'ready',
        onError: 'ready',
      },
      on: { 'election.stop': 'stopped' },
    },
    stopped: {
      entry: { type: 'discharge', params: lease },
      type: 'final',
    },
  },
  output: ({ context }) => ({ end: context.end }),
})
