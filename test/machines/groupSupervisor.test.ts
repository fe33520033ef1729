import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyActorRef } from 'xstate'
import { type ChildSpec, COHORT_SIZE } from '../../src/machines/cohort.ts'
import type { SessionFact } from '../../src/machines/facts.ts'
import { type Event, type GroupSpec, groupSupervisorMachine, type View } from '../../src/machines/groupSupervisor.ts'
import { granted, HELD, provided, RELEASED, WITHDRAWN } from './provided.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const GROUP: GroupSpec = {
  name: 'billing',
  partitions: 4,
  work: 'group/billing',
  balance: 'hashed',
  restMs: 15_000,
  retryMs: 5_000,
}
const STOP = { type: 'supervisor.stop' } as const
const LOST: SessionFact = { type: 'session.lost', session: 's1', reason: 'expired' }
const JOINED = { kind: 'joined' } as const
const LEFT = { kind: 'left' } as const
const view = (version: number, mine: readonly number[], isMember = true): View => ({
  version,
  members: ['a', 'b'],
  isMember,
  mine,
})
const changed = (version?: number) =>
  ({ type: 'group.changed', group: 'billing', ...(version !== undefined && { version }) }) as const

function supervise(group: GroupSpec | null, session: string | null) {
  const stage = new Stage()
  const slots = provided(stage)
  const actor = stage.start(slots.machines.groupSupervisor, { group, session })
  return {
    ...slots,
    actor,
    stage,
    mine: () => actor.getSnapshot().context.mine,
    is: (value: Parameters<ReturnType<typeof actor.getSnapshot>['matches']>[0]) => actor.getSnapshot().matches(value),
    isGone: () => actor.getSnapshot().status === 'done',
    /** Lines of the log with this effect. */
    logged: (effect: string) => stage.log.filter((line) => line.startsWith(`${effect} `)),
    lease: (partition: number) => slots.campaign.of({ lease: `billing.${partition}` }),
  }
}

function group(session: string | null = 's1') {
  return supervise(GROUP, session)
}

/** A member that has seen its first view. */
function member(mine: readonly number[] = [0, 1]) {
  const made = group()
  made.join.answer(JOINED)
  made.view.answer(view(1, mine))
  return made
}

/** A member that leads all its partitions. */
function leader(mine: readonly number[] = [0, 1]) {
  const made = member(mine)
  mine.forEach((partition, index) => {
    made.lease(partition).answer(granted(index + 1))
  })
  made.stage.take()
  return made
}

describe('becoming a member', () => {
  test('joins, looks who the members are, and starts what the view gives to it', () => {
    const { join, view: views, campaign, stage, mine } = group()
    expect(join.last.input).toEqual({ session: 's1', group: 'billing', partitions: 4, resting: [] })
    expect(views.made).toEqual([])
    join.answer(JOINED)
    expect(views.last.input).toEqual({ session: 's1', group: 'billing', partitions: 4, balance: 'hashed' })
    views.answer(view(1, [1, 3]))
    expect(campaign.made.map(({ input }) => input.lease)).toEqual(['billing.1', 'billing.3'])
    expect(mine()).toEqual([1, 3])
    expect(stage.log).toContain('reportAssignment billing [] [1,3]')
  })

  test('waits for a session', () => {
    const { join, actor, is } = group(null)
    expect(is({ membership: 'outside' })).toBe(true)
    actor.send({ type: 'session.opened', session: 's2' })
    expect(join.last.input.session).toBe('s2')
  })

  test.each([
    ['no answer', undefined],
    ['an answer to an earlier copy', { kind: 'stale' }],
    ['a session that is not known', { kind: 'unknown' }],
  ] as const)('is tried again after %s, later and later', (_, answer) => {
    const { join, groupBackoff, view: views } = group()
    for (const attempt of [1, 2]) {
      if (answer) join.answer(answer)
      else join.fail()
      expect(groupBackoff.last.input).toEqual({ attempt })
      groupBackoff.answer()
    }
    join.answer(JOINED)
    expect(views.open).toHaveLength(1)
  })

  test('is tried again where the view does not have it', () => {
    const { join, view: views, groupBackoff, campaign } = group()
    join.answer(JOINED)
    views.answer(view(1, [], false))
    groupBackoff.answer()
    expect(join.open).toHaveLength(1)
    expect(campaign.made).toEqual([])
  })

  test('waits for members with another number of partitions to go, names both numbers, and tries again each interval', () => {
    const { join, groupPause, stage, is } = group()
    join.answer({ kind: 'mismatch', partitions: 16 })
    expect(is({ membership: { inside: 'mismatched' } })).toBe(true)
    expect(stage.log).toContain('reportMismatch billing 4 16')
    expect(groupPause.last.input).toEqual({ forMs: 5_000 })
    groupPause.answer()
    expect(join.open).toHaveLength(1)
  })

  test('a member that finds itself mismatched gives up what it runs', () => {
    const { actor, join, runs, mine } = leader()
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    join.answer({ kind: 'mismatch', partitions: 16 })
    expect(mine()).toEqual([])
    expect(runs.made.map(({ interrupts }) => interrupts)).toEqual([1, 1])
  })
})

