import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Event,
  type Opened,
  type Renewed,
  renewalWaitMs,
  type SessionInput,
  sessionMachine,
} from '../../src/machines/session.ts'
import type { Grant, Inbox } from '../../src/model/answers.ts'
import { providedSession } from './providedSession.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const EMPTY: Inbox = { freed: [], groups: {} }
const CLOSE = { type: 'session.close' } as const
const DOUBT = { type: 'session.doubted' } as const
const REVOKED = { type: 'session.revoked' } as const
const LEASE_MS = 15_000

function session(input: Partial<SessionInput> = {}) {
  const stage = new Stage()
  const { machine, clock, ...calls } = providedSession(stage)
  const actor = stage.start(machine, { renewIntervalMs: 5_000, ...input })
  const opened = (id: string): Opened => ({ session: id, epoch: 1, validUntilMs: clock.nowMs + LEASE_MS })
  const renewed = (parts: Partial<Extract<Renewed['answer'], { kind: 'renewed' }>> = {}): Renewed => ({
    answer: { kind: 'renewed', inbox: EMPTY, nextExpiryInMs: null, epoch: 1, ...parts },
    validUntilMs: clock.nowMs + LEASE_MS,
  })
  return {
    ...calls,
    actor,
    clock,
    stage,
    renewed,
    opened,
    is: (value: Parameters<ReturnType<typeof actor.getSnapshot>['matches']>[0]) => actor.getSnapshot().matches(value),
    /** The wait for the next renewal. */
    wait: () => calls.pause.open.find(({ input }) => input.forMs !== 250)!,
    isClosed: () => actor.getSnapshot().status === 'done',
  }
}

/** A session that the store has confirmed. */
function live(input: Partial<SessionInput> = {}) {
  const made = session(input)
  made.clear.answer()
  made.open.answer(made.opened('s1'))
  expect(made.is('live')).toBe(true)
  return made
}

describe('opening', () => {
  test('first ends what an earlier session may have left, then opens, then tells', () => {
    const { clear, open, opened, stage } = session()
    expect(clear.last.input).toEqual({ attempt: 0 })
    expect(open.made).toEqual([])
    clear.answer()
    open.answer(opened('s1'))
    expect(stage.log).toEqual(['extendSession s1 15000', 'reportOpened s1'])
    expect(stage.heard).toEqual([{ type: 'session.opened', session: 's1' }])
  })

  test.each(['opening', 'clearing'] as const)('a failure while %s is tried again, later and later', (where) => {
    const { clear, open, backoff } = session()
    for (const attempt of [1, 2, 3]) {
      if (where === 'opening') clear.answer()
      if (where === 'opening') open.fail()
      else clear.fail()
      expect(backoff.last.input).toEqual({ attempt })
      backoff.answer()
    }
    clear.answer()
    expect(open.open).toHaveLength(1)
  })

  test('an answer so late that the session has run out opens nothing: it is ended, nobody hears of it, and a new one is opened', () => {
    const { clear, open, opened, clock, backoff, stage, is } = session()
    clear.answer()
    const late = opened('s1')
    clock.nowMs = LEASE_MS
    open.answer(late)
    expect(is('pausing')).toBe(true)
    expect(stage.heard).toEqual([])
    expect(stage.log).toEqual(['endSession s1 closed'])
    backoff.answer()
    clear.answer()
    open.answer(opened('s2'))
    expect(stage.heard).toEqual([{ type: 'session.opened', session: 's2' }])
  })
})

