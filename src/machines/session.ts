/**
 * This client's live presence in the store: opened, kept alive by renewals, lost at its deadline or by a definitive answer, and
 * opened anew. It alone renews; leases and memberships live by it. It does not know what they are.
 */
import { assign, type DoneActorEvent, type ErrorActorEvent, raise, sendParent, setup } from 'xstate'
import type { Grant, Inbox, LookAnswer, RenewAnswer } from '../model/answers.ts'
import type { SessionLossReason } from '../model/endings.ts'
import { type PlainError, plainError } from '../model/errors.ts'
import type { SessionFact } from './facts.ts'
import { call, effect, question } from './slots.ts'

export interface SessionInput {
  readonly renewIntervalMs: number
  /** Where the store cannot push hints. */
  readonly pollIntervalMs?: number
}

/** A session that the store has confirmed, and the instant until which that holds, on the runtime's clock. */
export interface Opened {
  readonly session: string
  readonly epoch: number
  readonly validUntilMs: number
}

/** The answer to a renewal, and until when the session is valid if it was a confirmation. Counted from before the request left. */
export interface Renewed {
  readonly answer: RenewAnswer
  readonly validUntilMs: number
}

export interface Context extends SessionInput {
  /** The one that is live, and that others have heard of. */
  readonly session: string | null
  readonly validUntilMs: number
  readonly epoch: number
  /** When others could run out: the next renewal is brought forward to it. */
  readonly nextExpiryInMs: number | null
  /** Counts openings that failed and sessions that were lost, since the last renewal. */
  readonly attempt: number
  /** As of the last renewal. */
  readonly inbox: Inbox
  /** Leases that the store has in this session's name after a restart. */
  readonly holds: readonly Grant[]
}

export type SessionHint =
  /** The way to the store is back, or somebody has reason to doubt the session: renew now. */
  | { readonly type: 'session.doubted' }
  /** The store itself says so. */
  | { readonly type: 'session.revoked' }

export type SessionCommand = { readonly type: 'session.close' }

export type SessionReport = SessionFact | { readonly type: 'inbox.read'; readonly inbox: Inbox }

export type Event =
  | SessionHint
  | SessionCommand
  /** Among the regions of this machine. */
  | { readonly type: 'validity.extended' }
  | { readonly type: 'holds.listed' }
  | DoneActorEvent<Opened, 'open'>
  | ErrorActorEvent<unknown, 'open'>
  | DoneActorEvent<Renewed, 'renew'>
  | ErrorActorEvent<unknown, 'renew'>
  | DoneActorEvent<LookAnswer, 'look'>
  | ErrorActorEvent<unknown, 'look'>

export interface OfSession {
  readonly session: string
}

/** Nothing is gained by renewing more often than this, whatever is about to run out. */
const SHORTEST_WAIT_MS = 10

/** How long to wait for the next renewal: the interval, or until the next other session could run out. */
export function renewalWaitMs(renewIntervalMs: number, nextExpiryInMs: number | null): number {
  if (nextExpiryInMs === null) return renewIntervalMs
  return Math.min(renewIntervalMs, Math.max(nextExpiryInMs, SHORTEST_WAIT_MS))
}

const EMPTY: Inbox = { freed: [], groups: {} }

function inboxOf(answer: LookAnswer): Inbox {
  return answer.kind === 'inbox' ? answer.inbox : EMPTY
}

