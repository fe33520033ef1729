import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ElectionInput, type Event, electionMachine } from '../../src/machines/election.ts'
import type { CampaignAnswer, ReleaseAnswer, WithdrawAnswer } from '../../src/model/answers.ts'
import { granted, HELD, provided } from './provided.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const REST_MS = 15_000
const lost = (session = 's1') => ({ type: 'session.lost', session, reason: 'session-lost' }) as const
const opened = (session: string) => ({ type: 'session.opened', session }) as const
const restarted = (holds: Readonly<Record<string, number>>) =>
  ({ type: 'store.restarted', session: 's1', holds }) as const
const STOP = { type: 'election.stop', reason: 'stopped' } as const
const HINT = { type: 'lease.freed', lease: 'ingest' } as const
const STEP_DOWN = { type: 'STEP_DOWN' } as const

function contend(input: Partial<ElectionInput> = {}) {
  const stage = new Stage()
  const slots = provided(stage)
  const actor = stage.start(slots.machines.election, {
    lease: 'ingest',
    work: 'ingest',
    session: 's1',
    ends: 'when-stopped',
    restMs: REST_MS,
    ...input,
  })
  return {
    ...slots,
    actor,
    stage,
    is: (value: Parameters<ReturnType<typeof actor.getSnapshot>['matches']>[0]) => actor.getSnapshot().matches(value),
    /** The actor of the present term fails. Its work runs on. */
    failTerm() {
      const cut = { type: 'term.cut', reason: 'expired' } as const
      slots.failing('term', () => actor.getSnapshot().children.term?.send(cut))
    },
    /** The term's time is out. */
    passDeadline() {
      actor.getSnapshot().children.term?.send({ type: 'timer.due', dueMs: 0, nowMs: 0 })
    },
  }
}

/** An election that leads under token 7. */
function lead(input: Partial<ElectionInput> = {}) {
  const election = contend(input)
  election.campaign.answer(granted(7))
  expect(election.is({ holding: 'leading' })).toBe(true)
  election.stage.take()
  return election
}