describe('renewing', () => {
  test('once per interval, each restoring the whole lease', () => {
    const { wait, renew, renewed, clock, stage, deadline } = live()
    stage.take()
    for (const nowMs of [5_000, 10_000, 15_000]) {
      expect(wait().input).toEqual({ forMs: 5_000 })
      wait().answer()
      clock.nowMs = nowMs - 1
      expect(renew.last.input).toEqual({ session: 's1', epoch: 1 })
      renew.answer(renewed())
      expect(stage.take()).toEqual([`extendSession s1 ${nowMs - 1 + LEASE_MS}`])
      expect(deadline.open.map(({ input }) => input.atMs)).toEqual([nowMs - 1 + LEASE_MS])
    }
  })

  test('brings what waits in the inbox', () => {
    const { wait, renew, renewed, stage } = live()
    wait().answer()
    const inbox: Inbox = { freed: ['ingest'], groups: { billing: 7 } }
    renew.answer(renewed({ inbox }))
    expect(stage.heard.at(-1)).toEqual({ type: 'inbox.read', inbox })
  })

  test('is brought forward to when the next other session could run out', () => {
    const { wait, renew, renewed } = live()
    wait().answer()
    renew.answer(renewed({ nextExpiryInMs: 1_200 }))
    expect(wait().input).toEqual({ forMs: 1_200 })
  })

  test.each([
    [null, 5_000],
    [0, 10],
    [3, 10],
    [4_999, 4_999],
    [60_000, 5_000],
  ])(
    'waits with the next expiry in %s ms for %s ms: never in a burst, never longer than the interval',
    (next, expected) => {
      expect(renewalWaitMs(5_000, next)).toBe(expected)
    },
  )

  test('is done at once when there is a doubt, and one at a time', () => {
    const { actor, renew, renewed } = live()
    actor.send(DOUBT)
    actor.send(DOUBT)
    expect(renew.made).toHaveLength(1)
    renew.answer(renewed())
    expect(renew.open).toEqual([])
  })

  test('that fails leaves the terms alone, and is tried again until it is confirmed', () => {
    const { wait, renew, renewed, retryDelay, stage, is } = live()
    wait().answer()
    stage.take()
    renew.fail('no answer')
    expect(stage.take()).toEqual([expect.stringMatching(/^reportSuspended s1 .*no answer.* 15000$/)])
    expect(retryDelay.last.input).toEqual({ validUntilMs: 15_000 })
    retryDelay.answer()
    renew.fail()
    expect(stage.log).toEqual([])
    retryDelay.answer()
    renew.answer(renewed())
    expect(stage.log).toEqual(['extendSession s1 15000', 'reportResumed s1'])
    expect(is({ live: { renewal: 'waiting' } })).toBe(true)
    expect(stage.news).not.toContain('session.lost')
  })

  test('that failed is tried again at once when the way to the store is back', () => {
    const { actor, wait, renew, retryDelay } = live()
    wait().answer()
    renew.fail()
    actor.send(DOUBT)
    expect(renew.open).toHaveLength(1)
    expect(retryDelay.open).toEqual([])
  })
})

