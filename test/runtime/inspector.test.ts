/** The option inspect: an inspector sees every actor, and whatever it does harms none of them. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { fixedRate } from '../../src/index.ts'
import { untilAborted } from '../support/work.ts'
import { LEASE_MS, RENEW_MS, World } from '../support/world.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

const nameOf = ({ actorRef }: InspectionEvent) => (actorRef as AnyActorRef).id

test.each(['a function', 'an observer'])('an inspector that is %s sees every actor of a reign', async (kind) => {
  const actors = new Set<string>()
  const see = (event: InspectionEvent) => {
    if (event.type === '@xstate.actor') actors.add(nameOf(event))
  }
  const { simba } = world.client({ inspect: kind === 'a function' ? see : { next: see } })
  simba.election('ingest').schedule(fixedRate('1s'), () => {})
  simba.group('g', { partitions: 1 }).runWhileLeader(untilAborted)
  await world.pass(RENEW_MS)
  const expected = ['simba', 'session', 'elections', 'group/g', 'cohort.0', 'ingest', 'campaign', 'term', 'work', 'run']
  expect([...actors]).toEqual(expect.arrayContaining([...expected, 'join', 'view', 'partition/0', 'election']))
})

test.each([
  ['a function', () => { throw new Error('no') }], // biome-ignore format: one line each
  ['an observer', { next: () => { throw new Error('no') } }], // biome-ignore format: one line each
  ['an observer that hears nothing', {}],
])('an inspector that throws at every event, as %s, is logged, and the client goes on', async (_, inspect) => {
  const { simba, log, of } = world.client({ inspect })
  const task = simba.election('ingest').runWhileLeader(untilAborted)
  await world.pass(3 * LEASE_MS)
  expect(task.term?.isValid).toBe(true)
  await world.until(task.stop(), 0)
  await world.until(simba.stop(), 0)
  expect(of('handover.completed')).toHaveLength(1)
  const errors = new Set(log.of('error').map(({ message }) => message))
  expect([...errors]).toEqual(_.endsWith('nothing') ? [] : ['The inspector has failed.'])
})

test('what an inspector sees of contexts and events is plain data', async () => {
  const wrong: string[] = []
  const inspect = (event: InspectionEvent) => {
    if (event.type !== '@xstate.snapshot') return
    const { context } = event.snapshot as { context?: unknown }
    if (context === undefined) return
    try {
      structuredClone(context)
    } catch {
      wrong.push(nameOf(event))
    }
  }
  const { simba } = world.client({ inspect })
  simba.election('ingest').schedule(fixedRate('1s'), () => {})
  const group = simba.group('g', { partitions: 3 }).runWhileLeader(untilAborted)
  await world.pass(RENEW_MS)
  await world.until(group.stop(), 0)
  expect(wrong).toEqual([])
})