describe('following the view', () => {
  test('a partition that stays runs on untouched; one that goes is handed over; one that comes campaigns', () => {
    const { actor, view: views, runs, campaign, logged, mine } = leader([0, 1])
    actor.send(changed(2))
    views.answer(view(2, [1, 2]))
    expect(runs.made.map(({ interrupts }) => interrupts)).toEqual([1, 0])
    expect(campaign.open.map(({ input }) => input.lease)).toEqual(['billing.2'])
    expect(mine()).toEqual([1, 2])
    expect(logged('reportAssignment')).toEqual(['reportAssignment billing [0,1] [1,2]'])
  })

  test('a version that was seen is no news, and one without a number always is', () => {
    const { actor, view: views } = member()
    actor.send(changed(1))
    expect(views.open).toEqual([])
    actor.send(changed())
    expect(views.open).toHaveLength(1)
  })

  test('a change while it looks leads to one more look, and not beside the first', () => {
    const { actor, view: views } = member()
    actor.send(changed(2))
    actor.send(changed(3))
    actor.send(changed(4))
    expect(views.open).toHaveLength(1)
    views.answer(view(2, [0, 1]))
    expect(views.open).toHaveLength(1)
    views.answer(view(4, [0, 1]))
    expect(views.open).toEqual([])
  })

  test('members that cannot be seen change nothing, and are looked for again', () => {
    const { actor, view: views, groupBackoff, runs, is, mine } = leader()
    actor.send(changed(2))
    views.fail()
    expect(is({ membership: { inside: 'unseeing' } })).toBe(true)
    expect(mine()).toEqual([0, 1])
    expect(runs.made.map(({ interrupts }) => interrupts)).toEqual([0, 0])
    groupBackoff.answer()
    views.answer(view(2, [0]))
    expect(mine()).toEqual([0])
  })

  test('a member that the view has lost joins again, also after a change while it looked', () => {
    const { actor, view: views, join, groupBackoff } = member()
    actor.send(changed(2))
    actor.send(changed(3))
    views.answer(view(2, [], false))
    groupBackoff.answer()
    expect(join.open).toHaveLength(1)
  })

  test('a partition that comes back during its handover campaigns after it', () => {
    const { actor, view: views, runs, release, campaign } = leader([0])
    actor.send(changed(2))
    views.answer(view(2, []))
    actor.send(changed(3))
    views.answer(view(3, [0]))
    expect(campaign.open).toEqual([])
    runs.last.settle()
    release.answer(RELEASED)
    expect(campaign.open).toHaveLength(1)
  })

  test('offers and restarts reach the partitions', () => {
    const { actor, campaign, lease } = member([0, 1])
    lease(0).answer(HELD)
    lease(1).answer(HELD)
    actor.send({ type: 'leases.freed', leases: ['billing.1'] })
    expect(campaign.open.map(({ input }) => input.lease)).toEqual(['billing.1'])
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    expect(campaign.open).toHaveLength(2)
  })

  test('an offer is news to the cohort of its partition alone, however many there are', () => {
    const { actor, join, view: views, campaign } = supervise({ ...GROUP, partitions: 4 * COHORT_SIZE }, 's1')
    join.answer(JOINED)
    views.answer(view(1, [0, 1, 3 * COHORT_SIZE]))
    const heard: string[] = []
    const { children } = actor.getSnapshot()
    for (const id of ['cohort.0', 'cohort.3'] as const) children[id]!.subscribe(() => heard.push(id))
    actor.send({ type: 'leases.freed', leases: ['billing.1', 'billing.0', `billing.${COHORT_SIZE}`, 'other.1'] })
    expect(heard).toEqual(['cohort.0'])
    expect(campaign.open).toHaveLength(3)
  })
})