const sessionSetup = setup({
  types: {
    input: {} as SessionInput,
    context: {} as Context,
    events: {} as Event,
  },
  actors: {
    open: call<Opened, undefined>('open'),
    renew: call<Renewed, OfSession & { readonly epoch: number }>('renew'),
    look: call<LookAnswer, OfSession>('look'),
    /** Ends in the store whatever sessions of this client are over, but perhaps not there. Those that have run out need no call. */
    clear: call<void, { readonly attempt: number }>('clear'),
    /** Lets go of sockets and files; the next opening connects anew. */
    disconnect: call<void, undefined>('disconnect'),
    /** Gives back what the store has in this session's name and nobody here knows of. */
    returnStrays: call<void, OfSession & { readonly holds: readonly Grant[] }>('returnStrays'),
    deadline: call<void, { readonly atMs: number }>('deadline'),
    pause: call<void, { readonly forMs: number }>('pause'),
    backoff: call<void, { readonly attempt: number }>('backoff'),
    /** Half of what remains, at least 100 ms. */
    retryDelay: call<void, { readonly validUntilMs: number }>('retryDelay'),
  },
  actions: {
    /** From here on terms are valid until this instant. */
    extendSession: effect<Pick<Opened, 'session' | 'validUntilMs'>>('extendSession'),
    /** From here on no term of this session is valid, and no late answer revives one. */
    endSession: effect<OfSession & { readonly reason: SessionLossReason | 'closed' }>('endSession'),
    reportOpened: effect<OfSession>('reportOpened'),
    reportSuspended: effect<OfSession & { readonly error: PlainError; readonly validUntilMs: number }>(
      'reportSuspended',
    ),
    reportResumed: effect<OfSession>('reportResumed'),
    reportClosed: effect<{ readonly session: string | null }>('reportClosed'),
    noteOpened: assign((_, opened: Opened) => ({ ...opened, nextExpiryInMs: null })),
    forgetSession: assign({ session: null }),
    noteRenewed: assign(({ context }, { answer, validUntilMs }: Renewed) =>
      answer.kind === 'renewed'
        ? {
            attempt: 0,
            validUntilMs,
            epoch: answer.epoch,
            nextExpiryInMs: answer.nextExpiryInMs,
            inbox: answer.inbox,
            // Kept, where the answer is silent: they may still have to be given back.
            holds: answer.holds ?? context.holds,
          }
        : {},
    ),
    countFailure: assign({ attempt: ({ context }) => context.attempt + 1 }),
    clearFailures: assign({ attempt: 0 }),
    extendValidity: raise({ type: 'validity.extended' }),
    listHolds: raise({ type: 'holds.listed' }),
    doubt: raise({ type: 'session.doubted' }),
    tellOpened: sendParent(({ context }): SessionReport => ({ type: 'session.opened', session: context.session! })),
    tellLost: sendParent(
      ({ context }, reason: SessionLossReason): SessionReport => ({
        type: 'session.lost',
        session: context.session!,
        reason,
      }),
    ),
    tellRestarted: sendParent(
      ({ context }): SessionReport => ({
        type: 'store.restarted',
        session: context.session!,
        holds: Object.fromEntries(context.holds.map(({ lease, token }) => [lease, token])),
      }),
    ),
    tellInbox: sendParent(({ context }): SessionReport => ({ type: 'inbox.read', inbox: context.inbox })),
    tellLook: sendParent((_, answer: LookAnswer): SessionReport => ({ type: 'inbox.read', inbox: inboxOf(answer) })),
  },
  guards: {
    hasPush: ({ context }) => context.pollIntervalMs === undefined,
    /** The clock has reached this instant. */
    hasRunOut: question<{ readonly validUntilMs: number }>('hasRunOut'),
    hasFailed: ({ context }) => context.attempt > 0,
    isUnknown: (_, { answer }: Renewed) => answer.kind === 'unknown',
    hasRestarted: (_, { answer }: Renewed) => answer.kind === 'renewed' && answer.holds !== undefined,
    isInbox: (_, answer: LookAnswer) => answer.kind === 'inbox',
  },
})

const output = <T>({ event }: { readonly event: { readonly output: T } }): T => event.output

type Has = { readonly context: Context }

const ofSession = ({ context }: Has): OfSession => ({ session: context.session! })
const failure = ({ context, event }: Has & { readonly event: { readonly error: unknown } }) => ({
  ...ofSession({ context }),
  error: plainError(event.error),
  validUntilMs: context.validUntilMs,
})

const endSession = (reason: SessionLossReason | 'closed') =>
  ({ type: 'endSession', params: ({ context }: Has) => ({ ...ofSession({ context }), reason }) }) as const

const opened = output<Opened>
const renewed = output<Renewed>
const hasRunOut = { type: 'hasRunOut', params: ({ context }: Has) => ({ validUntilMs: context.validUntilMs }) } as const

const confirm = [
  { type: 'noteRenewed', params: renewed },
  {
    type: 'extendSession',
    params: ({ context }: Has) => ({ ...ofSession({ context }), validUntilMs: context.validUntilMs }),
  },
  'extendValidity',
  'tellInbox',
] as const