describe('campaigning', () => {
  test('an election campaigns with the session it is given, and begins its term before its work', () => {
    const { campaign, runs, stage } = contend()
    expect(campaign.last.input).toEqual({ session: 's1', lease: 'ingest' })
    expect(runs.made).toEqual([])
    campaign.answer(granted(7))
    expect(stage.log).toEqual(['enroll ingest', 'beginTerm ingest 7 s1'])
    expect(runs.last.input).toEqual({ lease: 'ingest', token: 7, work: 'ingest', run: 1 })
  })

  test('without a session it waits for one', () => {
    const { campaign, actor, is } = contend({ session: null })
    expect(is('unready')).toBe(true)
    actor.send(opened('s2'))
    expect(campaign.last.input.session).toBe('s2')
  })

  test('a held lease is waited for, and campaigned for when it is offered', () => {
    const { campaign, actor, is } = contend()
    campaign.answer(HELD)
    expect(is('waiting')).toBe(true)
    expect(campaign.open).toEqual([])
    actor.send(HINT)
    expect(campaign.open).toHaveLength(1)
  })

  test('a hint during a campaign leads to one more campaign, after its answer and not beside it', () => {
    const { campaign, actor } = contend()
    actor.send(HINT)
    actor.send(HINT)
    expect(campaign.made).toHaveLength(1)
    campaign.answer(HELD)
    expect(campaign.made).toHaveLength(2)
    campaign.answer(HELD)
    expect(campaign.made).toHaveLength(2)
  })

  test('a hint during a campaign that is granted changes nothing', () => {
    const { campaign, actor, is } = contend()
    actor.send(HINT)
    campaign.answer(granted(7))
    expect(is({ holding: 'leading' })).toBe(true)
    expect(campaign.made).toHaveLength(1)
  })

  test('a hint during a pending retry does not start a second chain of attempts', () => {
    const { campaign, backoff, actor } = contend()
    campaign.fail()
    actor.send(HINT)
    actor.send(restarted({}))
    expect(campaign.made).toHaveLength(1)
    expect(backoff.open).toHaveLength(1)
    backoff.answer()
    expect(campaign.open).toHaveLength(1)
    campaign.answer(HELD)
    expect(backoff.open).toEqual([])
  })

  test.each([
    ['an answer that does not come', undefined],
    ['an answer to an earlier copy', { kind: 'stale' }],
    ['a session that is not known', { kind: 'unknown' }],
  ] as const)('%s is settled by another campaign, later and later', (_, answer) => {
    const { campaign, backoff } = contend()
    for (const attempt of [1, 2, 3]) {
      if (answer) campaign.answer(answer)
      else campaign.fail()
      expect(backoff.last.input).toEqual({ attempt })
      backoff.answer()
    }
    campaign.answer(HELD)
    expect(campaign.made).toHaveLength(4)
  })

  test('an answer counts anew after one that was heard', () => {
    const { campaign, backoff, actor } = contend()
    campaign.fail()
    backoff.answer()
    campaign.answer(HELD)
    actor.send(HINT)
    campaign.fail()
    expect(backoff.last.input).toEqual({ attempt: 1 })
  })

  test('a store in quarantine is asked again when the quarantine is over', () => {
    const { campaign, pause, is } = contend()
    campaign.answer({ kind: 'quarantined', retryInMs: 1_234 })
    expect(is('quarantined')).toBe(true)
    expect(pause.last.input).toEqual({ forMs: 1_234 })
    pause.answer()
    expect(campaign.open).toHaveLength(1)
  })

  test('a hint during a campaign whose answer is the quarantine waits for its end all the same', () => {
    const { campaign, pause, actor } = contend()
    actor.send(HINT)
    campaign.answer({ kind: 'quarantined', retryInMs: 500 })
    expect(pause.open).toHaveLength(1)
    expect(campaign.open).toEqual([])
  })

  test('a restart of the store while in line is followed by a campaign, since the line may be forgotten', () => {
    const { campaign, actor } = contend()
    campaign.answer(HELD)
    actor.send(restarted({}))
    expect(campaign.open).toHaveLength(1)
  })

  test('a grant that comes when the session has run out never becomes a term', () => {
    const { campaign, store, runs, is, actor, stage } = contend()
    store.isSessionLive = false
    campaign.answer(granted(7))
    expect(is('unready')).toBe(true)
    expect(runs.made).toEqual([])
    expect(stage.log).toEqual(['enroll ingest'])
    store.isSessionLive = true
    actor.send(lost())
    actor.send(opened('s2'))
    expect(campaign.last.input.session).toBe('s2')
  })

  test("a late answer to a campaign of a lost session is nobody's", () => {
    const { campaign, actor, runs } = contend()
    const first = campaign.last
    actor.send(lost())
    actor.send(opened('s2'))
    first.answer(granted(7))
    expect(runs.made).toEqual([])
    campaign.answer(granted(8))
    expect(runs.last.input.token).toBe(8)
  })

  test.each(['waiting', 'unsettled', 'quarantined', 'hinted'] as const)(
    'a session that is lost while %s is campaigned for anew with the next',
    (where) => {
      const { campaign, actor, is } = contend()
      if (where === 'waiting') campaign.answer(HELD)
      if (where === 'unsettled') campaign.fail()
      if (where === 'quarantined') campaign.answer({ kind: 'quarantined', retryInMs: 1 })
      if (where === 'hinted') actor.send(HINT)
      actor.send(lost())
      expect(is('unready')).toBe(true)
      actor.send(opened('s2'))
      expect(campaign.last.input.session).toBe('s2')
    },
  )
})