describe('a restart of the store', () => {
  test.each(['member', 'viewing', 'unseeing'] as const)('makes a member join again, while %s', (where) => {
    const { actor, join, view: views, is } = member()
    if (where !== 'member') actor.send(changed(2))
    if (where === 'unseeing') views.fail()
    expect(is({ membership: { inside: where } })).toBe(true)
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    expect(join.open).toHaveLength(1)
    expect(views.open).toEqual([])
  })

  test('while it joins makes it join once more', () => {
    const { actor, join, view: views } = group()
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    join.answer(JOINED)
    expect(join.open).toHaveLength(1)
    expect(views.made).toEqual([])
  })
})

describe('a rest', () => {
  function resting() {
    const made = leader([0, 1])
    made.runs.made[0]!.settle({ fatal: true, outcome: 'FAILED' })
    made.release.answer(RELEASED)
    return made
  }

  test('is announced to the other members, and told like any other loss', () => {
    const { join, mine, logged } = resting()
    expect(join.last.input.resting).toEqual([0])
    expect(mine()).toEqual([1])
    expect(logged('reportAssignment')).toEqual(['reportAssignment billing [0,1] [1]'])
  })

  test('keeps the partition away, whatever a view says meanwhile', () => {
    const { join, view: views, mine, campaign } = resting()
    join.answer(JOINED)
    views.answer(view(2, [0, 1]))
    expect(mine()).toEqual([1])
    expect(campaign.open).toEqual([])
  })

  test('ends with the announcement that it is over, and the partition may come back', () => {
    const { join, view: views, partitionRest, mine, logged, campaign } = resting()
    join.answer(JOINED)
    views.answer(view(2, [1]))
    partitionRest.answer()
    expect(join.last.input.resting).toEqual([])
    join.answer(JOINED)
    views.answer(view(3, [0, 1]))
    expect(mine()).toEqual([0, 1])
    expect(logged('reportAssignment').at(-1)).toBe('reportAssignment billing [1] [0,1]')
    expect(campaign.open.map(({ input }) => input.lease)).toEqual(['billing.0'])
  })

  test.each(['joining', 'outdated', 'viewing', 'unseeing', 'retrying'] as const)(
    'that ends while %s is announced after all',
    (where) => {
      const { actor, join, view: views, partitionRest, groupBackoff, is } = resting()
      if (where === 'outdated') actor.send({ type: 'store.restarted', session: 's1', holds: {} })
      if (where === 'viewing' || where === 'unseeing') join.answer(JOINED)
      if (where === 'unseeing') views.fail()
      if (where === 'retrying') join.fail()
      partitionRest.answer()
      if (where === 'joining' || where === 'outdated') join.answer(JOINED)
      if (where === 'retrying') groupBackoff.answer()
      expect(join.open).toHaveLength(1)
      expect(join.last.input.resting).toEqual([])
      expect(is({ membership: { inside: { joining: 'current' } } })).toBe(true)
    },
  )

  test('is known to the next session, too', () => {
    const { actor, join } = resting()
    actor.send(LOST)
    actor.send({ type: 'session.opened', session: 's2' })
    expect(join.last.input).toMatchObject({ session: 's2', resting: [0] })
  })
})