/** What an answer to a renewal means, whether it is the first attempt or a repeated one. */
const hasEnded = [
  { guard: { type: 'isUnknown', params: renewed }, target: '#session.lost.unknown' },
  // The answer came after the deadline: the terms are over already, and nothing revives them.
  { guard: hasRunOut, target: '#session.lost.expired' },
] as const
const hasRestarted = { type: 'hasRestarted', params: renewed } as const
const confirmRestart = [...confirm, 'tellRestarted', 'listHolds'] as const
const reportResumed = { type: 'reportResumed', params: ofSession } as const

/** At once, but not in a circle: a store may open sessions that it then knows nothing of. */
const openAnew = [
  { guard: 'hasFailed', target: '#session.pausing', actions: ['forgetSession', 'countFailure'] },
  { target: '#session.clearing', actions: ['forgetSession', 'countFailure'] },
] as const

const renewCall = {
  id: 'renew',
  src: 'renew',
  input: ({ context }: Has) => ({ ...ofSession({ context }), epoch: context.epoch }),
} as const

const renewal = sessionSetup.createStateConfig({
  initial: 'waiting',
  states: {
    waiting: {
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: renewalWaitMs(context.renewIntervalMs, context.nextExpiryInMs) }),
        onDone: 'renewing',
        onError: 'renewing',
      },
      on: { 'session.doubted': 'renewing' },
    },
    renewing: {
      invoke: renewCall,
      on: {
        'xstate.done.actor.renew': [
          ...hasEnded,
          { guard: hasRestarted, target: 'waiting', actions: confirmRestart },
          { target: 'waiting', actions: confirm },
        ],
        'xstate.error.actor.renew': { target: 'suspended', actions: { type: 'reportSuspended', params: failure } },
      },
    },
    suspended: {
      description: 'Whether the store has renewed the session is unknown. Terms go on until the deadline.',
      initial: 'waiting',
      states: {
        waiting: {
          invoke: {
            src: 'retryDelay',
            input: ({ context }) => ({ validUntilMs: context.validUntilMs }),
            onDone: 'renewing',
            onError: 'renewing',
          },
          on: { 'session.doubted': 'renewing' },
        },
        renewing: {
          invoke: renewCall,
          on: {
            'xstate.done.actor.renew': [
              ...hasEnded,
              { guard: hasRestarted, target: '#renewal.waiting', actions: [...confirmRestart, reportResumed] },
              { target: '#renewal.waiting', actions: [...confirm, reportResumed] },
            ],
            'xstate.error.actor.renew': 'waiting',
          },
        },
      },
    },
  },
})

const looking = sessionSetup.createStateConfig({
  initial: 'choosing',
  states: {
    choosing: {
      always: [{ guard: 'hasPush', target: 'pushed' }, { target: 'waiting' }],
    },
    pushed: { description: 'The store says by itself when there is something to see.' },
    waiting: {
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.pollIntervalMs! }),
        onDone: 'looking',
        onError: 'looking',
      },
    },
    looking: {
      invoke: {
        src: 'look',
        input: ofSession,
        onDone: [
          {
            guard: { type: 'isInbox', params: output<LookAnswer> },
            target: 'waiting',
            actions: { type: 'tellLook', params: output<LookAnswer> },
          },
          { target: 'waiting', actions: 'doubt' },
        ],
        onError: 'waiting',
      },
    },
  },
})

