/** One term, as work sees it: when it is valid, how it learns of its end, and what it has left. */
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { TermExpiredError } from '../../src/index.ts'
import { LiveTerm } from '../../src/runtime/term.ts'

let nowMs = 0
let validUntilMs = 0
let term: LiveTerm

beforeEach(() => {
  nowMs = 1_000
  validUntilMs = 11_000
  term = new LiveTerm({ lease: 'ingest', token: 7 }, { now: () => nowMs, validUntilMs: () => validUntilMs })
})

function thrown(call: () => void): TermExpiredError {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(TermExpiredError)
    return error as TermExpiredError
  }
  throw new Error('Nothing was thrown.')
}

test('a term says which lease, which token, and which partition it is for', () => {
  expect([term.lease, term.token, term.partition]).toEqual(['ingest', 7, undefined])
  const reign = { now: () => nowMs, validUntilMs: () => validUntilMs }
  expect(new LiveTerm({ lease: 'g.3', token: 8, partition: 3 }, reign).partition).toBe(3)
})

describe('a term is valid', () => {
  test('until the instant of its deadline, not at it', () => {
    nowMs = 10_999
    expect([term.isValid, term.remainingMs]).toEqual([true, 1])
    nowMs = 11_000
    expect([term.isValid, term.remainingMs]).toEqual([false, 0])
    nowMs = 50_000
    expect(term.remainingMs).toBe(0)
  })

  test('for longer with each renewal', () => {
    nowMs = 5_000
    validUntilMs = 15_000
    expect([term.isValid, term.remainingMs]).toEqual([true, 10_000])
    nowMs = 14_999
    expect(term.isValid).toBe(true)
  })

  test('no longer once the clock has passed the deadline, though nobody has told it yet: the signal comes later', () => {
    const { signal } = term
    nowMs = 11_000
    expect([term.isValid, signal.aborted]).toEqual([false, false])
    term.cut('expired')
    expect([term.isValid, signal.aborted]).toEqual([false, true])
  })

  test('no longer once it is told to end, however much time it has left', () => {
    term.revoke('stopped')
    expect([term.isValid, term.remainingMs]).toEqual([false, 10_000])
  })
})

describe('a revoke', () => {
  test('aborts the signal and resolves the promise, with one and the same reason', async () => {
    const { signal, revoked } = term
    term.revoke('moved')
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBeInstanceOf(TermExpiredError)
    expect(await revoked).toBe(signal.reason)
    expect(signal.reason).toMatchObject({
      code: 'TERM_EXPIRED',
      reason: 'moved',
      message: 'Term 7 of ingest was ended: moved.',
    })
  })

  test('is told to those, too, who ask for the signal and the promise only afterwards', async () => {
    term.revoke('stopped')
    expect(term.signal.aborted).toBe(true)
    expect(await term.revoked).toBe(term.signal.reason)
    expect(thrown(() => term.ensureValid())).toBe(term.signal.reason)
  })

  test.each(['signal first', 'promise first'])('gives one signal and one promise to all who ask: %s', async (order) => {
    if (order === 'signal first') void term.signal
    else void term.revoked
    const before = [term.signal, term.revoked]
    term.revoke('stopped')
    expect([term.signal, term.revoked]).toEqual(before)
    expect(term.signal).toBe(before[0])
    expect(await term.revoked).toBe(term.signal.reason)
  })

  test('is told once, and the first reason stays', async () => {
    let aborts = 0
    term.signal.addEventListener('abort', () => {
      aborts += 1
    })
    term.revoke('stepped-down')
    term.revoke('stopped')
    term.cut('session-lost')
    expect(aborts).toBe(1)
    expect((await term.revoked).reason).toBe('stepped-down')
    expect((term.signal.reason as TermExpiredError).reason).toBe('stepped-down')
  })

  test('fixes the deadline: renewals that come later add nothing', () => {
    nowMs = 4_000
    term.revoke('stopped')
    validUntilMs = 20_000
    expect(term.remainingMs).toBe(7_000)
    nowMs = 9_000
    expect(term.remainingMs).toBe(2_000)
    nowMs = 11_000
    expect([term.remainingMs, term.deadlineMs]).toEqual([0, 11_000])
  })

  test('makes the promise resolve; it never rejects, so that nobody need handle it', async () => {
    const pending = term.revoked
    term.revoke('fatal-work')
    await expect(pending).resolves.toBeInstanceOf(TermExpiredError)
  })

  test('lets a listener look at a term that is over already', () => {
    const seen: unknown[] = []
    term.signal.addEventListener('abort', () => seen.push([term.isValid, term.isRevoked, term.remainingMs]))
    term.revoke('stopped')
    expect(seen).toEqual([[false, true, 10_000]])
  })
})

