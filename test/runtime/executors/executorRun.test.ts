/** Work that runs elsewhere: it is told, it is ended by force in time, and the lease is not released before it is gone. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fixedRate } from '../../../src/index.ts'
import { FakeExecutor } from '../../support/executor.ts'
import { type Fault, hanging } from '../../support/road.ts'
import { untilAborted } from '../../support/work.ts'
import { type Client, LEASE_MS, MARGIN_MS, RENEW_MS, VALID_MS, World } from '../../support/world.ts'

let world: World
let client: Client
let executor: FakeExecutor

beforeEach(() => {
  world = new World()
  client = world.client()
  executor = new FakeExecutor()
})
afterEach(async () => {
  executor.onKill = (execution) => execution.exit()
  await world.end()
})

const start = () => client.simba.election('ingest').runWhileLeader(executor)
const outcomes = () => client.of('work.completed').map(({ outcome, error }) => error?.code ?? outcome)
const killedLater = (ms: number) => {
  executor.onKill = async (execution) => {
    if (execution.kills > 1) return
    await world.sleep(ms)
    execution.fail(new Error('killed'))
  }
}

describe('the work of an executor', () => {
  test('is given its term, and runs once in it', async () => {
    const task = start()
    await world.settle()
    expect(executor.last.assignment.term).toBe(task.term)
    expect(executor.last.assignment.node).toBe(client.simba.node)
    executor.last.exit()
    await world.pass(3 * LEASE_MS)
    expect(executor.executions).toHaveLength(1)
    expect(outcomes()).toEqual(['COMPLETED'])
    expect(task.term?.isValid).toBe(true)
  })

  test('is given its partition', async () => {
    client.simba.group('g', { partitions: 2 }).runWhileLeader(executor)
    await world.settle()
    expect(executor.executions.map(({ assignment }) => assignment.term.partition)).toEqual([0, 1])
  })

  test('looks at its term after each renewal, and is not ended as long as these come', async () => {
    start()
    await world.pass(5 * LEASE_MS)
    expect(executor.last.looks).toBe(Math.floor((5 * LEASE_MS) / RENEW_MS))
    expect(executor.last.kills).toBe(0)
  })

  test('looks when its term is told to end; the lease is released when it is gone', async () => {
    const task = start()
    await world.settle()
    const stopped = task.stop()
    await world.pass(600)
    expect([executor.last.looks, executor.last.assignment.term.endReason]).toEqual([1, 'stopped'])
    expect(await client.simba.election('ingest').leader()).not.toBeNull()
    executor.last.exit()
    expect(await world.until(stopped, 0)).toBe(0)
    expect([executor.last.kills, outcomes()]).toEqual([0, ['COMPLETED']])
    expect(client.of('handover.completed')).toMatchObject([{ workMs: 600, confirmed: true }])
  })

  test('fails as the run did, and the term goes on without it', async () => {
    const task = start()
    await world.settle()
    executor.last.fail(Object.assign(new Error('exit code 3'), { code: 'COMMAND_FAILED' }))
    await world.settle()
    expect(outcomes()).toEqual(['COMMAND_FAILED'])
    expect(task.term?.isValid).toBe(true)
  })

  test('that cannot be started is fatal: the election rests, and another node leads', async () => {
    const other = world.client()
    const task = client.simba.election('ingest').runWhileLeader({
      name: 'broken',
      execute() {
        throw new Error('no more threads')
      },
    })
    const second = other.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    expect(client.of('work.completed')).toMatchObject([
      { outcome: 'FAILED', error: { code: 'FATAL_WORK', message: 'The broken could not be started: no more threads' } },
    ])
    expect(client.of('election.stepped-down')).toHaveLength(1)
    expect([task.term, second.term?.isValid]).toEqual([undefined, true])
  })
})

describe('work that ignores the interrupt', () => {
  test('is ended at the deadline that was fixed by the interrupt, and no sooner', async () => {
    const task = start()
    await world.pass(2 * RENEW_MS + 1_000)
    void task.stop()
    await world.pass(VALID_MS - 1_000 - 1)
    expect(executor.last.kills).toBe(0)
    await world.pass(1)
    expect(executor.last.kills).toBe(1)
    expect(outcomes()).toEqual(['WORK_KILLED'])
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'CANCELLED' }])
    expect(client.log.of('warn').map(({ message }) => message)).toEqual([
      'The term is out of time and its work is still there: it is ended by force.',
    ])
  })

  test('keeps its lease until it is gone: nobody else leads before that', async () => {
    killedLater(700)
    const task = start()
    const other = world.client()
    await world.settle()
    const second = other.simba.election('ingest').runWhileLeader(untilAborted)
    const stopped = task.stop()
    await world.pass(VALID_MS + 699)
    expect([executor.last.kills, second.term]).toEqual([1, undefined])
    expect(await world.until(stopped, 1)).toBe(1)
    await world.settle()
    expect(second.term?.isValid).toBe(true)
    expect(client.of('handover.completed')).toMatchObject([{ workMs: VALID_MS + 700, confirmed: true }])
  })

  test('and the end by force as well is abandoned a lease duration later: a stop has an end', async () => {
    executor.onKill = () => {}
    const task = start()
    await world.settle()
    expect(await world.until(task.stop(), 3 * LEASE_MS)).toBe(VALID_MS + LEASE_MS)
    expect(outcomes()).toEqual(['ABANDONED'])
    executor.last.exit()
    await world.settle()
    expect(outcomes()).toEqual(['ABANDONED'])
  })

  test('of a schedule ends the loop with its term', async () => {
    killedLater(100)
    const task = client.simba.election('ingest').schedule(fixedRate('1s'), executor)
    await world.pass(1)
    expect(await world.until(task.stop(), 2 * LEASE_MS)).toBe(VALID_MS - 1 + 100)
    expect([executor.executions.length, outcomes()]).toEqual([1, ['WORK_KILLED']])
  })
})

describe('when the session is lost', () => {
  test('the work is ended at once, and this client begins no new term beside it', async () => {
    killedLater(MARGIN_MS + 3 * RENEW_MS)
    const task = start()
    await world.settle()
    client.road.block(hanging)
    await world.pass(VALID_MS)
    expect(executor.last.kills).toBe(1)
    client.road.heal()
    await world.pass(MARGIN_MS + 3 * RENEW_MS - 1)
    expect(executor.executions).toHaveLength(1)
    await world.pass(1)
    expect(executor.executions).toHaveLength(2)
    expect(task.term).toBe(executor.last.assignment.term)
  })

  test('a handover that is under way has no time left', async () => {
    const task = start()
    await world.settle()
    void task.stop()
    await world.pass(500)
    expect(executor.last.kills).toBe(0)
    client.road.hint({ type: 'session.lost' })
    await world.settle()
    expect([executor.last.kills, executor.last.assignment.term.remainingMs]).toEqual([1, 0])
  })

  test('while the event loop was blocked, the work is ended as soon as it runs again', async () => {
    start()
    await world.settle()
    await world.time.block(2 * LEASE_MS)
    expect(executor.executions[0]?.kills).toBe(1)
  })
})

test('a grant that the store has forgotten leaves no time: the work is ended at once', async () => {
  start()
  await world.settle()
  const forgetful: Fault = async (deliver) => ({ ...((await deliver()) as object), epoch: 2, holds: [] })
  client.road.trouble('renew', forgetful, 1)
  await world.pass(RENEW_MS)
  expect(executor.executions[0]?.kills).toBe(1)
  expect(client.of('term.revoked')).toMatchObject([{ reason: 'forgotten' }])
})

test('nothing is left when the client has stopped', async () => {
  const tasks = [start(), client.simba.group('g', { partitions: 3 }).schedule(fixedRate('5s'), executor)]
  await world.pass(LEASE_MS)
  for (const execution of executor.executions) execution.exit()
  await world.until(client.simba.stop(), LEASE_MS)
  expect(world.time.timers).toBe(0)
  await Promise.all(tasks.map((task) => task.stop()))
  expect(await world.storeIsEmpty()).toBe(true)
})

test('what is neither function, nor logic, nor executor is refused when it is declared', () => {
  expect(() => client.simba.election('w').runWhileLeader({} as never)).toThrow(
    'The work is [object Object]; allowed is a function of a term, an XState actor logic, workerThread() or command().',
  )
})
