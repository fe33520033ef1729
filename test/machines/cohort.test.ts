import { describe, expect, test } from 'vitest'
import { type ChildSpec, cohortMachine, type Event } from '../../src/machines/cohort.ts'
import { granted, HELD, provided, RELEASED, WITHDRAWN } from './provided.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const REST_MS = 15_000
const STOP = { type: 'cohort.stop' } as const

const election = (id: string): ChildSpec => ({
  kind: 'election',
  id,
  input: { lease: id, work: id, ends: 'when-stopped', restMs: REST_MS },
})
const partition = (number: number): ChildSpec => ({
  kind: 'partition',
  id: `billing.${number}`,
  input: { lease: `billing.${number}`, partition: number, work: 'group/billing', restMs: REST_MS },
})
const observer = (id: string): ChildSpec => ({
  kind: 'observer',
  id,
  input: { observer: id, lease: 'ingest', everyMs: 5_000 },
})

function cohort(session: string | null = 's1') {
  const stage = new Stage()
  const slots = provided(stage)
  const actor = stage.start(slots.machines.cohort, { session })
  return {
    ...slots,
    actor,
    stage,
    begin: (...children: ChildSpec[]) => actor.send({ type: 'children.start', children }),
    stop: (...ids: string[]) => actor.send({ type: 'children.stop', ids }),
    unassign: (...ids: string[]) => actor.send({ type: 'children.unassign', ids }),
    /** Who has an actor, by lease or key. */
    children: () => {
      const { children, context } = actor.getSnapshot()
      const there = context.children.filter(({ place }) => Object.hasOwn(children, place))
      expect(Object.keys(children)).toHaveLength(there.length)
      return there.map(({ spec }) => spec.id).sort()
    },
    ended: () => stage.heard.filter(({ type }) => type === 'child.ended').map(({ id }) => id as string),
    isGone: () => actor.getSnapshot().status === 'done',
    campaigns: (lease: string) => slots.campaign.made.filter(({ input }) => input.lease === lease),
  }
}

describe('children', () => {
  test('are started with the session of that time, and each but once', () => {
    const { begin, campaign, actor } = cohort()
    begin(election('a'), election('b'))
    actor.send({ type: 'session.opened', session: 's2' })
    begin(election('b'), election('c'))
    expect(campaign.made.map(({ input }) => `${input.lease} ${input.session}`)).toEqual(['a s1', 'b s1', 'c s2'])
  })

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('may have the name %s', (name) => {
    const { begin, campaign, actor, stop, ended } = cohort()
    begin(election(name))
    campaign.answer(HELD)
    actor.send({ type: 'leases.freed', leases: [name] })
    expect(campaign.made).toHaveLength(2)
    stop(name)
    expect(ended()).toEqual([])
  })

  test('that are not there are neither stopped, unassigned nor offered anything, whatever their name', () => {
    const { stop, unassign, actor, stage } = cohort()
    stop('a', 'constructor')
    unassign('a', 'constructor')
    actor.send({ type: 'leases.freed', leases: ['a', 'constructor'] })
    expect(stage.news).toEqual([])
    expect(actor.getSnapshot().context.children).toEqual([])
  })

  test('an offer goes to the one whose lease it is', () => {
    const { begin, campaign, actor, campaigns } = cohort()
    begin(election('a'), election('b'))
    for (const { answer } of campaign.open) answer(HELD)
    actor.send({ type: 'leases.freed', leases: ['b', 'c'] })
    expect(campaigns('a')).toHaveLength(1)
    expect(campaigns('b')).toHaveLength(2)
  })

  test('all hear of the session and of a restart', () => {
    const { begin, campaign, actor, campaigns, readLeader } = cohort()
    begin(election('a'), election('b'), observer('observer/1'))
    for (const { answer } of campaign.open) answer(HELD)
    readLeader.answer(null)
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    expect(campaign.open).toHaveLength(2)
    actor.send({ type: 'session.lost', session: 's1', reason: 'expired' })
    expect(campaign.open).toEqual([])
    actor.send({ type: 'session.opened', session: 's2' })
    expect(campaigns('a').at(-1)?.input.session).toBe('s2')
    expect(readLeader.open).toHaveLength(1)
  })

  test('that end by themselves are forgotten, and told of', () => {
    const { begin, campaign, withdraw, stop, ended, children } = cohort()
    begin(election('a'), election('b'))
    campaign.of({ lease: 'a' }).answer(HELD)
    stop('a')
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual(['a'])
    expect(children()).toEqual(['b'])
    begin(election('a'))
    expect(children()).toEqual(['a', 'b'])
  })

  test('a partition that moved away is forgotten, and nobody need hear of it', () => {
    const { begin, campaign, withdraw, unassign, ended, children } = cohort()
    begin(partition(1))
    campaign.answer(HELD)
    unassign('billing.1')
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual([])
    expect(children()).toEqual([])
  })

  test('a partition that comes back while it hands over is assigned again, not started beside itself', () => {
    const { begin, campaign, runs, unassign, release } = cohort()
    begin(partition(1))
    campaign.answer(granted(7))
    unassign('billing.1')
    begin(partition(1))
    expect(campaign.made).toHaveLength(1)
    runs.last.settle()
    release.answer(RELEASED)
    expect(campaign.made).toHaveLength(2)
  })

  test('a partition that rests is passed on, and so is its end', () => {
    const { begin, campaign, runs, release, partitionRest, stage, children } = cohort()
    begin(partition(1))
    campaign.answer(granted(7))
    runs.last.settle({ fatal: true, outcome: 'FAILED' })
    release.answer(RELEASED)
    partitionRest.answer()
    expect(stage.heard).toEqual([
      { type: 'partition.resting', partition: 1 },
      { type: 'partition.rested', partition: 1 },
    ])
    expect(children()).toEqual([])
  })

  test('an observer that is stopped has ended at once', () => {
    const { begin, stop, ended } = cohort()
    begin(observer('observer/1'))
    stop('observer/1')
    expect(ended()).toEqual(['observer/1'])
  })
})

