import { describe, expect, test } from 'vitest'
import { type Event, partitionMachine } from '../../src/machines/partition.ts'
import { granted, HELD, provided } from './provided.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const UNASSIGN = { type: 'partition.unassign' } as const
const ASSIGN = { type: 'partition.assign' } as const
const STOP = { type: 'partition.stop' } as const
const LOST = { type: 'session.lost', session: 's1', reason: 'expired' } as const

function contend(session: string | null = 's1') {
  const stage = new Stage()
  const slots = provided(stage)
  const actor = stage.start(slots.machines.partition, {
    lease: 'billing.3',
    partition: 3,
    work: 'group/billing',
    session,
    restMs: 15_000,
  })
  return {
    ...slots,
    actor,
    stage,
    /** What the group was told. */
    get told() {
      return stage.news.filter((type) => type.startsWith('partition.'))
    },
    get isGone() {
      return actor.getSnapshot().status === 'done'
    },
    is: (value: Parameters<ReturnType<typeof actor.getSnapshot>['matches']>[0]) => actor.getSnapshot().matches(value),
    /** Once more the campaign is answered, and the election fails over it. */
    failElection() {
      slots.failing('election', () => slots.campaign.answer(granted(99)))
    },
  }
}

function lead() {
  const partition = contend()
  partition.campaign.answer(granted(7))
  return partition
}

describe('a partition that the view gives to this member', () => {
  test('contends for its lease, and its work knows which partition it is', () => {
    const { campaign, runs } = lead()
    expect(campaign.last.input).toEqual({ session: 's1', lease: 'billing.3' })
    expect(runs.last.input).toMatchObject({ lease: 'billing.3', partition: 3, token: 7, work: 'group/billing' })
  })

  test('that is assigned once more goes on untouched', () => {
    const { actor, runs, campaign } = lead()
    actor.send(ASSIGN)
    expect(runs.last).toMatchObject({ state: 'running', interrupts: 0 })
    expect(campaign.made).toHaveLength(1)
  })

  test('hears of offers, restarts and sessions', () => {
    const { actor, campaign, runs, release } = contend()
    campaign.answer(HELD)
    actor.send({ type: 'lease.freed', lease: 'billing.3' })
    campaign.answer(granted(7))
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    expect(runs.last.interrupts).toBe(1)
    runs.last.settle()
    release.answer({ kind: 'not-held' })
    actor.send(LOST)
    actor.send({ type: 'session.opened', session: 's2' })
    expect(campaign.last.input.session).toBe('s2')
  })

  test('is gone when it has moved away and is handed over', () => {
    const partition = lead()
    partition.actor.send(UNASSIGN)
    expect(partition.stage.log).toContain('revokeTerm billing.3 7 3 moved')
    partition.runs.last.settle()
    expect(partition.isGone).toBe(false)
    partition.release.answer({ kind: 'released' })
    expect(partition.isGone).toBe(true)
    expect(partition.told).toEqual([])
  })

  test('moves away in the middle of a campaign: the grant that comes is given back', () => {
    const partition = contend()
    partition.actor.send(UNASSIGN)
    partition.campaign.answer(granted(7))
    partition.release.answer({ kind: 'released' })
    expect(partition.isGone).toBe(true)
    expect(partition.runs.made).toEqual([])
  })
})

describe('a partition that comes back', () => {
  test('while it is handed over: the handover ends first, then it campaigns anew', () => {
    const { actor, runs, release, campaign, is } = lead()
    actor.send(UNASSIGN)
    actor.send(ASSIGN)
    expect(runs.last.state).toBe('running')
    expect(campaign.made).toHaveLength(1)
    runs.last.settle()
    release.answer({ kind: 'released' })
    expect(is({ alive: 'contending' })).toBe(true)
    campaign.answer(granted(8))
    expect(runs.last.input.token).toBe(8)
  })

  test('and moves away again in the same handover is gone after it', () => {
    const partition = lead()
    for (const event of [UNASSIGN, ASSIGN, UNASSIGN]) partition.actor.send(event)
    partition.runs.last.settle()
    partition.release.answer({ kind: 'released' })
    expect(partition.isGone).toBe(true)
    expect(partition.runs.last.interrupts).toBe(1)
  })

  test('campaigns anew with the session of that time', () => {
    const { actor, runs, release, campaign } = lead()
    actor.send(UNASSIGN)
    actor.send(LOST)
    actor.send({ type: 'session.opened', session: 's2' })
    actor.send(ASSIGN)
    runs.last.settle()
    release.answer({ kind: 'not-held' })
    expect(campaign.last.input.session).toBe('s2')
  })
})