describe('losing the session', () => {
  test.each(['joining', 'retrying', 'mismatched', 'viewing', 'unseeing', 'member'] as const)(
    'while %s: all partitions are given up, and the next session joins',
    (where) => {
      const { actor, join, view: views, mine, is, campaign } = member()
      if (where === 'viewing' || where === 'unseeing') actor.send(changed(2))
      if (where === 'unseeing') views.fail()
      if (where === 'joining' || where === 'retrying' || where === 'mismatched')
        actor.send({ type: 'store.restarted', session: 's1', holds: {} })
      if (where === 'retrying') join.fail()
      if (where === 'mismatched') join.answer({ kind: 'mismatch', partitions: 16 })
      expect(is({ membership: { inside: where } })).toBe(true)
      actor.send(LOST)
      expect(is({ membership: 'outside' })).toBe(true)
      expect(mine()).toEqual([])
      expect(campaign.open).toEqual([])
      actor.send({ type: 'session.opened', session: 's2' })
      expect(join.last.input.session).toBe('s2')
    },
  )

  test('cuts the terms: that their partitions are moved away, too, is not why they end', () => {
    const { actor, logged } = leader([0])
    actor.send(LOST)
    expect(logged('cutTerm')).toEqual(['cutTerm billing.0 1 0 expired'])
    expect(logged('revokeTerm')).toEqual([])
    expect(logged('reportAssignment')).toEqual(['reportAssignment billing [0] []'])
  })
})

describe('a stop', () => {
  test('leaves the group first, then hands over, and is gone with the last partition', () => {
    const { actor, leave, runs, release, isGone, mine, logged } = leader([0, 1])
    actor.send(STOP)
    expect(leave.last.input).toEqual({ session: 's1', group: 'billing', attempt: 0 })
    expect(runs.made.map(({ interrupts }) => interrupts)).toEqual([0, 0])
    leave.answer(LEFT)
    expect(runs.made.map(({ interrupts }) => interrupts)).toEqual([1, 1])
    expect(mine()).toEqual([])
    expect(logged('reportAssignment')).toEqual(['reportAssignment billing [0,1] []'])
    for (const run of runs.made) run.settle()
    for (const { answer } of release.open) answer(RELEASED)
    expect(isGone()).toBe(true)
  })

  test('hands over what an earlier view has moved away and is still leaving', () => {
    const { actor, view: views, leave, runs, release, isGone } = leader([0])
    actor.send(changed(2))
    views.answer(view(2, []))
    actor.send(STOP)
    leave.answer(LEFT)
    expect(isGone()).toBe(false)
    runs.last.settle()
    release.answer(RELEASED)
    expect(isGone()).toBe(true)
  })

  test('that cannot leave hands over after the first attempt, and goes on leaving', () => {
    const { actor, leave, runs, release, isGone } = leader([0])
    actor.send(STOP)
    leave.fail()
    expect(runs.last.interrupts).toBe(1)
    expect(leave.last.input.attempt).toBe(1)
    leave.answer({ kind: 'stale' })
    expect(leave.last.input.attempt).toBe(2)
    runs.last.settle()
    release.answer(RELEASED)
    expect(isGone()).toBe(false)
    leave.answer(LEFT)
    expect(isGone()).toBe(true)
  })

  test('whose session is lost has left', () => {
    const { actor, leave, runs, release, isGone } = leader([0])
    actor.send(STOP)
    leave.fail()
    actor.send(LOST)
    runs.last.settle()
    release.answer({ kind: 'unknown' })
    expect(isGone()).toBe(true)
  })

  test.each(['joined', 'no answer'] as const)('while it joins (%s) awaits the answer, and undoes it', (how) => {
    const { actor, join, leave, isGone } = group()
    actor.send(STOP)
    expect(leave.made).toEqual([])
    if (how === 'joined') join.answer(JOINED)
    else join.fail()
    leave.answer(LEFT)
    expect(isGone()).toBe(true)
  })

  test('while it joins for the second time leaves like any other', () => {
    const { actor, join, leave, isGone } = group()
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    actor.send(STOP)
    join.answer(JOINED)
    leave.answer(LEFT)
    expect(isGone()).toBe(true)
  })

  test('while it joins with a session that is lost then has nothing to undo', () => {
    const { actor, isGone } = group()
    actor.send(STOP)
    actor.send(LOST)
    expect(isGone()).toBe(true)
  })

  test('without a session is over at once', () => {
    const { actor, isGone } = group(null)
    actor.send(STOP)
    expect(isGone()).toBe(true)
  })

  test.each(['retrying', 'mismatched', 'viewing', 'unseeing'] as const)(
    'while %s leaves at once, since an earlier attempt may have joined',
    (where) => {
      const { actor, join, view: views, leave, isGone, is } = group()
      if (where === 'retrying') join.fail()
      else if (where === 'mismatched') join.answer({ kind: 'mismatch', partitions: 16 })
      else join.answer(JOINED)
      if (where === 'unseeing') views.fail()
      expect(is({ membership: { inside: where } })).toBe(true)
      actor.send(STOP)
      expect(leave.last.input.attempt).toBe(0)
      leave.answer(LEFT)
      expect(isGone()).toBe(true)
    },
  )

  test('ends the rests of its partitions', () => {
    const { actor, runs, release, join, leave, isGone } = leader([0])
    runs.last.settle({ fatal: true, outcome: 'FAILED' })
    release.answer(RELEASED)
    join.answer(JOINED)
    actor.send(STOP)
    leave.answer(LEFT)
    expect(isGone()).toBe(true)
  })

  test('twice is as good as once', () => {
    const { actor, leave, isGone } = member([])
    actor.send(STOP)
    actor.send(STOP)
    actor.send(changed(5))
    leave.answer(LEFT)
    expect(leave.made).toHaveLength(1)
    expect(isGone()).toBe(true)
  })
})

