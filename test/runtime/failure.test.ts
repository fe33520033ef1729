/** A client whose root actor itself has failed, which only a defect of ours can do: nothing of it goes on, and nobody waits for it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClientCommand } from '../../src/machines/client.ts'
import { untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, World } from '../support/world.ts'

let world: World
let client: Client
beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

const fail = () => client.simba.actor.send({ type: 'task.start', task: null } as unknown as ClientCommand)

test('all terms are told at once, tasks have ended, and the store forgets it within a lease duration', async () => {
  const task = client.simba.election('ingest').runWhileLeader(untilAborted)
  const group = client.simba.group('g', { partitions: 3 }).runWhileLeader(untilAborted)
  const lock = client.simba.lock('section')
  const held = await lock.acquire()
  const waiting = lock.acquire()
  await world.pass(0)
  const terms = [task.term, group.term(0), group.term(2)]
  expect(terms.map((term) => term?.isValid)).toEqual([true, true, true])
  fail()
  expect(terms.map((term) => term?.isValid)).toEqual([false, false, false])
  expect(terms.map((term) => term?.signal.aborted)).toEqual([true, true, true])
  expect(held.signal.aborted).toBe(true)
  await expect(waiting).rejects.toMatchObject({ code: 'STOPPED' })
  await world.until(Promise.all([task.stop(), group.stop(), held.release()]), 0)
  expect(client.log.of('error')[0]?.message).toContain('The client has failed')
  await world.pass(LEASE_MS)
  expect(world.time.timers).toBe(0)
  expect(await world.storeIsEmpty()).toBe(true)
})

test('its stop returns, and so does that of what is declared on it afterwards', async () => {
  fail()
  const task = client.simba.election('ingest').runWhileLeader(untilAborted)
  await world.until(task.stop(), 0)
  await world.until(client.simba.stop(), 0)
  expect(world.time.timers).toBe(0)
})
