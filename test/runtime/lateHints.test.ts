/** Hints that come when those they are meant for are no longer there. */
import { createSimba } from 'simba-xstate'
import { memory } from 'simba-xstate/memory'
import { expect, test } from 'vitest'

test('a hint that comes when a stopping client has no elections left, but a group that is still leaving, harms nobody', async () => {
  const errors: string[] = []
  const logger = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) }
  const simba = createSimba({ backend: memory(), logger })
  let leave!: () => void
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const leading = new Promise((resolve) => simba.on('work.started', resolve))
  const leaving = new Promise((resolve) => simba.on('term.revoked', resolve))
  simba.send({ type: 'START' })
  simba.group('g', { partitions: 1 }).runWhileLeader(() => left)
  await leading
  const stopped = simba.stop()
  await leaving
  simba.actor.send({ type: 'lease.freed', lease: 'g.0' })
  expect(simba.getSnapshot().status).toBe('active')
  leave()
  await stopped
  expect(errors).toEqual([])
})