describe('a cut', () => {
  test('leaves nothing: the lease may be another’s already', async () => {
    const { signal } = term
    nowMs = 4_000
    term.cut('session-lost')
    expect([term.isValid, term.remainingMs, term.deadlineMs]).toEqual([false, 0, 4_000])
    expect(signal.reason).toMatchObject({ reason: 'session-lost' })
    expect(await term.revoked).toBe(signal.reason)
  })

  test('ends a handover that is under way', () => {
    term.revoke('stopped')
    nowMs = 4_000
    term.cut('session-lost')
    expect([term.remainingMs, term.deadlineMs]).toEqual([0, 4_000])
  })

  test('gives no time back to a term whose deadline has passed', () => {
    nowMs = 12_000
    term.cut('expired')
    expect(term.deadlineMs).toBe(11_000)
  })
})

describe('ensureValid', () => {
  test('lets a valid term through, and one that has just enough time left', () => {
    term.ensureValid()
    term.ensureValid('10s')
    term.ensureValid(10_000)
  })

  test('throws where there is less time left than asked for, though the term goes on', () => {
    nowMs = 1_001
    const error = thrown(() => term.ensureValid('10s'))
    expect(error).toMatchObject({
      code: 'TERM_EXPIRED',
      reason: 'expired',
      message: 'Term 7 of ingest has 9999 ms left, less than the 10000 ms asked for.',
    })
    expect([term.isValid, term.isRevoked]).toEqual([true, false])
    term.ensureValid('9s')
  })

  test('throws at the deadline, before anybody has told the term', () => {
    nowMs = 11_000
    expect(thrown(() => term.ensureValid())).toMatchObject({
      reason: 'expired',
      message: 'Term 7 of ingest is out of time.',
    })
  })

  test('throws after a revoke with its reason, though there is time left to clean up', () => {
    term.revoke('stepped-down')
    expect(term.remainingMs).toBe(10_000)
    expect(thrown(() => term.ensureValid())).toBe(term.signal.reason)
  })

  test('refuses what is no duration', () => {
    expect(() => term.ensureValid('10')).toThrow('expected is "10"; allowed is a duration')
    expect(() => term.ensureValid(-1)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})

test('whatever happens to a term: once it is not valid it never is again, and its signal agrees with its promise', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(5_000) }),
    fc.record({ kind: fc.constant('renew' as const), ms: fc.nat(5_000) }),
    fc.record({ kind: fc.constantFrom('revoke' as const, 'cut' as const), ms: fc.constant(0) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      nowMs = 0
      validUntilMs = 5_000
      const one = new LiveTerm({ lease: 'l', token: 1 }, { now: () => nowMs, validUntilMs: () => validUntilMs })
      let wasOver = false
      let lastRemainingMs = Number.POSITIVE_INFINITY
      for (const { kind, ms } of steps) {
        if (kind === 'pass') nowMs += ms
        // As the runtime does it: a session that has run out is never extended.
        else if (kind === 'renew' && nowMs < validUntilMs) validUntilMs = nowMs + ms
        else if (kind === 'revoke') one.revoke('stopped')
        else if (kind === 'cut') one.cut('expired')
        if (wasOver) expect(one.isValid).toBe(false)
        wasOver = !one.isValid
        expect(one.signal.aborted).toBe(one.isRevoked)
        if (one.isRevoked) {
          expect(one.isValid).toBe(false)
          expect(one.remainingMs).toBeLessThanOrEqual(lastRemainingMs)
          lastRemainingMs = one.remainingMs
          expect(await one.revoked).toBe(one.signal.reason)
        }
        expect(one.remainingMs > 0 || !one.isValid).toBe(true)
      }
    }),
  )
})
