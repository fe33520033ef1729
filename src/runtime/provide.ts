/**
 * The one place where the machines' slots are filled: calls, waits, effects and questions meet the store, the clock, the terms and the
 * listeners here, and nowhere else.
 */
import { clientMachine } from '../machines/client.ts'
import { cohortMachine } from '../machines/cohort.ts'
import { electionMachine, type LeaseCall } from '../machines/election.ts'
import { type GroupCall, type GroupSpec, groupSupervisorMachine, type View } from '../machines/groupSupervisor.ts'
import { observerMachine } from '../machines/observer.ts'
import { partitionMachine } from '../machines/partition.ts'
import { scheduleLoopMachine, type WaitFor } from '../machines/scheduleLoop.ts'
import { type Opened, type Renewed, sessionMachine } from '../machines/session.ts'
import type { TermKey } from '../machines/term.ts'
import { termWorkerMachine } from '../machines/termWorker.ts'
import type {
  CampaignAnswer,
  Grant,
  JoinAnswer,
  Leader,
  LeaveAnswer,
  LookAnswer,
  ReleaseAnswer,
  WithdrawAnswer,
} from '../model/answers.ts'
import { SimbaError } from '../model/errors.ts'
import { callLogic, type OnStop, waitLogic } from './actors.ts'
import { ActorTimers } from './actorTimers.ts'
import { createEffects } from './effects.ts'
import type { Runtime } from './runtime.ts'
import { Turns } from './turns.ts'
import { backoffMs, retryDelayMs, until } from './waits.ts'
import { createWorkLogic } from './workLogic.ts'

type OfSession = { readonly session: string }
type Attempt = { readonly attempt: number }

/** How many cohorts start or stop their children before everybody else gets a turn. */
const COHORTS_AT_ONCE = 8