describe('losing the session', () => {
  const lostBy = (reason: string) => ({ type: 'session.lost', session: 's1', reason })

  test('at the deadline, whatever calls are pending; the old one is ended in the store before a new one is opened', () => {
    const { wait, renew, deadline, stage, clear, open, opened } = live()
    wait().answer()
    const pending = renew.last
    stage.take()
    deadline.answer()
    expect(stage.take()).toEqual(['endSession s1 expired'])
    expect(stage.heard.at(-1)).toEqual(lostBy('expired'))
    expect(pending.state).toBe('left')
    expect(open.made).toHaveLength(1)
    clear.answer()
    open.answer(opened('s2'))
    expect(stage.heard.at(-1)).toEqual({ type: 'session.opened', session: 's2' })
  })

  test('a late answer to a renewal of a session that was given up revives nothing', () => {
    const { wait, renew, renewed, deadline, stage, is } = live()
    wait().answer()
    const pending = renew.last
    const answer = renewed()
    deadline.answer()
    stage.take()
    pending.answer(answer)
    expect(is('clearing')).toBe(true)
    expect(stage.log).toEqual([])
  })

  test.each(['first', 'repeated'] as const)(
    'an answer to the %s attempt that comes after the deadline, before the timer, loses it all the same',
    (which) => {
      const { wait, renew, renewed, retryDelay, clock, stage } = live()
      wait().answer()
      if (which === 'repeated') {
        renew.fail()
        retryDelay.answer()
      }
      const answer = renewed()
      clock.nowMs = LEASE_MS
      renew.answer(answer)
      expect(stage.heard.at(-1)).toEqual(lostBy('expired'))
    },
  )

  test.each(['first', 'repeated'] as const)(
    'at once when the store does not know it any more, told by the %s attempt',
    (which) => {
      const { wait, renew, retryDelay, stage } = live()
      wait().answer()
      if (which === 'repeated') {
        renew.fail()
        retryDelay.answer()
      }
      renew.answer({ answer: { kind: 'unknown' }, validUntilMs: 99_999 })
      expect(stage.log.at(-1)).toBe('endSession s1 session-lost')
      expect(stage.heard.at(-1)).toEqual(lostBy('session-lost'))
    },
  )

  test('at once when the store says so by itself', () => {
    const { actor, stage } = live()
    actor.send(REVOKED)
    expect(stage.heard.at(-1)).toEqual(lostBy('session-lost'))
  })

  test('once, whatever says so afterwards', () => {
    const { actor, deadline, stage } = live()
    deadline.answer()
    actor.send(REVOKED)
    actor.send(DOUBT)
    expect(stage.news.filter((type) => type === 'session.lost')).toHaveLength(1)
  })

  test('a deadline that cannot be waited for is a deadline', () => {
    const { deadline, stage } = live()
    deadline.fail()
    expect(stage.heard.at(-1)).toEqual(lostBy('expired'))
  })
})

describe('a store that restarted', () => {
  const holds: readonly Grant[] = [{ lease: 'ingest', token: 7 }]

  test.each(['first', 'repeated'] as const)(
    'is told of with what it holds, and what nobody here knows of is given back (%s attempt)',
    (which) => {
      const { wait, renew, renewed, retryDelay, returnStrays, stage, is } = live()
      wait().answer()
      if (which === 'repeated') {
        renew.fail()
        retryDelay.answer()
      }
      renew.answer(renewed({ epoch: 2, holds }))
      expect(stage.heard.at(-1)).toEqual({ type: 'store.restarted', session: 's1', holds: { ingest: 7 } })
      expect(returnStrays.last.input).toEqual({ session: 's1', holds })
      returnStrays.answer()
      expect(is({ live: { strays: 'none' } })).toBe(true)
      wait().answer()
      expect(renew.last.input).toEqual({ session: 's1', epoch: 2 })
    },
  )

  test('what could not be given back is given back after the next interval, renewals in between or not', () => {
    const { actor, wait, pause, renew, renewed, returnStrays } = live()
    wait().answer()
    renew.answer(renewed({ epoch: 2, holds }))
    returnStrays.fail()
    const [retry] = pause.open.slice(-1)
    actor.send(DOUBT)
    renew.answer(renewed({ epoch: 2 }))
    retry?.answer()
    expect(returnStrays.last.input).toEqual({ session: 's1', holds })
  })

  test.each(['returning', 'waiting'] as const)(
    'that restarts once more while strays are %s is dealt with as it is now',
    (where) => {
      const { wait, actor, renew, renewed, returnStrays } = live()
      wait().answer()
      renew.answer(renewed({ epoch: 2, holds }))
      if (where === 'waiting') returnStrays.fail()
      actor.send(DOUBT)
      renew.answer(renewed({ epoch: 3, holds: [] }))
      expect(returnStrays.open.map(({ input }) => input.holds)).toEqual([[]])
    },
  )

  test('and its strays are forgotten with the session', () => {
    const { wait, renew, renewed, returnStrays, deadline } = live()
    wait().answer()
    renew.answer(renewed({ epoch: 2, holds }))
    deadline.answer()
    expect(returnStrays.open).toEqual([])
  })
})