describe('the actors', () => {
  const lock = (id: string): ChildSpec => ({
    kind: 'election',
    id,
    input: { lease: id, work: id, ends: 'after-term', restMs: REST_MS },
  })
  const places = (actor: ReturnType<typeof cohort>['actor']) => Object.keys(actor.getSnapshot().children)

  test('of elections have their names; the others share places, however many names there are', () => {
    const { begin, campaign, withdraw, stop, actor } = cohort()
    begin(election('a'), lock('section'), partition(7), observer('observer/1'), lock('other'))
    expect(places(actor)).toEqual(['a', 'election/0', 'partition/1', 'observer/2', 'election/3'])
    campaign.of({ lease: 'section' }).answer(HELD)
    stop('section')
    withdraw.answer(WITHDRAWN)
    begin(lock('next'), lock('last'))
    expect(places(actor).sort()).toEqual(['a', 'election/0', 'election/1', 'election/3', 'observer/2', 'partition/1'])
  })
})

describe('the stop of the whole', () => {
  test('of nothing is over at once', () => {
    const { actor, isGone } = cohort()
    actor.send(STOP)
    expect(isGone()).toBe(true)
  })

  test('goes to all side by side, tells who has ended, and is over with the last one', () => {
    const { begin, campaign, withdraw, release, runs, actor, ended, isGone } = cohort()
    begin(election('a'), partition(1), observer('observer/1'))
    campaign.of({ lease: 'a' }).answer(granted(7))
    campaign.of({ lease: 'billing.1' }).answer(HELD)
    actor.send(STOP)
    expect(ended()).toEqual(['observer/1'])
    expect(runs.last.interrupts).toBe(1)
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual(['observer/1'])
    expect(isGone()).toBe(false)
    runs.last.settle()
    release.answer(RELEASED)
    expect(ended()).toEqual(['observer/1', 'a'])
    expect(isGone()).toBe(true)
  })

  test('waits for one that was already stopping, and starts nothing any more', () => {
    const { begin, campaign, withdraw, actor, stop, isGone, children } = cohort()
    begin(election('a'))
    campaign.answer(HELD)
    stop('a')
    actor.send(STOP)
    begin(election('b'))
    expect(children()).toEqual(['a'])
    withdraw.answer(WITHDRAWN)
    expect(isGone()).toBe(true)
  })

  test('goes on while the session is lost', () => {
    const { begin, campaign, actor, isGone } = cohort()
    begin(election('a'), election('b'))
    campaign.of({ lease: 'a' }).answer(HELD)
    actor.send(STOP)
    actor.send({ type: 'session.lost', session: 's1', reason: 'expired' })
    expect(isGone()).toBe(true)
  })
})

