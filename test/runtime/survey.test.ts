/** What an operator sees through a client that may not even run. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hanging, refused } from '../support/road.ts'
import { untilAborted } from '../support/work.ts'
import { LEASE_MS, RENEW_MS, World } from '../support/world.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

test('a survey tells who leads, who waits and who is a member, to a client without a session', async () => {
  const [one, two] = [world.client(), world.client()]
  for (const { simba } of [one, two]) {
    simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    simba.group('billing', { partitions: 4 }).runWhileLeader(untilAborted)
  }
  await world.pass(RENEW_MS)
  const idle = world.idleClient()
  const survey = await idle.simba.survey()
  expect(survey.isWhole).toBe(true)
  expect(survey.leases.map(({ lease }) => lease)).toEqual([
    'billing.0',
    'billing.1',
    'billing.2',
    'billing.3',
    'ingest',
  ])
  expect(survey.leases.at(-1)).toMatchObject({
    holder: { node: 'node-1', ledForMs: RENEW_MS },
    waiting: [{ node: 'node-2' }],
  })
  expect(survey.groups).toMatchObject([{ group: 'billing', members: [{ partitions: 4 }, { partitions: 4 }] }])
  expect(idle.road.calls.map(({ method }) => method)).toEqual(['survey', 'disconnect'])
})

test('a survey of a store that does not answer is given up after a renew interval', async () => {
  const idle = world.idleClient()
  idle.road.trouble('survey', hanging)
  const survey = idle.simba.survey()
  const rejected = expect(survey).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  expect(
    await world.until(
      survey.catch(() => {}),
      LEASE_MS,
    ),
  ).toBe(RENEW_MS)
  await rejected
})

test('a backend without a survey is refused by name, and nothing is wrong with the store', async () => {
  const { backend } = world
  const client = world.idleClient({
    backend: {
      name: 'plain',
      connect: (environment) => ({ ...backend.connect(environment), survey: undefined, close: async () => {} }),
    },
  })
  await expect(client.simba.survey()).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: "The backend 'plain' has no survey.",
  })
  expect(client.of('backend.failing')).toEqual([])
})

test('a connection that was hard to close is no reason to doubt a store that answers', async () => {
  const idle = world.idleClient()
  idle.road.trouble('disconnect', refused)
  await idle.simba.survey()
  await world.settle()
  expect(idle.of('backend.failing')).toHaveLength(1)
  await idle.simba.survey()
  expect(idle.of('backend.recovered')).toHaveLength(1)
})