describe('the supervisor of plain elections', () => {
  const child = (id: string): ChildSpec => ({
    kind: 'election',
    id,
    input: { lease: id, work: id, ends: 'when-stopped', restMs: 15_000 },
  })

  test('is a member of nothing, and starts its children in the cohorts it is told', () => {
    const { actor, join, campaign } = supervise(null, 's1')
    actor.send({ type: 'children.start', cohort: 0, children: [child('a')] })
    actor.send({ type: 'children.start', cohort: 3, children: [child('b')] })
    actor.send({ type: 'children.start', cohort: 0, children: [child('c')] })
    expect(join.made).toEqual([])
    expect(campaign.made.map(({ input }) => input.lease)).toEqual(['a', 'b', 'c'])
    expect(Object.keys(actor.getSnapshot().children)).toEqual(['cohort.0', 'cohort.3'])
  })

  test('stops one of them, and tells of its end', () => {
    const { actor, campaign, withdraw, stage } = supervise(null, 's1')
    actor.send({ type: 'children.start', cohort: 0, children: [child('a')] })
    actor.send({ type: 'children.stop', cohort: 7, ids: ['a'] })
    campaign.answer(HELD)
    actor.send({ type: 'children.stop', cohort: 0, ids: ['a'] })
    withdraw.answer(WITHDRAWN)
    expect(stage.heard).toEqual([{ type: 'child.ended', id: 'a' }])
  })

  test('stops all of them, and starts none after that', () => {
    const { actor, campaign, withdraw, isGone } = supervise(null, 's1')
    actor.send({ type: 'children.start', cohort: 0, children: [child('a')] })
    actor.send({ type: 'children.start', cohort: 1, children: [child('b')] })
    for (const { answer } of campaign.open) answer(HELD)
    actor.send(STOP)
    actor.send({ type: 'children.start', cohort: 0, children: [child('c')] })
    expect(campaign.made).toHaveLength(2)
    for (const { answer } of withdraw.open) answer(WITHDRAWN)
    expect(isGone()).toBe(true)
  })

  test('fails with a cohort that fails: the client decides what follows', () => {
    const { actor, failing, campaign, stage } = supervise(null, 's1')
    actor.send({ type: 'children.start', cohort: 0, children: [child('a')] })
    failing('election', () => failing('cohort', () => campaign.answer(granted(1))))
    expect(actor.getSnapshot().status).toBe('error')
    expect(stage.news.at(-1)).toBe('xstate.error.actor.groupSupervisor')
  })

  test('without children is gone at once', () => {
    const { actor, isGone } = supervise(null, null)
    actor.send(STOP)
    expect(isGone()).toBe(true)
  })
})