describe('a store that cannot push', () => {
  const POLL = { pollIntervalMs: 250 }
  const polls = (made: ReturnType<typeof live>) => made.pause.open.filter(({ input }) => input.forMs === 250)

  test('is looked at once per poll interval, and what waits there is told', () => {
    const made = live(POLL)
    const inbox: Inbox = { freed: ['ingest'], groups: {} }
    for (const answer of [
      { kind: 'inbox', inbox },
      { kind: 'inbox', inbox: EMPTY },
    ] as const) {
      polls(made)[0]?.answer()
      made.look.answer(answer)
    }
    expect(made.stage.heard.slice(1)).toEqual([
      { type: 'inbox.read', inbox },
      { type: 'inbox.read', inbox: EMPTY },
    ])
    expect(polls(made)).toHaveLength(1)
  })

  test('that does not know the session is asked by a renewal', () => {
    const made = live(POLL)
    polls(made)[0]?.answer()
    made.look.answer({ kind: 'unknown' })
    expect(made.renew.open).toHaveLength(1)
  })

  test('that does not answer is looked at again', () => {
    const made = live(POLL)
    polls(made)[0]?.answer()
    made.look.fail()
    polls(made)[0]?.answer()
    expect(made.look.open).toHaveLength(1)
  })

  test('and one that can is never looked at', () => {
    expect(live().is({ live: { looking: 'pushed' } })).toBe(true)
  })
})

describe('closing', () => {
  test('ends the session in the store, repeats it until that is confirmed, and lets go of everything', () => {
    const { actor, stage, clear, disconnect, isClosed } = live()
    stage.take()
    actor.send(CLOSE)
    expect(stage.take()).toEqual(['endSession s1 closed'])
    clear.fail()
    expect(clear.last.input).toEqual({ attempt: 1 })
    clear.fail()
    expect(clear.last.input).toEqual({ attempt: 2 })
    clear.answer()
    disconnect.answer()
    expect(stage.log).toEqual(['reportClosed s1'])
    expect(isClosed()).toBe(true)
    expect(stage.news).not.toContain('session.lost')
  })

  test('is complete even where the way cannot be shut', () => {
    const { actor, clear, disconnect, isClosed } = live()
    actor.send(CLOSE)
    clear.answer()
    disconnect.fail()
    expect(isClosed()).toBe(true)
  })

  test('while opening awaits the answer, and ends the session that it brings', () => {
    const { actor, clear, open, opened, disconnect, stage, isClosed } = session()
    clear.answer()
    actor.send(CLOSE)
    expect(clear.open).toEqual([])
    open.answer(opened('s1'))
    expect(stage.log).toEqual(['endSession s1 closed'])
    expect(clear.open).toHaveLength(1)
    clear.answer()
    disconnect.answer()
    expect(isClosed()).toBe(true)
    expect(stage.news).toEqual(['xstate.done.actor.session'])
  })

  test('while opening without an answer ends what may have been opened', () => {
    const { actor, clear, open, is } = session()
    clear.answer()
    actor.send(CLOSE)
    open.fail()
    expect(is('closing')).toBe(true)
    expect(clear.open).toHaveLength(1)
  })

  test.each(['clearing', 'pausing'] as const)('while %s opens nothing any more', (where) => {
    const { actor, clear, open, disconnect, isClosed } = session()
    if (where === 'pausing') clear.fail()
    actor.send(CLOSE)
    clear.answer()
    disconnect.answer()
    expect(isClosed()).toBe(true)
    expect(open.made).toEqual([])
  })

  test('twice is as good as once', () => {
    const { actor, clear, disconnect, stage, isClosed } = live()
    actor.send(CLOSE)
    actor.send(CLOSE)
    actor.send(DOUBT)
    actor.send(REVOKED)
    clear.answer()
    actor.send(CLOSE)
    disconnect.answer()
    expect(isClosed()).toBe(true)
    expect(stage.log.filter((line) => line.startsWith('endSession'))).toHaveLength(1)
  })
})

