/** Stores that break a rule of the model, whose functions are wrapped for it. */
import type { MemoryBackend } from '../../../src/backends/memory/index.ts'
import type { Clock } from '../../../src/model/clock.ts'
import type { Rules } from '../model/backend.ts'
import { campaign, close, join, leave, open, release, renew, withdraw } from '../model/commands.ts'
import { end } from '../model/ends.ts'
import { modelInTime } from '../model/inTime.ts'
import { begin, isLive, sessionOf } from '../model/sessions.ts'
import type { Store } from '../model/store.ts'
import type { Sabotage } from './sabotage.ts'

/** What is broken about a store, to be held against the model, too. */
export interface StoreSabotage extends Sabotage {
  readonly backend: (clock: Clock) => MemoryBackend
}

const store =
  (breakage: Partial<Rules>): StoreSabotage['backend'] =>
  (clock) =>
    modelInTime(clock, breakage)

/** As if no command had ever been sent. */
const withoutNumbers = (facts: Store): Store => ({
  ...facts,
  numbers: [],
  sessions: facts.sessions.map((session) => ({ ...session, settled: 0 })),
})
/** Nobody has noticed that the server was restarted. */
const withoutRestarts = (facts: Store): Store => ({
  ...facts,
  server: { id: 1, startedAtMs: Number.NEGATIVE_INFINITY },
  restarts: facts.restarts && { ...facts.restarts, run: 1, quarantineUntilMs: 0 },
})
const forgetPushes = (facts: Store): Store => ({ ...facts, pushes: [] })

const foundBy = '11-a-calm-cluster-gets-a-leader'