describe('a child that fails itself', () => {
  test('is reported and begun anew, when what it left running has run out; the others go on untouched', () => {
    const { begin, campaign, failing, pause, stage, campaigns, children } = cohort()
    begin(election('a'), election('b'))
    failing('election', () => campaign.of({ lease: 'a' }).answer(granted(7)))
    expect(stage.log).toContainEqual(expect.stringMatching(/^reportCrash a .*A machine has failed/))
    expect(children()).toEqual(['a', 'b'])
    expect(campaigns('a')).toHaveLength(1)
    expect(pause.last.input).toEqual({ forMs: REST_MS })
    pause.answer()
    expect(campaigns('a')).toHaveLength(2)
    expect(campaigns('b')).toHaveLength(1)
  })

  test('after it was stopped gives back what it may have held, and has ended then', () => {
    const { begin, campaign, failing, pause, withdraw, stop, ended } = cohort()
    begin(election('a'))
    stop('a')
    failing('election', () => campaign.answer(granted(7)))
    expect(ended()).toEqual([])
    pause.answer()
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual(['a'])
  })

  test('while everything stops is waited for like the others', () => {
    const { begin, campaign, failing, pause, withdraw, actor, isGone, ended } = cohort()
    begin(election('a'), election('b'))
    campaign.of({ lease: 'b' }).answer(HELD)
    actor.send(STOP)
    failing('election', () => campaign.of({ lease: 'a' }).answer(granted(7)))
    withdraw.answer(WITHDRAWN)
    expect(isGone()).toBe(false)
    pause.answer()
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual(['b', 'a'])
    expect(isGone()).toBe(true)
  })

  test.each(['moved away', 'back before', 'back after'] as const)(
    'a partition that was unassigned, and is %s, is what it was told last',
    (how) => {
      const { begin, campaign, withdraw, failing, pause, unassign, children } = cohort()
      begin(partition(1))
      campaign.answer(HELD)
      unassign('billing.1')
      if (how === 'back before') begin(partition(1))
      failing('partition', () => withdraw.answer(WITHDRAWN))
      if (how === 'back after') begin(partition(1))
      pause.answer()
      // One that was told to go gives back what the failed one may have held, before it goes or contends.
      if (how !== 'back before') withdraw.answer(WITHDRAWN)
      expect(children()).toEqual(how === 'moved away' ? [] : ['billing.1'])
      expect(campaign.open).toHaveLength(how === 'moved away' ? 0 : 1)
    },
  )

  test('an observer watches on', () => {
    const { begin, failing, readLeader, children } = cohort()
    begin(observer('observer/1'))
    failing('observer', () => readLeader.answer({ node: 'a', token: 1 }))
    expect(children()).toEqual(['observer/1'])
    expect(readLeader.open).toHaveLength(1)
  })
})

describe('every state and every event', () => {
  const events: Readonly<Record<Exclude<Event['type'], `xstate.${string}`>, true>> = {
    'session.opened': true,
    'session.lost': true,
    'store.restarted': true,
    'partition.resting': true,
    'partition.rested': true,
    'children.start': true,
    'children.stop': true,
    'children.unassign': true,
    'cohort.stop': true,
    'leases.freed': true,
  }

  test('no event is left without an answer, nor the end or the failure of a child', () => {
    const ends = ['xstate.done.actor.a', 'xstate.error.actor.a']
    expect(unanswered(cohortMachine, [...Object.keys(events), ...ends])).toEqual([])
    expect(unhandledFailures(cohortMachine)).toEqual([])
  })

  test('every state was reached here', () => {
    expect(unreached(cohortMachine)).toEqual([])
  })
})
