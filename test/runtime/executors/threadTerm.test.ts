/** A term as another thread sees it, played within one thread: what is written on one side is read on the other. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { remainingUntil, sharedDeadline } from '../../../src/runtime/clock/machine.ts'
import { TermMemory } from '../../../src/runtime/executors/thread/memory.ts'
import { ThreadTerm } from '../../../src/runtime/executors/thread/threadTerm.ts'

const A_DAY_MS = 24 * 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['hrtime', 'Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function termFor(ms: number) {
  const memory = new TermMemory()
  const write = (remainingMs: number, end?: Parameters<TermMemory['write']>[0]['end']) =>
    memory.write({ deadline: sharedDeadline(() => remainingMs), ...(end && { end }) })
  write(ms)
  const term = new ThreadTerm({ lease: 'ingest', token: 7, partition: 3 }, new TermMemory(memory.buffer))
  return { term, write }
}

test('a term says which lease, which token, and which partition it is for', () => {
  const { term } = termFor(1_000)
  expect([term.lease, term.token, term.partition]).toEqual(['ingest', 7, 3])
})

describe('a term in another thread is valid', () => {
  test('until the instant of its deadline, not at it', () => {
    const { term } = termFor(1_000)
    vi.advanceTimersByTime(999)
    expect(term.isValid).toBe(true)
    expect(term.remainingMs).toBeCloseTo(1, 3)
    vi.advanceTimersByTime(1)
    expect([term.isValid, term.remainingMs]).toEqual([false, 0])
  })

  test('for longer with each renewal, which is seen without a word', () => {
    const { term, write } = termFor(1_000)
    vi.advanceTimersByTime(900)
    write(1_000)
    vi.advanceTimersByTime(900)
    expect(term.isValid).toBe(true)
    expect(term.remainingMs).toBeCloseTo(100, 3)
  })

  test('no longer once it has seen its time run out, though a renewal is written a moment later', async () => {
    const { term, write } = termFor(1_000)
    vi.advanceTimersByTime(1_000)
    expect(term.isValid).toBe(false)
    write(1_000)
    expect([term.isValid, term.signal.aborted]).toEqual([false, true])
    expect((await term.revoked).reason).toBe('expired')
  })

  test('while the machine sleeps, its time runs on', () => {
    const { term } = termFor(60_000)
    // The monotonic clock stands still meanwhile.
    vi.setSystemTime(Date.now() + 59_000)
    expect(term.remainingMs).toBeCloseTo(1_000, 0)
    vi.setSystemTime(Date.now() + 1_001)
    expect(term.isValid).toBe(false)
  })

  test('whoever sets the wall clock back does not make it last longer', () => {
    const { term } = termFor(1_000)
    vi.setSystemTime(Date.now() - A_DAY_MS)
    vi.advanceTimersByTime(1_000)
    expect(term.isValid).toBe(false)
  })
})

describe('a term in another thread is told to end', () => {
  test('by the memory alone: whatever the work asks, it learns of it', async () => {
    const looks = [
      (term: ThreadTerm) => term.isValid,
      (term: ThreadTerm) => term.remainingMs,
      (term: ThreadTerm) => term.signal,
      (term: ThreadTerm) => term.revoked,
      (term: ThreadTerm) => expect(() => term.ensureValid()).toThrow('Term 7 of ingest was ended: moved.'),
    ]
    for (const look of looks) {
      const { term, write } = termFor(1_000)
      const { signal, revoked } = term
      vi.advanceTimersByTime(400)
      write(600, 'moved')
      expect(signal.aborted).toBe(false)
      look(term)
      expect(signal.aborted).toBe(true)
      expect(await revoked).toBe(signal.reason)
      expect(signal.reason).toMatchObject({ code: 'TERM_EXPIRED', reason: 'moved' })
      expect(term.isValid).toBe(false)
      expect(term.remainingMs).toBeCloseTo(600, 3)
    }
  })

  test('by a sign, where it asks nothing', () => {
    const { term, write } = termFor(1_000)
    const { signal } = term
    write(1_000, 'stopped')
    term.look()
    expect(signal.reason).toMatchObject({ reason: 'stopped' })
  })

  test('by its own timer at the deadline, where the other thread is busy', () => {
    const { term } = termFor(5_000)
    const { signal } = term
    vi.advanceTimersByTime(4_999)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(10)
    expect(signal.reason).toMatchObject({ reason: 'expired' })
  })

  test('and has no time left where its session is lost on the way', () => {
    const { term, write } = termFor(1_000)
    write(1_000, 'stopped')
    expect(term.remainingMs).toBeCloseTo(1_000, 3)
    write(0, 'stopped')
    expect([term.remainingMs, term.isValid]).toEqual([0, false])
  })
})

describe('a deadline for others', () => {
  test('is never later than it is, however long this process stands still while it writes', () => {
    const deadline = sharedDeadline(() => {
      vi.advanceTimersByTime(400)
      return 600
    })
    expect(remainingUntil(deadline)).toBeLessThanOrEqual(600)
  })

  test('counts the sleep between writing and reading', () => {
    const deadline = sharedDeadline(() => 10_000)
    vi.setSystemTime(Date.now() + 4_000)
    expect(remainingUntil(deadline)).toBeCloseTo(6_000, 0)
  })
})