export const stores: readonly StoreSabotage[] = [
  {
    name: 'the store obeys late commands',
    backend: store({
      campaign: (facts, ...args) => campaign(withoutNumbers(facts), ...args),
      withdraw: (facts, ...args) => withdraw(withoutNumbers(facts), ...args),
      release: (facts, ...args) => release(withoutNumbers(facts), ...args),
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime', 'nothingUnwantedIsElected', 'tokensGrow', 'handoverInOrder'],
  },
  {
    name: 'the store obeys late commands to join and leave',
    backend: store({
      join: (facts, ...args) => join(withoutNumbers(facts), ...args),
      leave: (facts, ...args) => leave(withoutNumbers(facts), ...args),
    }),
    foundBy: '10-partitions',
    slice: { nodes: [2, 3], faults: ['weather', 'flicker', 'stop-task'] },
    noticedBy: ['stopIsComplete', 'calmClusterLeads', 'freeLeasesAreTaken', 'partitionsStay'],
  },
  {
    name: 'the store says yes to everybody',
    backend: store({
      campaign: (facts, session, lease, number) =>
        campaign({ ...facts, holds: facts.holds.filter((hold) => hold.lease !== lease) }, session, lease, number),
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime'],
  },
  {
    name: 'a token is used again after a lost answer',
    backend: store({
      campaign(facts, session, lease, number) {
        const held = facts.holds.find((hold) => hold.lease === lease && hold.session === session)
        return held && isLive(facts, session)
          ? [facts, { kind: 'granted', token: held.token }]
          : campaign(facts, session, lease, number)
      },
    }),
    foundBy: '02-tokens-only-grow',
    noticedBy: ['tokensGrow'],
  },
  {
    name: 'tokens begin anew when the store has lost its data',
    backend: store({
      campaign: (facts, ...args) => {
        const [after, answer] = campaign({ ...facts, wallMs: 0 }, ...args)
        return [{ ...after, wallMs: facts.wallMs }, answer]
      },
    }),
    foundBy: '02-tokens-only-grow',
    noticedBy: ['tokensGrow'],
  },
  {
    name: 'nothing is in quarantine after a restart',
    backend: store({
      open: (facts, ...args) => open(withoutRestarts(facts), ...args),
      renew: (facts, ...args) => renew(withoutRestarts(facts), ...args),
      campaign: (facts, ...args) => campaign(withoutRestarts(facts), ...args),
      join: (facts, ...args) => join(withoutRestarts(facts), ...args),
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime'],
  },
  {
    name: 'anybody can release a lease',
    backend: store({
      release(facts, session, lease, token, number) {
        const holder = facts.holds.find((hold) => hold.lease === lease)
        const freed = holder && {
          ...facts,
          holds: facts.holds.map((hold) => (hold === holder ? { lease, session, token } : hold)),
        }
        return release(freed ?? facts, session, lease, token, number)
      },
    }),
    foundBy: '05-handover-in-order',
    slice: {
      nodes: [2, 2],
      works: ['well-behaved'],
      faults: ['weather', 'step-down', 'stop-task'],
      duties: 'elections',
    },
    noticedBy: ['oneTermAtATime', 'handoverInOrder'],
  },
  {
    name: 'a release leaves the lease with its holder',
    backend: store({
      release(facts, session, lease, token, number) {
        const [, answer] = release(facts, session, lease, token, number)
        return [facts, answer]
      },
    }),
    foundBy: '05-handover-in-order',
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'a renewal revives a session that has run out',
    backend: store({
      renew(facts, session, request) {
        const known = sessionOf(facts, session)
        const revived = known && {
          ...facts,
          sessions: facts.sessions.map((fact) => (fact === known ? { ...fact, expiresAtMs: facts.nowMs + 1 } : fact)),
        }
        return renew(revived ?? facts, session, request)
      },
    }),
    foundBy: '01-one-term-at-a-time',
    // Nobody renews what has run out here, unless it was sent before and comes late.
    noticedBy: [],
  },
  {
    name: 'a renewal opens a session that the store does not know',
    backend: store({
      renew: (facts, session, request) =>
        renew(
          isLive(facts, session)
            ? facts
            : begin(facts, session, { node: '', leaseDurationMs: 10_000, renewIntervalMs: 3_000 }),
          session,
          request,
        ),
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['stopIsComplete', 'nothingUnwantedIsElected', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'a session ends while it is renewed',
    backend: store({
      renew(facts, session, request) {
        const short = facts.sessions.map((fact) =>
          fact.session === session ? { ...fact, leaseDurationMs: 5_000 } : fact,
        )
        return renew({ ...facts, sessions: short }, session, request)
      },
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime'],
  },
  {
    name: 'an offer that nobody takes is not passed on',
    backend: store({
      renew: (facts, ...args) =>
        renew(
          { ...facts, offers: facts.offers.map((offer) => ({ ...offer, endsAtMs: facts.nowMs + 10_000 })) },
          ...args,
        ),
    }),
    foundBy,
    slice: { nodes: [3, 4], faults: ['pause', 'step-down', 'flicker'], duties: 'elections' },
    noticedBy: ['freeLeasesAreTaken'],
  },
  {
    name: 'nobody is told of the leases of the dead',
    backend: store({
      renew(facts, session, request) {
        const dead = facts.sessions.filter((fact) => !isLive(facts, fact.session))
        const ended = dead.reduce((after, fact) => end(after, fact.session), facts)
        return renew(
          { ...ended, offers: facts.offers.filter((offer) => isLive(ended, offer.session)), pushes: [] },
          session,
          request,
        )
      },
    }),
    foundBy,
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'the store pushes nothing',
    backend: store({
      release(facts, ...args) {
        const [after, answer] = release(facts, ...args)
        return [forgetPushes(after), answer]
      },
      withdraw(facts, ...args) {
        const [after, answer] = withdraw(facts, ...args)
        return [forgetPushes(after), answer]
      },
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['freeLeasesAreTaken'],
  },
  {
    name: 'who leaves a group stays in the view of the others',
    backend: store({ leave: (facts) => [facts, { kind: 'left' }] }),
    foundBy: '10-partitions',
    noticedBy: ['calmClusterLeads', 'freeLeasesAreTaken', 'partitionsStay'],
  },
  {
    name: 'the version of a group stays when its members change',
    backend: store({
      join(facts, session, group, entry, number) {
        const [after, answer] = join(facts, session, group, entry, number)
        return [{ ...after, versions: facts.versions, pushes: [] }, answer]
      },
    }),
    foundBy: '10-partitions',
    noticedBy: ['calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'the closing of a session leaves its leases',
    backend: store({
      close: (facts, session) => ({
        ...close(facts, session),
        sessions: facts.sessions,
        holds: facts.holds,
        pushes: [],
      }),
    }),
    foundBy,
    slice: { nodes: [2, 3], works: ['well-behaved'], faults: ['cut', 'weather'], duties: 'elections' },
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads', 'tokensGrow'],
  },
]