describe('every state and every event', () => {
  const events: Readonly<Record<Exclude<Event['type'], `xstate.${string}`>, true>> = {
    'session.doubted': true,
    'session.revoked': true,
    'session.close': true,
    'validity.extended': true,
    'holds.listed': true,
  }

  test('no event is left without an answer', () => {
    expect(unanswered(sessionMachine, Object.keys(events))).toEqual([])
  })

  test('no failure of what it invokes is left without an answer', () => {
    expect(unhandledFailures(sessionMachine)).toEqual([])
  })

  test('whatever happens in whatever order: openings and losses alternate, a session is ended once, and a close comes to an end', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(23), { maxLength: 60 }), fc.boolean(), (steps, polls) => {
        const made = session(polls ? { pollIntervalMs: 250 } : {})
        const {
          actor,
          clock,
          stage,
          clear,
          open,
          renew,
          look,
          pause,
          backoff,
          retryDelay,
          deadline,
          returnStrays,
          disconnect,
        } = made
        const confirmed: string[] = []
        function confirm(validForMs: number): void {
          const [call] = open.open
          if (!call) return
          confirmed.push(`s${confirmed.length + 1}`)
          call.answer({ ...made.opened(confirmed.at(-1)!), validUntilMs: clock.nowMs + validForMs })
        }
        for (const step of steps) {
          clock.nowMs += step * 100
          if (step < 3) clear.open[0]?.answer()
          else if (step < 4) clear.open[0]?.fail()
          else if (step < 6) confirm(step === 4 ? -1 : LEASE_MS)
          else if (step < 7) open.open[0]?.fail()
          else if (step < 10)
            renew.open[0]?.answer(made.renewed(step === 9 ? { epoch: 2, holds: [{ lease: 'a', token: 1 }] } : {}))
          else if (step < 11) renew.open[0]?.answer({ answer: { kind: 'unknown' }, validUntilMs: 0 })
          else if (step < 13) renew.open[0]?.fail()
          else if (step < 15) for (const { answer } of pause.open) answer()
          else if (step < 16) for (const { answer } of [...backoff.open, ...retryDelay.open]) answer()
          else if (step < 18) look.open[0]?.answer(step === 17 ? { kind: 'unknown' } : { kind: 'inbox', inbox: EMPTY })
          else if (step < 19) deadline.open[0]?.answer()
          else if (step < 20) returnStrays.open[0]?.answer()
          else if (step < 21) returnStrays.open[0]?.fail()
          else if (step < 22) actor.send(DOUBT)
          else actor.send(REVOKED)
          expect(actor.getSnapshot().status).toBe('active')
          expect(renew.open.length).toBeLessThanOrEqual(1)
          expect(open.open.length + clear.open.length).toBeLessThanOrEqual(1)
        }
        actor.send(CLOSE)
        for (let round = 0; round < 5 && !made.isClosed(); round++) {
          confirm(LEASE_MS)
          clear.open[0]?.answer()
          disconnect.open[0]?.answer()
        }
        expect(made.isClosed()).toBe(true)
        const told = stage.news.filter((type) => type === 'session.opened' || type === 'session.lost')
        expect(told).toEqual(told.map((_, index) => (index % 2 === 0 ? 'session.opened' : 'session.lost')))
        // All that the store has confirmed is ended, each once.
        const ended = stage.log.filter((line) => line.startsWith('endSession')).map((line) => line.split(' ')[1])
        expect(ended).toEqual(confirmed)
        stage.check()
      }),
      { numRuns: 150 },
    )
  })

  test('every state was reached here', () => {
    expect(unreached(sessionMachine)).toEqual([])
  })
})