test('many partitions are spread over cohorts of neighbours, and each is started once', () => {
  const partitions = 3 * COHORT_SIZE + 1
  const made = supervise({ ...GROUP, partitions }, 's1')
  made.join.answer(JOINED)
  made.view.answer(
    view(
      1,
      Array.from({ length: partitions }, (_, partition) => partition),
    ),
  )
  expect(Object.keys(made.actor.getSnapshot().children).filter((id) => id.startsWith('cohort'))).toHaveLength(4)
  expect(new Set(made.campaign.made.map(({ input }) => input.lease)).size).toBe(partitions)
  expect(made.campaign.made).toHaveLength(partitions)
})

describe('cohorts are told one after the other, each in its turn', () => {
  const partitions = 3 * COHORT_SIZE
  const all = Array.from({ length: partitions }, (_, partition) => partition)
  const cohortsOf = (made: ReturnType<typeof large>) =>
    new Set(made.campaign.made.map(({ input }) => Math.floor(Number(input.lease.split('.')[1]) / COHORT_SIZE)))

  function large() {
    const made = supervise({ ...GROUP, partitions }, 's1')
    made.turns.areHeld = true
    made.join.answer(JOINED)
    made.view.answer(view(1, all))
    return made
  }

  test('to start, but for what a newer view has taken away by then', () => {
    const made = large()
    made.actor.send(changed(2))
    made.view.answer(view(2, [0, partitions - 1]))
    for (let turn = 0; turn < 4; turn++) made.turns.pass()
    const campaigned = made.campaign.made.map(({ input }) => input.lease)
    expect(campaigned).toHaveLength(COHORT_SIZE + 1)
    expect(campaigned.at(-1)).toBe(`billing.${partitions - 1}`)
    // What had been started is handed over.
    made.lease(1).answer(granted(1))
    expect(made.release.made.map(({ input }) => input.lease)).toEqual(['billing.1'])
  })

  test('to start', () => {
    const made = large()
    expect([...cohortsOf(made)]).toEqual([0])
    made.turns.pass()
    expect([...cohortsOf(made)]).toEqual([0, 1])
    made.turns.pass()
    made.turns.pass()
    expect([...cohortsOf(made)]).toEqual([0, 1, 2])
    expect(made.campaign.made).toHaveLength(partitions)
  })

  test('and what has been lost since then is given up again', () => {
    const made = large()
    made.actor.send(changed(2))
    made.view.answer(view(2, []))
    for (let turn = 0; turn < 10; turn++) made.turns.pass()
    for (const { answer } of made.campaign.open) answer(HELD)
    for (const { answer } of made.withdraw.open) answer(WITHDRAWN)
    expect(assigned(made.actor)).toEqual([])
    expect(made.campaign.open).toEqual([])
  })

  test.each([0, 10])(
    'to stop, and those that have not started yet never do, however long the store takes (%i turns)',
    (turns) => {
      const made = large()
      made.actor.send(STOP)
      for (let turn = 0; turn < turns; turn++) made.turns.pass()
      made.leave.answer(LEFT)
      for (let turn = 0; turn < 10; turn++) made.turns.pass()
      expect([...cohortsOf(made)]).toEqual([0])
      for (const { answer } of made.campaign.open) answer(HELD)
      for (const { answer } of made.withdraw.open) answer(WITHDRAWN)
      made.turns.pass()
      expect(made.isGone()).toBe(true)
    },
  )
})

