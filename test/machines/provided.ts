/** The machines from the group supervisor down, every slot filled with what a test settles by hand. */
import { cohortMachine } from '../../src/machines/cohort.ts'
import { electionMachine, type LeaseCall } from '../../src/machines/election.ts'
import {
  type GroupCall,
  type GroupSpec,
  groupSupervisorMachine,
  type View,
} from '../../src/machines/groupSupervisor.ts'
import { observerMachine } from '../../src/machines/observer.ts'
import { partitionMachine } from '../../src/machines/partition.ts'
import { scheduleLoopMachine } from '../../src/machines/scheduleLoop.ts'
import type { TermKey } from '../../src/machines/term.ts'
import { termWorkerMachine } from '../../src/machines/termWorker.ts'
import type {
  CampaignAnswer,
  JoinAnswer,
  Leader,
  LeaveAnswer,
  ReleaseAnswer,
  WithdrawAnswer,
} from '../../src/model/answers.ts'
import { Calls, Runs } from './calls.ts'
import type { Stage } from './stage.ts'

type Attempt = { readonly attempt: number }
type For = { readonly forMs: number }

export const granted = (token: number): CampaignAnswer => ({ kind: 'granted', token })
export const HELD: CampaignAnswer = { kind: 'held', holder: 'other' }
export const WITHDRAWN: WithdrawAnswer = { kind: 'withdrawn' }
export const RELEASED: ReleaseAnswer = { kind: 'released' }

export function provided(stage: Stage) {
  const runs = new Runs()
  const calls = {
    campaign: new Calls<CampaignAnswer, LeaseCall>(),
    withdraw: new Calls<WithdrawAnswer, LeaseCall & Attempt>(),
    release: new Calls<ReleaseAnswer, LeaseCall & Attempt & { readonly token: number }>(),
    backoff: new Calls<void, Attempt>(),
    pause: new Calls<void, For>(),
    termDeadline: new Calls<void, TermKey>(),
    partitionRest: new Calls<void, For>(),
    readLeader: new Calls<Leader | null, { readonly lease: string }>(),
    observerPause: new Calls<void, For>(),
    join: new Calls<JoinAnswer, GroupCall & { readonly partitions: number; readonly resting: readonly number[] }>(),
    leave: new Calls<LeaveAnswer, GroupCall & Attempt>(),
    view: new Calls<View, GroupCall & Pick<GroupSpec, 'partitions' | 'balance'>>(),
    groupBackoff: new Calls<void, Attempt>(),
    groupPause: new Calls<void, For>(),
  }
  /** What the clock says of the session. */
  const store = { isSessionLive: true }
  /** A supervisor has its next turn at once, or, where `areHeld`, when `pass` says so. */
  const turns = { areHeld: false, pass: () => {} }
  /** While one of these is set, the machine fails at the next step of the kind, as by a defect of its own. */
  const defects = { term: false, election: false, partition: false, observer: false, cohort: false }
  const failFor = (kind: keyof typeof defects) => {
    if (defects[kind]) throw new Error('A machine has failed.')
  }

  const ofLease = stage.effects('reportCrash', 'reportRest')
  const ofTerm = stage.effects('revokeTerm', 'cutTerm', 'endTerm')
  const ofElection = stage.effects('enroll', 'discharge', 'beginTerm', 'leaseReleased')

  const termWorker = termWorkerMachine.provide({
    actors: {
      work: runs.logic,
      scheduleLoop: scheduleLoopMachine.provide({
        actors: { work: runs.logic },
        actions: stage.effects('armTimer', 'disarmTimer', 'reportSkipped'),
        guards: { termIsValid: () => store.isSessionLive },
      }),
    },
    actions: {
      ...ofLease,
      ...ofTerm,
      ...stage.effects('armDeadline', 'disarmDeadline'),
      cutTerm(args, params) {
        failFor('term')
        ofTerm.cutTerm(args, params)
      },
    },
  })
  const election = electionMachine.provide({
    actors: {
      termWorker,
      campaign: calls.campaign.logic,
      withdraw: calls.withdraw.logic,
      release: calls.release.logic,
      backoff: calls.backoff.logic,
      pause: calls.pause.logic,
      termDeadline: calls.termDeadline.logic,
    },
    actions: { ...ofLease, ...ofTerm, ...ofElection },
    guards: {
      wasGrantedInTime: (_, { answer }) => isGranted(answer) && store.isSessionLive,
      wasGranted: (_, answer) => isGranted(answer),
    },
  })
  const partition = partitionMachine.provide({
    actors: { election, pause: calls.partitionRest.logic },
    actions: ofLease,
    guards: {
      hasSteppedDown: (_, { end }) => {
        failFor('partition')
        return end === 'stepped-down'
      },
    },
  })
  const observer = observerMachine.provide({
    actors: { readLeader: calls.readLeader.logic, pause: calls.observerPause.logic },
    actions: {
      tellLeader(args, params) {
        failFor('observer')
        stage.effects('tellLeader').tellLeader(args, params)
      },
    },
  })
  const cohort = cohortMachine.provide({
    actors: { election, partition, observer },
    actions: {
      reportCrash(args, params) {
        failFor('cohort')
        ofLease.reportCrash(args, params)
      },
    },
  })
  const groupSupervisor = groupSupervisorMachine.provide({
    actors: {
      cohort,
      join: calls.join.logic,
      leave: calls.leave.logic,
      view: calls.view.logic,
      backoff: calls.groupBackoff.logic,
      pause: calls.groupPause.logic,
    },
    actions: {
      ...stage.effects('reportMembers', 'reportAssignment', 'reportMismatch', 'disarmTimer'),
      awaitTurn({ self }) {
        turns.pass = () => self.send({ type: 'timer.due', dueMs: 0, nowMs: 0 })
        if (!turns.areHeld) turns.pass()
      },
    },
  })

  function isGranted({ kind }: CampaignAnswer): boolean {
    failFor('election')
    return kind === 'granted'
  }

  return {
    ...calls,
    runs,
    store,
    turns,
    machines: { termWorker, election, partition, observer, cohort, groupSupervisor },
    /** What `happens` makes a machine of this kind fail, as by a defect of its own. */
    failing(kind: keyof typeof defects, happens: () => void) {
      defects[kind] = true
      happens()
      defects[kind] = false
    },
  }
}
