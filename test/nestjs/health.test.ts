/** What the health indicator says, through the HealthCheckService of @nestjs/terminus. */
import { Injectable } from '@nestjs/common'
import { HealthCheckService, TerminusModule } from '@nestjs/terminus'
import { beforeEach, expect, test } from 'vitest'
import { SimbaLeader, SimbaPartitioned } from '../../src/decorators/index.ts'
import type { Term } from '../../src/index.ts'
import { SimbaHealthIndicator } from '../../src/nestjs/index.ts'
import { Road, refused } from '../support/road.ts'
import { LEASE_MS, RENEW_MS, World } from '../support/world.ts'
import { type Application, start } from './application.ts'

let world: World
let road: Road
let application: Application

@Injectable()
class Work {
  @SimbaLeader({ name: 'free' })
  free(): void {}

  @SimbaLeader({ name: 'taken' })
  taken(): void {}

  @SimbaPartitioned({ group: 'billing', partitions: 4, fixedRate: '1m' })
  bill(_term: Term, _partition: number): void {}
}

beforeEach(async () => {
  world = new World()
  road = new Road(world.backend, world.time)
  world
    .client()
    .simba.election('taken')
    .runWhileLeader((term) => term.revoked)
  world
    .client()
    .simba.election('billing.2')
    .runWhileLeader((term) => term.revoked)
  await world.settle()
  const terminus = TerminusModule.forRoot({ logger: false, errorLogStyle: 'json' })
  application = await start(world, { imports: [terminus], providers: [Work] }, { backend: road.backend })
  // Not a part of what is contended for.
  void application.simba.lock('a-lock').acquire()
  application.simba.election('taken').observe(() => {})
  await world.pass(10)
})

/** The status of the whole check, and what the indicator says. */
async function check() {
  const { app } = application
  const indicator = app.get(SimbaHealthIndicator)
  try {
    const { status, details } = await app.get(HealthCheckService).check([() => indicator.check('simba')])
    return { status, simba: details.simba }
  } catch (error) {
    return (error as { getResponse(): { status: string; details: Record<string, unknown> } }).getResponse()
  }
}

const ELECTIONS = { free: 'leading', taken: 'contending' }
const FAILED = { failing: { since: expect.stringMatching(/^\d{4}-.*Z$/), error: expect.any(String) } }

test('a live session is up, with what is led and what is contended for', async () => {
  const [opened] = application.events
  expect(opened?.type).toBe('session.opened')
  expect(await check()).toEqual({
    status: 'ok',
    simba: {
      status: 'up',
      node: 'nest',
      session: opened?.type === 'session.opened' && opened.session,
      elections: ELECTIONS,
      groups: { billing: { partitions: 4, leading: 3 } },
    },
  })
})

test('a store that fails makes it degraded, as long as the session lives, and since when', async () => {
  road.block(refused)
  await world.pass(RENEW_MS)
  expect(await check()).toMatchObject({
    status: 'degraded',
    simba: { status: 'degraded', elections: ELECTIONS, ...FAILED },
  })
  road.heal()
  // Until it is renewed, after half of what is left of the session.
  await world.pass(2 * RENEW_MS)
  const { simba } = (await check()) as { simba: object }
  expect(simba).toMatchObject({ status: 'up', elections: ELECTIONS })
  expect(simba).not.toHaveProperty('failing')
})

test('without a session it is down, and leads nothing', async () => {
  road.block(refused)
  await world.pass(2 * LEASE_MS)
  expect(await check()).toMatchObject({
    status: 'error',
    details: {
      simba: {
        status: 'down',
        session: null,
        elections: { free: 'contending', taken: 'contending' },
        groups: { billing: { partitions: 4, leading: 0 } },
        ...FAILED,
      },
    },
  })
  road.heal()
  await world.pass(2 * LEASE_MS)
  expect(await check()).toMatchObject({ status: 'ok', simba: { status: 'up', elections: ELECTIONS } })
})

test('an application that is closed is down', async () => {
  const indicator = application.app.get(SimbaHealthIndicator)
  await application.close()
  expect(indicator.check('leader-work')).toEqual({
    'leader-work': { status: 'down', node: 'nest', session: null, elections: {}, groups: {} },
  })
})