export const sessionMachine = sessionSetup.createMachine({
  id: 'session',
  context: ({ input }) => ({
    ...input,
    session: null,
    validUntilMs: 0,
    epoch: 0,
    nextExpiryInMs: null,
    attempt: 0,
    holds: [],
    inbox: EMPTY,
  }),
  initial: 'clearing',
  on: {
    // Of no concern to a state that does not name them.
    'session.doubted': {},
    'session.revoked': {},
    'session.close': {},
    'validity.extended': {},
    'holds.listed': {},
  },
  states: {
    opening: {
      initial: 'wanted',
      invoke: { id: 'open', src: 'open' },
      states: {
        wanted: {
          on: {
            'session.close': 'unwanted',
            'xstate.done.actor.open': [
              {
                guard: { type: 'hasRunOut', params: opened },
                target: '#session.pausing',
                // Nobody has heard of it, so nobody need hear that it is lost.
                actions: [
                  { type: 'noteOpened', params: opened },
                  endSession('closed'),
                  'forgetSession',
                  'countFailure',
                ],
              },
              { target: '#session.live', actions: { type: 'noteOpened', params: opened } },
            ],
            'xstate.error.actor.open': { target: '#session.pausing', actions: 'countFailure' },
          },
        },
        unwanted: {
          description: 'The answer is awaited, and the session closed.',
          on: {
            'xstate.done.actor.open': {
              target: '#session.closing',
              actions: [{ type: 'noteOpened', params: opened }, endSession('closed'), 'forgetSession', 'clearFailures'],
            },
            'xstate.error.actor.open': { target: '#session.closing', actions: 'clearFailures' },
          },
        },
      },
    },
    pausing: {
      invoke: {
        src: 'backoff',
        input: ({ context }) => ({ attempt: context.attempt }),
        onDone: 'clearing',
        onError: 'clearing',
      },
      on: { 'session.close': { target: 'closing', actions: 'clearFailures' } },
    },
    clearing: {
      description:
        'An earlier session that may still be alive in the store is ended there, so that nobody waits for it to run out.',
      invoke: {
        src: 'clear',
        input: () => ({ attempt: 0 }),
        onDone: 'opening',
        onError: { target: 'pausing', actions: 'countFailure' },
      },
      on: { 'session.close': { target: 'closing', actions: 'clearFailures' } },
    },
    live: {
      type: 'parallel',
      entry: [
        {
          type: 'extendSession',
          params: ({ context }) => ({ ...ofSession({ context }), validUntilMs: context.validUntilMs }),
        },
        { type: 'reportOpened', params: ofSession },
        'tellOpened',
      ],
      states: {
        validity: {
          initial: 'valid',
          states: {
            valid: {
              invoke: {
                src: 'deadline',
                input: ({ context }) => ({ atMs: context.validUntilMs }),
                onDone: '#session.lost.expired',
                onError: '#session.lost.expired',
              },
              on: { 'validity.extended': { target: 'valid', reenter: true } },
            },
          },
        },
        renewal: { id: 'renewal', ...renewal },
        looking,
        strays: {
          initial: 'none',
          states: {
            none: { on: { 'holds.listed': 'returning' } },
            returning: {
              description: "The store restarted, and may hold leases in this session's name that nobody here knows of.",
              invoke: {
                src: 'returnStrays',
                input: ({ context }) => ({ ...ofSession({ context }), holds: context.holds }),
                onDone: 'none',
                onError: 'waiting',
              },
              on: { 'holds.listed': { target: 'returning', reenter: true } },
            },
            waiting: {
              invoke: {
                src: 'pause',
                input: ({ context }) => ({ forMs: context.renewIntervalMs }),
                onDone: 'returning',
                onError: 'returning',
              },
              on: { 'holds.listed': 'returning' },
            },
          },
        },
      },
      on: {
        'session.revoked': 'lost.unknown',
        'session.close': { target: 'closing', actions: [endSession('closed'), 'clearFailures'] },
      },
    },
    lost: {
      initial: 'expired',
      states: {
        expired: {
          entry: [endSession('expired'), { type: 'tellLost', params: 'expired' }],
          always: openAnew,
        },
        unknown: {
          entry: [endSession('session-lost'), { type: 'tellLost', params: 'session-lost' }],
          always: openAnew,
        },
      },
    },
    closing: {
      description: 'Repeated until the store has confirmed it, or the session has run out there.',
      invoke: {
        src: 'clear',
        input: ({ context }) => ({ attempt: context.attempt }),
        onDone: 'disconnecting',
        onError: { target: 'closing', reenter: true, actions: 'countFailure' },
      },
    },
    disconnecting: {
      invoke: { src: 'disconnect', onDone: 'closed', onError: 'closed' },
    },
    closed: {
      entry: { type: 'reportClosed', params: ({ context }) => ({ session: context.session }) },
      type: 'final',
    },
  },
})
