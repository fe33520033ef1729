/** The judge finds what it is there for, in logs that no sound store could lead to. */
import { expect, test } from 'vitest'
import { findFaults } from './judge.ts'
import type { Line } from './orders.ts'

const renewal = (node: string, atMs: number, untilMs: number): Line => {
  return { node, atMs, type: 'session.valid', session: `session of ${node}`, untilMs }
}
const start = (node: string, atMs: number, token: number): Line => {
  return { node, atMs, type: 'term.started', lease: 'x', token }
}
const revoke = (node: string, atMs: number, token: number, remainingMs: number): Line => {
  return { node, atMs, type: 'term.revoked', lease: 'x', token, reason: 'stopped', remainingMs }
}
const left = (node: string, atMs: number, token: number): Line => {
  return { node, atMs, type: 'work.left', lease: 'x', token }
}
const end = (node: string, atMs: number, token: number): Line => {
  return { node, atMs, type: 'term.ended', lease: 'x', token, reason: 'stopped' }
}
const sessions = [renewal('a', 0, 100), renewal('b', 0, 1_000)]

test('a term that begins after the end, or after the deadline, of the one before is no fault', () => {
  const handover = [start('a', 1, 1), revoke('a', 10, 1, 90), left('a', 20, 1), end('a', 30, 1), start('b', 31, 2)]
  expect(findFaults([...sessions, ...handover])).toEqual([])
  expect(findFaults([...sessions, start('a', 1, 1), start('b', 101, 2)])).toEqual([])
})

test('a term that begins before the deadline of one that was killed', () => {
  const faults = ['term 2 of x on b began 1.0 ms before the end of term 1 of x on a']
  expect(findFaults([...sessions, start('a', 1, 1), start('b', 99, 2)])).toEqual(faults)
  expect(findFaults([...sessions, start('a', 1, 1), start('b', 99, 2)], { overlaps: true })).toEqual([])
})

test('terms may overlap that begin in a span for which nothing more is promised, and only these', () => {
  const lines = [...sessions, start('a', 1, 2), start('b', 50, 3)]
  expect(findFaults(lines, { overlaps: [{ fromMs: 40, toMs: 60 }] })).toEqual([])
  expect(findFaults(lines, { overlaps: [{ fromMs: 60, toMs: 80 }] })).toHaveLength(1)
})

test('of two that overlap in such a span, the first may begin last; but not with the token of a term that was over', () => {
  const overlaps = [{ fromMs: 40, toMs: 120 }]
  expect(findFaults([...sessions, start('a', 41, 3), start('b', 50, 2)], { overlaps })).toEqual([])
  expect(findFaults([...sessions, start('a', 41, 3), start('b', 101, 2)], { overlaps })).toEqual([
    'term 2 of x on b came after term 3 of x on a',
  ])
})

test('a term that begins while the work of the one before is still leaving', () => {
  const lines = [start('a', 1, 1), revoke('a', 10, 1, 90), start('b', 15, 2), left('a', 20, 1), end('a', 30, 1)]
  expect(findFaults([...sessions, ...lines])).toEqual([
    'term 2 of x on b began 15.0 ms before the end of term 1 of x on a',
  ])
})

test('a renewal moves the deadline of a term, but not once it is revoked', () => {
  const renewed = [start('a', 1, 1), renewal('a', 50, 150), start('b', 149, 2)]
  expect(findFaults([...sessions, ...renewed])).toHaveLength(1)
  const revoked = [start('a', 1, 1), revoke('a', 40, 1, 60), renewal('a', 50, 150), start('b', 101, 2)]
  expect(findFaults([...sessions, ...revoked])).toEqual([])
})

test('a process that was stopped and writes late had its deadline all the same', () => {
  const late = [start('a', 1, 1), start('b', 101, 2), revoke('a', 900, 1, 0), left('a', 901, 1), end('a', 902, 1)]
  expect(findFaults([...sessions, ...late])).toEqual([])
})

test('a token that goes back, and one that two terms share', () => {
  const first = [start('a', 1, 2), revoke('a', 2, 2, 98), left('a', 3, 2), end('a', 4, 2)]
  expect(findFaults([...sessions, ...first, start('b', 5, 1)])).toEqual([
    'term 1 of x on b came after term 2 of x on a',
  ])
  expect(findFaults([...sessions, ...first, start('b', 5, 2)])).toContain(
    'one token for term 2 of x on a and term 2 of x on b',
  )
})

test('a term that ends before its work has left, without having been revoked, or twice', () => {
  const early = [start('a', 1, 1), revoke('a', 2, 1, 98), end('a', 3, 1), left('a', 4, 1)]
  expect(findFaults([...sessions, ...early]).join()).toMatch('did not end in order')
  expect(findFaults([...sessions, start('a', 1, 1), end('a', 3, 1)])).toEqual([
    'term 1 of x on a ended without having been revoked',
  ])
  const twice = [start('a', 1, 1), revoke('a', 2, 1, 98), left('a', 3, 1), end('a', 4, 1), end('a', 5, 1)]
  expect(findFaults([...sessions, ...twice])).toContain('twice: term.ended of term 1 of x on a')
})

test('an error in the log', () => {
  expect(findFaults([{ node: 'a', atMs: 1, type: 'log', level: 'error', message: 'a defect', details: {} }])).toEqual([
    'a: a defect',
  ])
})