/** The client's machine, ready to run. `doubt` is called when an answer says that the store does not know the session. */
export function provideClient(runtime: Runtime, doubt: () => void) {
  const { settings, store, terms } = runtime
  const { clock, random, renewIntervalMs } = settings
  const effects = createEffects(runtime)
  const timers = new ActorTimers(clock)
  const turns = new Turns(COHORTS_AT_ONCE)

  const wait = {
    pause: waitLogic<{ readonly forMs: number }>(clock, ({ forMs }) => forMs),
    backoff: waitLogic<Attempt>(clock, delayOf),
  }

  function delayOf({ attempt }: Attempt): number {
    return backoffMs(attempt, renewIntervalMs, random)
  }

  /** A call that repeats an earlier one waits first. */
  async function repeated<A>({ attempt }: Attempt, onStop: OnStop, call: () => Promise<A>): Promise<A> {
    if (attempt > 0) await until(clock, clock.now() + delayOf({ attempt }), onStop)
    return call()
  }

  /** The answer of a command that names a session. */
  async function heard<A extends { readonly kind: string }>(answer: Promise<A>): Promise<A> {
    const heard = await answer
    if (heard.kind === 'unknown') doubt()
    return heard
  }

  const termDeadline = callLogic<void, TermKey>(async (input, onStop) => {
    const term = terms.get(input)
    if (term) await until(clock, term.exitByMs, onStop)
  })

  const scheduleLoop = scheduleLoopMachine.provide({
    actors: { work: createWorkLogic(runtime) },
    actions: {
      armTimer: ({ self }, params: WaitFor) => timers.arm(self, params),
      disarmTimer: ({ self }) => timers.disarm(self),
      reportSkipped: effects.lease.reportSkipped,
    },
    guards: {
      termIsValid: (_, key) => terms.get(key)?.isValid ?? false,
    },
  })

  const termWorker = termWorkerMachine.provide({
    actors: { work: createWorkLogic(runtime), scheduleLoop },
    actions: {
      ...effects.term,
      armDeadline: ({ self }, key) => timers.arm(self, { atMs: terms.get(key)?.exitByMs ?? clock.now() }),
      disarmDeadline: ({ self }) => timers.disarm(self),
    },
  })

  const election = electionMachine.provide({
    actors: {
      termWorker,
      termDeadline,
      ...wait,
      campaign: callLogic<CampaignAnswer, LeaseCall>((input) => heard(store.campaign(input.session!, input.lease))),
      withdraw: callLogic<WithdrawAnswer, LeaseCall & Attempt>(async (input, onStop) => {
        const { session, lease } = input
        if (session === null) return { kind: 'unknown' }
        return repeated(input, onStop, () => heard(store.withdraw(session, lease)))
      }),
      release: callLogic<ReleaseAnswer, LeaseCall & Attempt & { readonly token: number }>(async (input, onStop) => {
        const { session, lease, token } = input
        if (session === null) return { kind: 'unknown' }
        return repeated(input, onStop, () => heard(store.release(session, lease, token)))
      }),
    },
    actions: { ...effects.term, ...effects.lease },
    guards: {
      wasGrantedInTime: (_, { answer, session }) =>
        answer.kind === 'granted' && session !== null && store.isLive(session),
    },
  })

  const partition = partitionMachine.provide({
    actors: { election, pause: wait.pause },
    actions: effects.lease,
  })

  const observer = observerMachine.provide({
    actors: {
      pause: wait.pause,
      readLeader: callLogic<Leader | null, { readonly lease: string }>((input) => store.leader(input.lease)),
    },
    actions: { tellLeader: effects.client.tellLeader },
  })

  const cohort = cohortMachine.provide({
    actors: { election, partition, observer },
    actions: { reportCrash: effects.lease.reportCrash },
  })

  const supervisor = groupSupervisorMachine.provide({
    actors: {
      cohort,
      ...wait,
      join: callLogic<JoinAnswer, GroupCall & { readonly partitions: number; readonly resting: readonly number[] }>(
        (input) =>
          heard(store.join(input.session!, input.group, { partitions: input.partitions, resting: input.resting })),
      ),
      leave: callLogic<LeaveAnswer, GroupCall & Attempt>((input, onStop) =>
        repeated(input, onStop, () => heard(store.leave(input.session!, input.group))),
      ),
      view: callLogic<View, GroupCall & Pick<GroupSpec, 'partitions' | 'balance'>>((input) => view(input)),
    },
    actions: {
      ...effects.group,
      awaitTurn: ({ self }) => {
        if (turns.take()) timers.ring(self, clock.now())
        else timers.arm(self, { afterMs: 0 })
      },
      disarmTimer: ({ self }) => timers.disarm(self),
    },
  })

  async function view(input: GroupCall & Pick<GroupSpec, 'partitions' | 'balance'>): Promise<View> {
    const session = input.session!
    const answer = await heard(store.members(session, input.group))
    if (answer.kind === 'unknown')
      throw new SimbaError('BACKEND_UNAVAILABLE', `The store does not know the session ${session}.`)
    const assignment = runtime.assignments.of(input)
    assignment.update(answer.members)
    return {
      version: answer.version,
      members: answer.members.map(({ node }) => node),
      isMember: answer.members.some((member) => member.session === session),
      mine: assignment.of(session),
    }
  }

  const session = sessionMachine.provide({
    actors: {
      ...wait,
      open: callLogic<Opened, undefined>(() => store.open()),
      renew: callLogic<Renewed, OfSession & { readonly epoch: number }>((input) =>
        store.renew(input.session, input.epoch),
      ),
      look: callLogic<LookAnswer, OfSession>((input) => store.look(input.session)),
      clear: callLogic<void, Attempt>((input, onStop) => repeated(input, onStop, () => store.clear())),
      disconnect: callLogic<void, undefined>(() => store.disconnect()),
      returnStrays: callLogic<void, OfSession & { readonly holds: readonly Grant[] }>((input) =>
        store.returnStrays(input.session, input.holds, (lease) => terms.isEnrolled(lease)),
      ),
      deadline: callLogic<void, { readonly atMs: number }>((input, onStop) => until(clock, input.atMs, onStop)),
      retryDelay: waitLogic<{ readonly validUntilMs: number }>(clock, ({ validUntilMs }) =>
        retryDelayMs(validUntilMs - clock.now()),
      ),
    },
    actions: effects.session,
    guards: {
      hasRunOut: (_, { validUntilMs }) => clock.now() >= validUntilMs,
    },
  })

  return clientMachine.provide({
    actors: { session, supervisor, pause: wait.pause },
    actions: effects.client,
  })
}
