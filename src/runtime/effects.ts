/** What the machines' effects do: to terms and sessions first, then to whoever listens, then to the log. */

import type { Crash } from '../machines/facts.ts'
import type { View } from '../machines/groupSupervisor.ts'
import type { TermKey } from '../machines/term.ts'
import type { Leader } from '../model/answers.ts'
import type { SessionLossReason, TermEndReason } from '../model/endings.ts'
import { type PlainError, plainError, SimbaError } from '../model/errors.ts'
import { Handovers } from './handovers.ts'
import type { Runtime } from './runtime.ts'

type OfSession = { readonly session: string }
type Ending = TermKey & { readonly reason: TermEndReason }

/** Key out of wider params: events say what a term is, and no more. */
function keyOf({ lease, token, partition }: TermKey): TermKey {
  return partition === undefined ? { lease, token } : { lease, token, partition }
}

export function createEffects({ settings: { clock, logger }, events, store, terms, tasks, locks, observers }: Runtime) {
  const handovers = new Handovers()

  function revoke(params: Ending): void {
    const term = terms.get(params)
    if (!term || term.isRevoked) return
    const key = keyOf(params)
    handovers.interrupted(key, clock.now())
    term.revoke(params.reason)
    terms.changed()
    events.publish({ type: 'term.revoked', ...key, reason: params.reason, remainingMs: term.remainingMs })
    events.publish({ type: 'handover.started', ...key, reason: params.reason })
  }

  function reportCrash(_: unknown, { lease, error }: Crash): void {
    logger.error(
      { lease, err: error },
      'A state machine of simba-xstate has failed: a defect. Its term is ended, and it begins anew.',
    )
    const term = terms.of(lease)
    if (term) revoke({ ...keyOf(term), reason: 'crashed' })
  }

  return {
    term: {
      reportCrash,
      beginTerm(_: unknown, params: TermKey & OfSession) {
        const { session } = params
        terms.begin(params, { now: () => clock.now(), validUntilMs: () => store.validUntilMs(session) })
        events.publish({ type: 'term.started', ...keyOf(params) })
      },
      revokeTerm: (_: unknown, params: Ending) => revoke(params),
      cutTerm(_: unknown, params: Ending) {
        const term = terms.get(params)
        if (!term) return
        const wasRevoked = term.isRevoked
        term.cut(params.reason)
        terms.changed()
        if (!wasRevoked)
          events.publish({ type: 'term.revoked', ...keyOf(params), reason: params.reason, remainingMs: 0 })
      },
      endTerm(_: unknown, params: Ending) {
        const term = terms.get(params)
        if (!term) return
        handovers.exited(params, clock.now())
        terms.end(params)
        events.publish({ type: 'term.ended', ...keyOf(params), reason: params.reason })
      },
    },
    lease: {
      enroll: (_: unknown, { lease }: { lease: string }) => terms.enroll(lease),
      discharge: (_: unknown, { lease }: { lease: string }) => terms.discharge(lease),
      leaseReleased(_: unknown, params: TermKey & { readonly confirmed: boolean }) {
        const steps = handovers.released(params, clock.now())
        if (steps)
          events.publish({ type: 'handover.completed', ...keyOf(params), confirmed: params.confirmed, ...steps })
      },
      reportRest(_: unknown, { lease, restMs }: { lease: string; restMs: number }) {
        logger.warn({ lease, restMs }, 'The election has stepped down and stays away from its lease for a while.')
        events.publish({ type: 'election.stepped-down', lease, restMs })
      },
      reportCrash,
      reportSkipped(_: unknown, params: TermKey & { readonly starts: number }) {
        // Of a term that is over, no start was missed.
        if (params.starts === 0 || !terms.get(params)?.isValid) return
        events.publish({ type: 'schedule.skipped', ...keyOf(params), starts: params.starts })
      },
    },
    session: {
      extendSession(_: unknown, { session, validUntilMs }: OfSession & { validUntilMs: number }) {
        store.extend(session, validUntilMs)
        terms.changed()
      },
      endSession(_: unknown, { session, reason }: OfSession & { reason: SessionLossReason | 'closed' }) {
        store.end(session, reason === 'session-lost')
        terms.changed()
        if (reason === 'closed') return
        logger.warn({ session, reason }, 'The session is lost, and all terms with it. A new one is opened.')
        events.publish({ type: 'session.lost', session, reason })
      },
      reportOpened: (_: unknown, { session }: OfSession) => events.publish({ type: 'session.opened', session }),
      reportSuspended(_: unknown, params: OfSession & { error: PlainError; validUntilMs: number }) {
        const { session, error, validUntilMs } = params
        const remainingMs = validUntilMs - clock.now()
        // With no time left, the next that is told of it is that it is lost.
        if (remainingMs > 0) events.publish({ type: 'session.suspended', session, error, remainingMs })
      },
      reportResumed: (_: unknown, { session }: OfSession) => events.publish({ type: 'session.resumed', session }),
      reportClosed: (_: unknown, { session }: { session: string | null }) =>
        events.publish({ type: 'session.closed', session }),
    },
    group: {
      reportMembers(_: unknown, { group, view }: { group: string; view: View }) {
        events.publish({ type: 'members.changed', group, version: view.version, members: view.members })
      },
      reportAssignment(
        _: unknown,
        { group, before, after }: { group: string; before: readonly number[]; after: readonly number[] },
      ) {
        const had = new Set(before)
        const has = new Set(after)
        const gained = after.filter((partition) => !had.has(partition))
        const lost = before.filter((partition) => !has.has(partition))
        if (gained.length + lost.length === 0) return
        events.publish({ type: 'assignment.changed', group, partitions: after, gained, lost })
      },
      reportMismatch(_: unknown, params: { group: string; partitions: number; living: number }) {
        const error = new SimbaError(
          'PARTITIONS_MISMATCH',
          `The members of '${params.group}' have ${params.living} partitions, and this client has ${params.partitions}. It waits for them to go.`,
        )
        logger.error(params, error.message)
        events.publish({ type: 'group.mismatched', ...params, error: plainError(error) })
      },
    },
    client: {
      reportTaskEnded: (_: unknown, { id }: { id: string }) => tasks.end(id),
      reportStopping: () => locks.rejectAll(),
      reportStopped: (_: unknown, params: { tasks: readonly string[] }) => tasks.endAllBut(params.tasks),
      cutEverything(_: unknown, { error }: { error: PlainError }) {
        logger.error(
          { err: error },
          'A state machine of simba-xstate has failed: a defect. All terms are ended, and everything begins anew.',
        )
        store.endAll()
        for (const term of [...terms.all()]) term.cut('crashed')
        terms.changed()
      },
      tellLeader(_: unknown, { observer, leader }: { observer: string; leader: Leader | null }) {
        observers.get(observer)?.(leader)
      },
    },
  }
}
