import { expect, test } from 'vitest'
import { Turns } from '../../src/runtime/turns.ts'
import { untilAborted } from '../support/work.ts'
import { World } from '../support/world.ts'

test('a few steps in a row are done at once; promises that go on afterwards begin with a new count', async () => {
  const turns = new Turns(2)
  expect([turns.take(), turns.take(), turns.take(), turns.take()]).toEqual([true, true, false, false])
  await Promise.resolve()
  expect([turns.take(), turns.take(), turns.take()]).toEqual([true, true, false])
})

test('the works of thousands of partitions are interrupted in several turns of the event loop', async () => {
  const world = new World()
  const { simba, of } = world.client()
  const group = simba.group('g', { partitions: 2_000 }).runWhileLeader(untilAborted)
  await world.pass(0)
  expect(group.partitions()).toHaveLength(2_000)
  const turns: number[] = []
  let revoked = 0
  simba.on('term.revoked', () => {
    if (revoked === 0) setImmediate(endTurn)
    revoked += 1
  })
  function endTurn(): void {
    turns.push(revoked)
    revoked = 0
  }
  await world.until(group.stop(), 0)
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(2_000)
  expect(Math.max(...turns)).toBeLessThan(1_000)
  expect(of('handover.completed')).toHaveLength(2_000)
  await world.end()
})