describe('a stop is never forgotten', () => {
  test('during a campaign: the grant that comes afterwards is given back, and never becomes a term', () => {
    const { campaign, release, actor, runs, stage } = contend()
    actor.send(STOP)
    campaign.answer(granted(7))
    expect(release.last.input).toMatchObject({ session: 's1', token: 7, attempt: 0 })
    release.answer({ kind: 'released' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
    expect(runs.made).toEqual([])
    expect(stage.log).toEqual(['enroll ingest', 'leaseReleased ingest 7 true', 'discharge ingest'])
  })

  test.each([
    ['held', HELD],
    ['unknown', { kind: 'unknown' }],
    ['stale', { kind: 'stale' }],
    ['quarantined', { kind: 'quarantined', retryInMs: 1 }],
  ] as const)('during a campaign that is answered with %s: withdraws before it is over', (_, answer) => {
    const { campaign, withdraw, actor } = contend()
    actor.send(STOP)
    campaign.answer(answer)
    expect(withdraw.last.input).toMatchObject({ session: 's1', lease: 'ingest', attempt: 0 })
    expect(actor.getSnapshot().status).toBe('active')
    withdraw.answer({ kind: 'withdrawn' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('during a campaign that gets no answer: withdraws before it is over', () => {
    const { campaign, withdraw, actor } = contend()
    actor.send(STOP)
    campaign.fail()
    expect(withdraw.open).toHaveLength(1)
    withdraw.answer({ kind: 'withdrawn' })
    expect(actor.getSnapshot().status).toBe('done')
  })

  test.each([
    ['held', HELD],
    ['granted', granted(7)],
    ['without an answer', undefined],
  ] as const)('during a campaign after failed ones, that is %s: nothing waits longer than it must', (_, answer) => {
    const { campaign, backoff, withdraw, release, actor } = contend()
    campaign.fail()
    backoff.answer()
    actor.send(STOP)
    if (answer) campaign.answer(answer)
    else campaign.fail()
    expect([...withdraw.open, ...release.open].map(({ input }) => input.attempt)).toEqual([0])
  })

  test.each(['waiting', 'unsettled', 'quarantined'] as const)(
    'while %s: what a campaign may have got is given back',
    (where) => {
      const { campaign, withdraw, actor, is } = contend()
      if (where === 'waiting') campaign.answer(HELD)
      if (where === 'unsettled') campaign.fail()
      if (where === 'quarantined') campaign.answer({ kind: 'quarantined', retryInMs: 1 })
      expect(is(where)).toBe(true)
      actor.send(STOP)
      expect(withdraw.last.input.attempt).toBe(0)
      withdraw.fail()
      withdraw.answer({ kind: 'stale' })
      withdraw.answer({ kind: 'withdrawn' })
      expect(actor.getSnapshot().status).toBe('done')
      expect(campaign.made).toHaveLength(1)
    },
  )

  test('without a session: at once', () => {
    const { actor, stage } = contend({ session: null })
    actor.send(STOP)
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
    expect(stage.log).toEqual(['enroll ingest', 'discharge ingest'])
  })

  test('after a step down in the same campaign: the stop is the last word', () => {
    const { campaign, release, actor } = contend()
    actor.send(STEP_DOWN)
    actor.send(STOP)
    campaign.answer(granted(7))
    release.answer({ kind: 'released' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('during a withdrawal for a rest: no rest follows', () => {
    const { campaign, withdraw, actor, pause } = contend()
    campaign.answer(HELD)
    actor.send(STEP_DOWN)
    withdraw.fail()
    actor.send(STOP)
    withdraw.fail()
    withdraw.answer({ kind: 'withdrawn' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
    expect(pause.made).toEqual([])
  })

  test('during a rest: ends the rest', () => {
    const { campaign, withdraw, actor, pause } = contend()
    campaign.answer(HELD)
    actor.send(STEP_DOWN)
    withdraw.answer({ kind: 'withdrawn' })
    expect(pause.open).toHaveLength(1)
    actor.send(STOP)
    expect(actor.getSnapshot().status).toBe('done')
    expect(pause.open).toEqual([])
  })

  test.each(['campaigning', 'waiting', 'unsettled', 'withdrawing'] as const)(
    'and a session that is lost meanwhile leaves nothing to give back, while %s',
    (where) => {
      const { campaign, actor } = contend()
      if (where === 'waiting') campaign.answer(HELD)
      if (where === 'unsettled') campaign.fail()
      if (where === 'withdrawing') {
        campaign.answer(HELD)
        actor.send(STEP_DOWN)
      }
      actor.send(STOP)
      actor.send(lost())
      expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
    },
  )

  test('twice is as good as once, whatever comes between', () => {
    const { campaign, withdraw, actor } = contend()
    actor.send(STOP)
    actor.send(HINT)
    actor.send(STEP_DOWN)
    actor.send(STOP)
    campaign.answer(HELD)
    actor.send(STOP)
    expect(withdraw.made).toHaveLength(1)
    withdraw.answer({ kind: 'withdrawn' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })
})

describe('handing over', () => {
  test('a stop interrupts the work, awaits its exit, and releases the lease then', () => {
    const { actor, runs, release, stage } = lead()
    actor.send(STOP)
    expect(runs.last).toMatchObject({ interrupts: 1, state: 'running' })
    expect(release.made).toEqual([])
    runs.last.settle()
    expect(release.last.input).toMatchObject({ token: 7, attempt: 0 })
    release.answer({ kind: 'released' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
    expect(stage.log).toEqual([
      'revokeTerm ingest 7 stopped',
      'armDeadline ingest 7',
      'disarmDeadline',
      'endTerm ingest 7 stopped',
      'leaseReleased ingest 7 true',
      'discharge ingest',
    ])
  })

  test('work that ignores the interrupt is waited for until its time is out', () => {
    const { actor, runs, release, passDeadline } = lead()
    actor.send({ type: 'election.stop', reason: 'moved' })
    passDeadline()
    expect(runs.last.state).toBe('left')
    expect(release.open).toHaveLength(1)
  })

  test('work that returns early keeps the term, and runs once in it', () => {
    const { actor, runs, is, release } = lead()
    runs.last.settle()
    actor.send(HINT)
    expect(is({ holding: 'leading' })).toBe(true)
    expect(runs.made).toHaveLength(1)
    actor.send(STOP)
    expect(release.open).toHaveLength(1)
  })

  test('work that fails keeps the term', () => {
    const { runs, is } = lead()
    runs.last.settle({ outcome: 'FAILED', error: { name: 'Error', message: 'no disk' } })
    expect(is({ holding: 'leading' })).toBe(true)
  })

  test('fatal work releases the lease and rests', () => {
    const { runs, release, pause, campaign, stage, is } = lead()
    runs.last.settle({ outcome: 'FAILED', fatal: true })
    expect(is({ releasing: 'toRest' })).toBe(true)
    release.answer({ kind: 'released' })
    expect(stage.take()).toEqual([
      'revokeTerm ingest 7 fatal-work',
      'endTerm ingest 7 fatal-work',
      'leaseReleased ingest 7 true',
      `reportRest ingest ${REST_MS}`,
    ])
    expect(pause.last.input).toEqual({ forMs: REST_MS })
    pause.answer()
    expect(campaign.open).toHaveLength(1)
  })

  test('a step down hands over, rests, and contends again', () => {
    const { actor, runs, release, pause, campaign } = lead()
    actor.send(STEP_DOWN)
    expect(runs.last.interrupts).toBe(1)
    runs.last.settle()
    release.answer({ kind: 'released' })
    expect(pause.last.input).toEqual({ forMs: REST_MS })
    pause.answer()
    campaign.answer(granted(9))
    expect(runs.last.input.token).toBe(9)
  })

  test.each(['while its work leaves', 'while the lease is released', 'while a failed term is outlasted'] as const)(
    'a stop after a step down, %s, is over without a rest',
    (when) => {
      const { actor, runs, release, pause, termDeadline, failTerm } = lead()
      if (when === 'while a failed term is outlasted') {
        failTerm()
        actor.send(STOP)
        termDeadline.answer()
      } else {
        actor.send(STEP_DOWN)
        if (when === 'while its work leaves') actor.send(STOP)
        runs.last.settle()
        if (when === 'while the lease is released') actor.send(STOP)
      }
      release.answer({ kind: 'released' })
      expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
      expect(pause.made).toEqual([])
    },
  )

  test('a release without an answer is repeated until it is confirmed, and keeps what it knows', () => {
    const { actor, runs, release, campaign } = lead()
    actor.send(STOP)
    runs.last.settle()
    release.fail()
    release.answer({ kind: 'stale' })
    release.fail()
    expect(release.made.map(({ input }) => input)).toEqual(
      [0, 1, 2, 3].map((attempt) => ({ session: 's1', lease: 'ingest', token: 7, attempt })),
    )
    release.answer({ kind: 'not-held' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
    expect(campaign.made).toHaveLength(1)
  })

  test.each([
    ['toContend', 'a stop'],
    ['toContend', 'a step down'],
    ['toRest', 'a stop'],
  ] as const)('a repeated release %s takes up %s', (intent, wish) => {
    const { actor, runs, release, is } = lead()
    if (intent === 'toContend') actor.send(restarted({}))
    else actor.send(STEP_DOWN)
    runs.last.settle()
    release.fail()
    expect(is({ releasing: intent })).toBe(true)
    actor.send(wish === 'a stop' ? STOP : STEP_DOWN)
    release.fail()
    expect(is({ releasing: wish === 'a stop' ? 'toStop' : 'toRest' })).toBe(true)
  })

  test('failures of a release are none of the next campaign', () => {
    const { actor, runs, release, campaign, backoff } = lead()
    actor.send(restarted({}))
    runs.last.settle()
    release.fail()
    release.fail()
    release.answer({ kind: 'not-held' })
    campaign.fail()
    expect(backoff.last.input).toEqual({ attempt: 1 })
  })

  test('a hint and an assertion of the store that the lease is ours change nothing for a leader', () => {
    const { actor, is } = lead()
    actor.send(HINT)
    actor.send(restarted({ ingest: 7 }))
    expect(is({ holding: 'leading' })).toBe(true)
  })

  test.each([
    ['forgotten', {}],
    ['given another token', { ingest: 6 }],
  ])('a term that the restarted store has %s is cut, and contended for anew', (_, holds) => {
    const { actor, runs, release, campaign, stage } = lead()
    actor.send(restarted(holds))
    expect(stage.take()).toEqual(['cutTerm ingest 7 forgotten', 'armDeadline ingest 7'])
    runs.last.settle()
    release.answer({ kind: 'not-held' })
    expect(campaign.open).toHaveLength(1)
  })

  test('a handover that the restarted store has forgotten is cut, and its stop remembered', () => {
    const { actor, release, stage, passDeadline } = lead()
    actor.send(STOP)
    actor.send(restarted({}))
    expect(stage.log).toContain('cutTerm ingest 7 stopped')
    passDeadline()
    release.answer({ kind: 'not-held' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('a lock is over with its first term, however that ends', () => {
    const { actor, runs, release } = lead({ ends: 'after-term' })
    actor.send(restarted({}))
    runs.last.settle()
    release.answer({ kind: 'not-held' })
    expect(actor.getSnapshot().output).toEqual({ end: 'term-over' })
  })

  test('a partition is over when it has stepped down', () => {
    const { actor, runs, release } = lead({ ends: 'after-step-down', partition: 3 })
    expect(runs.last.input.partition).toBe(3)
    runs.last.settle({ fatal: true, outcome: 'FAILED' })
    release.answer({ kind: 'released' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stepped-down' })
  })

  test.each(['without a session', 'in a campaign whose session is lost', 'in line'] as const)(
    'a partition that steps down %s is over, too',
    (where) => {
      const { actor, campaign, withdraw } = contend({
        ends: 'after-step-down',
        session: where === 'without a session' ? null : 's1',
      })
      if (where === 'in line') campaign.answer(HELD)
      actor.send(STEP_DOWN)
      if (where === 'in a campaign whose session is lost') actor.send(lost())
      if (where === 'in line') withdraw.answer({ kind: 'withdrawn' })
      expect(actor.getSnapshot().output).toEqual({ end: 'stepped-down' })
    },
  )
})

describe('losing the session', () => {
  test('cuts the term once, and contends with the next session', () => {
    const { actor, runs, release, campaign, stage } = lead()
    actor.send(lost())
    expect(stage.take()).toEqual(['cutTerm ingest 7 session-lost', 'armDeadline ingest 7'])
    expect(runs.last.interrupts).toBe(1)
    runs.last.settle()
    expect(release.last.input.session).toBeNull()
    release.answer({ kind: 'unknown' })
    expect(stage.take()).toEqual(['disarmDeadline', 'endTerm ingest 7 session-lost', 'leaseReleased ingest 7 false'])
    actor.send(opened('s2'))
    expect(campaign.last.input.session).toBe('s2')
    expect(campaign.made).toHaveLength(2)
  })

  test.each([
    ['at once', 0, false],
    ['after an attempt whose answer was lost', 1, true],
  ])('a release under a new session that holds nothing, %s: was it confirmed?', (_, failures, confirmed) => {
    const { actor, runs, release, stage } = lead()
    if (failures === 0) {
      actor.send(lost())
      actor.send(opened('s2'))
    } else {
      actor.send(STOP)
    }
    runs.last.settle()
    if (failures > 0) release.fail()
    release.answer({ kind: 'not-held' })
    expect(stage.log).toContain(`leaseReleased ingest 7 ${confirmed}`)
  })

  test('while work leaves: ends the handover, and remembers what it was for', () => {
    const { actor, stage, release, runs, passDeadline } = lead()
    actor.send(STOP)
    actor.send(lost())
    expect(stage.log).toContain('cutTerm ingest 7 stopped')
    passDeadline()
    expect(runs.last.state).toBe('left')
    release.answer({ kind: 'unknown' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('before a stop: the stop is remembered while the work leaves', () => {
    const { actor, release, runs } = lead()
    actor.send(lost())
    actor.send(STOP)
    runs.last.settle()
    release.answer({ kind: 'unknown' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test.each([
    ['toContend', 'unready'],
    ['toRest', 'resting'],
    ['toStop', undefined],
  ] as const)('while releasing %s: nothing is left to release', (intent, next) => {
    const { actor, runs, stage, release, is } = lead()
    if (intent === 'toContend') actor.send(restarted({}))
    if (intent === 'toRest') actor.send(STEP_DOWN)
    if (intent === 'toStop') actor.send(STOP)
    runs.last.settle()
    actor.send(lost())
    expect(stage.log).toContain('leaseReleased ingest 7 false')
    expect(release.open).toEqual([])
    if (next) expect(is(next)).toBe(true)
    else expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('while withdrawing for a rest: the rest begins', () => {
    const { actor, campaign, is } = contend()
    campaign.answer(HELD)
    actor.send(STEP_DOWN)
    actor.send(lost())
    expect(is('resting')).toBe(true)
  })

  test('during a rest: the rest goes on, and what follows has the session of that time', () => {
    const { actor, pause, campaign, withdraw } = contend()
    campaign.answer(HELD)
    actor.send(STEP_DOWN)
    withdraw.answer({ kind: 'withdrawn' })
    actor.send(lost())
    actor.send(opened('s2'))
    pause.answer()
    expect(campaign.last.input.session).toBe('s2')
  })

  test('during a rest that ends without a session: it is waited for', () => {
    const { actor, pause, campaign, withdraw, is } = contend()
    campaign.answer(HELD)
    actor.send(STEP_DOWN)
    withdraw.answer({ kind: 'withdrawn' })
    actor.send(lost())
    pause.answer()
    expect(is('unready')).toBe(true)
  })
})

describe('failures of the machines themselves', () => {
  test('a term actor that fails: its work is told, its deadline waited for, and then the lease is released', () => {
    const { stage, failTerm, termDeadline, release, pause } = lead()
    failTerm()
    expect(stage.take()).toEqual([
      expect.stringMatching(/^reportCrash ingest .*A machine has failed/),
      'revokeTerm ingest 7 crashed',
    ])
    expect(release.made).toEqual([])
    termDeadline.answer()
    expect(stage.take()).toEqual(['endTerm ingest 7 crashed'])
    release.answer({ kind: 'released' })
    expect(pause.last.input).toEqual({ forMs: REST_MS })
  })

  test('a term actor that fails while it hands over for a stop: the stop is remembered', () => {
    const { actor, runs, termDeadline, release, is, failTerm } = lead()
    actor.send(STOP)
    expect(runs.last.interrupts).toBe(1)
    failTerm()
    expect(is({ holding: { outlasting: 'toStop' } })).toBe(true)
    termDeadline.answer()
    release.answer({ kind: 'released' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test.each([
    ['that nobody stops', 'resting'],
    ['that is stopped', undefined],
  ] as const)('a session that is lost while a failed term %s is outlasted leaves nothing to wait for', (wish, next) => {
    const { actor, stage, failTerm, release, termDeadline, is } = lead()
    failTerm()
    if (wish === 'that is stopped') actor.send(STOP)
    stage.take()
    actor.send(lost())
    expect(stage.take()).toEqual(['cutTerm ingest 7 crashed', 'endTerm ingest 7 crashed'])
    expect(termDeadline.open).toEqual([])
    release.answer({ kind: 'unknown' })
    if (next) expect(is(next)).toBe(true)
    else expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('a deadline that cannot be waited for does not hold up what follows', () => {
    const { failTerm, termDeadline, release } = lead()
    failTerm()
    termDeadline.fail()
    expect(release.open).toHaveLength(1)
  })

  test('work that cannot even be run ends its term after its deadline, and rests', () => {
    const election = contend()
    election.runs.isBroken = true
    election.campaign.answer(granted(7))
    expect(election.stage.log).toContain('revokeTerm ingest 7 crashed')
    expect(election.release.made).toEqual([])
    election.passDeadline()
    election.release.answer({ kind: 'released' })
    expect(election.is('resting')).toBe(true)
  })

  test('an election that takes the place of a failed one campaigns only when what that one left has run out', () => {
    const { campaign, pause, actor } = contend({ begins: 'after-crash' })
    actor.send(HINT)
    actor.send(restarted({}))
    expect(campaign.made).toEqual([])
    expect(pause.last.input).toEqual({ forMs: REST_MS })
    pause.answer()
    expect(campaign.open).toHaveLength(1)
  })

  test('an election that takes the place of a failed one and is stopped gives back what that one may have held', () => {
    const { pause, withdraw, actor } = contend({ begins: 'after-crash' })
    actor.send(STOP)
    expect(withdraw.made).toEqual([])
    pause.answer()
    expect(withdraw.last.input).toMatchObject({ session: 's1', lease: 'ingest' })
    withdraw.answer({ kind: 'withdrawn' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })

  test('an election that takes the place of a failed one and is asked to step down gives back what that one may have held, and rests', () => {
    const { actor, campaign, pause, withdraw, stage, is } = contend({ begins: 'after-crash' })
    actor.send(STEP_DOWN)
    pause.answer()
    expect(campaign.made).toEqual([])
    withdraw.answer({ kind: 'withdrawn' })
    expect(is('resting')).toBe(true)
    expect(stage.log).toContain(`reportRest ingest ${REST_MS}`)
    pause.answer()
    expect(campaign.open).toHaveLength(1)
  })

  test('a stop after that ends it without a rest', () => {
    const { actor, pause, withdraw } = contend({ begins: 'after-crash' })
    actor.send(STEP_DOWN)
    actor.send(STOP)
    pause.answer()
    withdraw.answer({ kind: 'withdrawn' })
    expect(actor.getSnapshot().output).toEqual({ end: 'stopped' })
  })
})

describe('every state and every event', () => {
  const events: Readonly<Record<Exclude<Event['type'], `xstate.${string}`>, true>> = {
    'session.opened': true,
    'session.lost': true,
    'store.restarted': true,
    'election.stop': true,
    STEP_DOWN: true,
    'lease.freed': true,
  }

  test('no event is left without an answer', () => {
    expect(unanswered(electionMachine, Object.keys(events))).toEqual([])
  })

  test('no failure of what it invokes is left without an answer', () => {
    expect(unhandledFailures(electionMachine)).toEqual([])
  })

  test('whatever happens in whatever order: one call at a time, no term after a stop, and an end when all calls are answered', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { maxLength: 60 }),
        fc.constantFrom('when-stopped', 'after-step-down', 'after-term'),
        (steps, ends) => {
          const election = contend({ ends })
          const { actor, campaign, withdraw, release, backoff, pause, termDeadline, runs, stage } = election
          let token = 0
          let session: string | null = 's1'
          let sessions = 1
          let isStopped = false
          const pick = <T>(choices: readonly T[], step: number) => choices[step % choices.length]!
          const step = (which: number) => {
            const begun = stage.log.filter((line) => line.startsWith('beginTerm')).length
            if (which < 6)
              campaign.open[0]?.answer(
                pick<CampaignAnswer>(
                  [
                    granted(++token),
                    granted(++token),
                    HELD,
                    { kind: 'unknown' },
                    { kind: 'stale' },
                    { kind: 'quarantined', retryInMs: 5 },
                  ],
                  which,
                ),
              )
            else if (which < 9) {
              for (const call of [...campaign.open, ...withdraw.open, ...release.open]) call.fail()
            } else if (which < 11)
              release.open[0]?.answer(pick<ReleaseAnswer>([{ kind: 'released' }, { kind: 'stale' }], which))
            else if (which < 13)
              withdraw.open[0]?.answer(pick<WithdrawAnswer>([{ kind: 'withdrawn' }, { kind: 'stale' }], which))
            else if (which < 16) for (const { open } of [backoff, pause, termDeadline]) open[0]?.answer()
            else if (which < 18)
              runs.made.at(-1)?.settle({ fatal: which === 17, outcome: which === 17 ? 'FAILED' : 'COMPLETED' })
            else if (which < 19) election.passDeadline()
            else if (which < 22) actor.send(HINT)
            else if (which < 23) actor.send(STEP_DOWN)
            else if (which < 26) {
              if (session) actor.send(lost(session))
              else actor.send(opened(`s${++sessions}`))
              session = session ? null : `s${sessions}`
            } else if (which < 28) {
              if (session) actor.send({ ...restarted(which === 26 ? {} : { ingest: token }), session })
            } else if (which < 29) {
              if (runs.made.at(-1)?.state === 'running') election.failTerm()
            } else {
              actor.send(STOP)
              isStopped = true
            }
            expect(campaign.open.length + withdraw.open.length + release.open.length).toBeLessThanOrEqual(1)
            expect(actor.getSnapshot().status).not.toBe('error')
            if (isStopped && which < 29)
              expect(stage.log.filter((line) => line.startsWith('beginTerm'))).toHaveLength(begun)
          }
          for (const which of steps) if (actor.getSnapshot().status === 'active') step(which)
          if (actor.getSnapshot().status === 'active') actor.send(STOP)
          for (let round = 0; round < 10 && actor.getSnapshot().status === 'active'; round++) {
            campaign.open[0]?.answer(HELD)
            withdraw.open[0]?.answer({ kind: 'withdrawn' })
            release.open[0]?.answer({ kind: 'released' })
            for (const { open } of [backoff, pause, termDeadline]) open[0]?.answer()
            election.passDeadline()
          }
          expect(actor.getSnapshot().status).toBe('done')
          expect(stage.log.at(-1)).toBe('discharge ingest')
          // Terms come in pairs of a beginning and an end, and their tokens grow.
          const tokensOf = (effect: string) =>
            stage.log.filter((line) => line.startsWith(`${effect} `)).map((line) => Number(line.split(' ')[2]))
          expect(tokensOf('endTerm')).toEqual(tokensOf('beginTerm'))
          expect(tokensOf('beginTerm')).toEqual([...tokensOf('beginTerm')].sort((a, b) => a - b))
          stage.check()
        },
      ),
      { numRuns: 200 },
    )
  })

  test('every state was reached here', () => {
    expect(unreached(electionMachine)).toEqual([])
  })
})