describe('every state and every event', () => {
  const events: Readonly<Record<Exclude<Event['type'], `xstate.${string}`>, true>> = {
    'session.opened': true,
    'session.lost': true,
    'store.restarted': true,
    'children.start': true,
    'children.stop': true,
    'supervisor.stop': true,
    'leases.freed': true,
    'group.changed': true,
    'child.ended': true,
    'partition.resting': true,
    'partition.rested': true,
    'membership.given-up': true,
    'timer.due': true,
  }

  test('no event is left without an answer', () => {
    expect(unanswered(groupSupervisorMachine, Object.keys(events))).toEqual([])
  })

  test('no failure of what it invokes is left without an answer', () => {
    expect(unhandledFailures(groupSupervisorMachine)).toEqual([])
  })

  test('whatever happens in whatever order: what it should run is what runs here, and a stop comes to an end', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(29), { maxLength: 50 }), (steps) => {
        const made = group()
        const {
          actor,
          join,
          leave,
          view: views,
          groupBackoff,
          groupPause,
          partitionRest,
          campaign,
          withdraw,
          release,
          runs,
          stage,
        } = made
        let session: string | null = 's1'
        let sessions = 1
        let version = 0
        let token = 0
        const settle = (step: number) => {
          if (step < 3) join.open[0]?.answer(step === 2 ? { kind: 'mismatch', partitions: 16 } : JOINED)
          else if (step < 4) join.open[0]?.fail()
          else if (step < 10)
            views.open[0]?.answer(
              view(
                ++version,
                [0, 1, 2, 3].filter((p) => (step + version) & (1 << (p % 3))),
                step > 4,
              ),
            )
          else if (step < 11) views.open[0]?.fail()
          else if (step < 14) for (const { open } of [groupBackoff]) open[0]?.answer()
          else if (step < 15) for (const { open } of [groupPause, partitionRest]) open[0]?.answer()
          else if (step < 18) campaign.open.at(-1)?.answer(step === 17 ? HELD : granted(++token))
          else if (step < 20) withdraw.open[0]?.answer(WITHDRAWN)
          else if (step < 22) release.open[0]?.answer(RELEASED)
          else if (step < 24)
            runs.made.find(({ state }) => state === 'running')?.settle({ fatal: step === 23, outcome: 'FAILED' })
          else if (step < 26) actor.send(changed(step === 24 ? undefined : version + 1))
          else if (step < 27 && session) actor.send({ type: 'store.restarted', session, holds: {} })
          else {
            if (session) actor.send({ ...LOST, session })
            else actor.send({ type: 'session.opened', session: `s${++sessions}` })
            session = session ? null : `s${sessions}`
          }
        }
        for (const step of steps) {
          settle(step)
          const { context, status } = actor.getSnapshot()
          expect(status).toBe('active')
          expect(join.open.length + leave.open.length + views.open.length).toBeLessThanOrEqual(1)
          expect(context.mine.filter((partition) => context.resting.includes(partition))).toEqual([])
          expect([...assigned(actor)].sort()).toEqual([...context.mine].sort())
        }
        actor.send(STOP)
        for (let round = 0; round < 12 && actor.getSnapshot().status === 'active'; round++) {
          join.open[0]?.answer(JOINED)
          leave.open[0]?.answer(LEFT)
          for (const run of runs.made) run.settle()
          for (const { answer } of campaign.open) answer(HELD)
          for (const { answer } of withdraw.open) answer(WITHDRAWN)
          for (const { answer } of release.open) answer(RELEASED)
        }
        expect(actor.getSnapshot().status).toBe('done')
        stage.check()
      }),
      { numRuns: 100 },
    )
  })

  test('every state was reached here', () => {
    expect(unreached(groupSupervisorMachine)).toEqual([])
  })
})

/** The partitions whose actors are contending, or will be when they have come back. */
function assigned(actor: ReturnType<typeof group>['actor']): readonly number[] {
  return childrenOf(actor)
    .flatMap(childrenOf)
    .filter((child) => child.getSnapshot().status === 'active')
    .filter((child) => ['contending', 'returning'].includes(child.getSnapshot().value.alive))
    .map((child) => child.getSnapshot().context.partition)
}

function childrenOf(actor: AnyActorRef): readonly AnyActorRef[] {
  return Object.values<AnyActorRef | undefined>(actor.getSnapshot().children).flatMap((child) =>
    child?.getSnapshot().children ? [child] : [],
  )
}
