/** The judge of writes finds what it is there for, and so does the fence. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Line } from '../real/orders.ts'
import { type Accepted, type Answer, Sink } from '../real/sink.ts'
import { type Evidence, findWriteFaults } from './writes.ts'

const renewal = (node: string, untilMs: number): Line => {
  return { node, atMs: 0, type: 'session.valid', session: `session of ${node}`, untilMs }
}
const start = (node: string, atMs: number, token: number): Line => {
  return { node, atMs, type: 'term.started', lease: 'x', token }
}
const write = (node: string, beganMs: number, token: number, answer: Answer, atMs = beganMs + 1): Line => {
  return { node, atMs, type: 'write', lease: 'x', token, beganMs, answer }
}
const accepted = (place: number, token: number, node: string): Accepted => ({ place, lease: 'x', token, node })

/** Term 1 on a, until 100; then term 2 on b. */
const TERMS = [renewal('a', 100), renewal('b', 1_000), start('a', 1, 1), start('b', 101, 2)]
const SOUND = [...TERMS, write('a', 50, 1, 1), write('b', 150, 2, 2)]
const THERE = [accepted(1, 1, 'a'), accepted(2, 2, 'b')]

function faults(evidence: Partial<Evidence>): readonly string[] {
  return findWriteFaults({ lines: SOUND, accepted: THERE, killed: new Set(), overlaps: [], ...evidence })
}

test('writes of one term after the other are no fault, nor is one that comes too late and is refused', () => {
  expect(faults({})).toEqual([])
  // Paused right before the write.
  expect(faults({ lines: [...SOUND, write('a', 99, 1, 'refused', 500)] })).toEqual([])
})

test('a lower token that is accepted', () => {
  const lines = [...SOUND, write('a', 99, 1, 3, 500)]
  expect(faults({ lines, accepted: [...THERE, accepted(3, 1, 'a')] })).toEqual([
    'write 3 of x with token 1 was accepted after one with 2',
  ])
})

test('a write that is lost, that was made by nobody, or of a term that never began', () => {
  expect(faults({ accepted: [accepted(1, 1, 'a')] })).toEqual(['write 2 of 2 of x on b is lost'])
  const another = [...THERE, accepted(3, 2, 'b')]
  expect(faults({ accepted: another })).toEqual(['write 3 of 2 of x on b was made by nobody'])
  expect(faults({ accepted: another, killed: new Set(['b']) })).toEqual([])
  expect(faults({ accepted: [...THERE, accepted(3, 3, 'b')], killed: new Set(['b']) })).toEqual([
    'write 3 is of term 3 of x on b, which never began',
  ])
  expect(faults({ lines: [...SOUND, write('b', 150, 2, 2)] })).toEqual(['write 2 was accepted twice'])
})

test('work that writes after its term, and a fence that refuses it in its term', () => {
  expect(faults({ lines: [...SOUND, write('a', 102, 1, 'refused')] })).toEqual([
    "a write of term 1 of x on a began 2.0 ms after the term's end",
  ])
  const refused = [...SOUND, write('b', 200, 2, 'refused')]
  expect(faults({ lines: refused })).toEqual(['a write of term 2 of x on b was refused in its term'])
  expect(faults({ lines: refused, overlaps: [{ fromMs: 90, toMs: 110 }] })).toEqual([])
})

test('the sink refuses a token that is lower than the newest of its lease, and numbers the rest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'simba-sink-'))
  const path = join(folder, 'sink.db')
  Sink.create(path)
  const [one, other] = [new Sink(path), new Sink(path)]
  expect(one.write({ lease: 'x', token: 2, node: 'a' })).toBe(1)
  expect(other.write({ lease: 'x', token: 1, node: 'b' })).toBe('refused')
  expect(other.write({ lease: 'y', token: 1, node: 'b' })).toBe(2)
  expect(one.write({ lease: 'x', token: 2, node: 'a' })).toBe(3)
  expect(one.read().map(({ place }) => place)).toEqual([1, 2, 3])
  for (const sink of [one, other]) sink.close()
  rmSync(folder, { recursive: true })
})