describe('a stop of the group', () => {
  test.each(['contending', 'leaving', 'returning'] as const)('while %s: hands over, and is gone', (where) => {
    const partition = lead()
    if (where !== 'contending') partition.actor.send(UNASSIGN)
    if (where === 'returning') partition.actor.send(ASSIGN)
    expect(partition.is({ alive: where })).toBe(true)
    partition.actor.send(STOP)
    partition.actor.send(ASSIGN)
    partition.actor.send(STOP)
    partition.runs.last.settle()
    partition.release.answer({ kind: 'released' })
    expect(partition.isGone).toBe(true)
  })

  test('without a session: at once', () => {
    const partition = contend(null)
    partition.actor.send(STOP)
    expect(partition.isGone).toBe(true)
  })

  test('is not followed by a rest, even where the election had stepped down before it heard of the stop', () => {
    const partition = lead()
    partition.actor.send(STOP)
    const steppedDown = { type: 'xstate.done.actor.election', actorId: 'election', output: { end: 'stepped-down' } }
    partition.actor.send(steppedDown as unknown as Event)
    expect(partition.isGone).toBe(true)
    expect(partition.told).toEqual([])
  })
})

describe('stepping down', () => {
  test.each([
    ['is asked', (partition: ReturnType<typeof lead>) => partition.actor.send({ type: 'STEP_DOWN' })],
    ['follows from fatal work', () => {}],
  ] as const)('when it %s: the lease is released, and the group hears of the rest and of its end', (why, ask) => {
    const partition = lead()
    ask(partition)
    partition.runs.last.settle({ outcome: 'FAILED', fatal: why !== 'is asked' })
    expect(partition.told).toEqual([])
    partition.release.answer({ kind: 'released' })
    expect(partition.stage.heard).toEqual([{ type: 'partition.resting', partition: 3 }])
    expect(partition.stage.log).toContain('reportRest billing.3 15000')
    expect(partition.partitionRest.last.input).toEqual({ forMs: 15_000 })
    partition.partitionRest.answer()
    expect(partition.told).toEqual(['partition.resting', 'partition.rested'])
    expect(partition.isGone).toBe(true)
  })

  test.each([null, 's1'])('is announced by one that has led nothing, too (session %s)', (session) => {
    const partition = contend(session)
    partition.actor.send({ type: 'STEP_DOWN' })
    if (session) partition.actor.send(LOST)
    expect(partition.told).toEqual(['partition.resting'])
  })

  test('a stop ends the rest', () => {
    const partition = contend(null)
    partition.actor.send({ type: 'STEP_DOWN' })
    for (const event of [
      ASSIGN,
      UNASSIGN,
      LOST,
      { type: 'STEP_DOWN' } as const,
      { type: 'lease.freed', lease: 'billing.3' } as const,
    ])
      partition.actor.send(event)
    expect(partition.is('resting')).toBe(true)
    partition.actor.send(STOP)
    expect(partition.told).toEqual(['partition.resting', 'partition.rested'])
    expect(partition.isGone).toBe(true)
  })
})

describe('an election that fails itself', () => {
  test('is begun anew when what it left running has run out', () => {
    const { failElection, stage, pause, campaign, told } = contend()
    failElection()
    expect(stage.log).toContainEqual(expect.stringMatching(/^reportCrash billing\.3 .*A machine has failed/))
    expect(campaign.open).toEqual([])
    expect(pause.last.input).toEqual({ forMs: 15_000 })
    pause.answer()
    campaign.answer(granted(100))
    expect(told).toEqual([])
  })

  test.each([
    ['leaving', [UNASSIGN]],
    ['stopping', [STOP]],
    ['stopping', [UNASSIGN, STOP]],
  ] as const)('while %s: gives back what it may have HELD, and is gone', (where, events) => {
    const partition = contend()
    for (const event of events) partition.actor.send(event)
    partition.failElection()
    expect(partition.is({ alive: where })).toBe(true)
    partition.pause.answer()
    partition.withdraw.answer({ kind: 'withdrawn' })
    expect(partition.isGone).toBe(true)
  })

  test('while its partition is coming back: contends when what it left running has run out', () => {
    const { actor, failElection, pause, campaign, is } = contend()
    actor.send(UNASSIGN)
    actor.send(ASSIGN)
    failElection()
    expect(is({ alive: 'contending' })).toBe(true)
    pause.answer()
    expect(campaign.open).toHaveLength(1)
  })

  test('does not make a later return wait', () => {
    const { actor, failElection, pause, campaign, withdraw } = contend()
    failElection()
    pause.answer()
    campaign.answer(HELD)
    actor.send(UNASSIGN)
    actor.send(ASSIGN)
    withdraw.answer({ kind: 'withdrawn' })
    expect(campaign.open).toHaveLength(1)
  })
})

describe('every state and every event', () => {
  const events: Readonly<Record<Event['type'], true>> = {
    'session.opened': true,
    'session.lost': true,
    'store.restarted': true,
    'partition.assign': true,
    'partition.unassign': true,
    'partition.stop': true,
    STEP_DOWN: true,
    'lease.freed': true,
  }

  test('no event is left without an answer', () => {
    expect(unanswered(partitionMachine, Object.keys(events))).toEqual([])
  })

  test('no failure of what it invokes is left without an answer', () => {
    expect(unhandledFailures(partitionMachine)).toEqual([])
  })

  test('every state was reached here', () => {
    expect(unreached(partitionMachine)).toEqual([])
  })
})
