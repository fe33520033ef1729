/** Leader work that is an XState actor: a machine, a promise, a callback. It follows the same handover order as a function. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { assign, fromCallback, fromPromise, fromTransition, sendParent, setup } from 'xstate'
import { FatalWorkError, fixedRate, type Term, type TermRevokedEvent, type WorkLogicInput } from '../../src/index.ts'
import { held } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

const outcomes = () => client.of('work.completed').map(({ outcome }) => outcome)
const run = (work: Parameters<ReturnType<Client['simba']['election']>['runWhileLeader']>[0]) =>
  client.simba.election('ingest').runWhileLeader(work)

describe('a machine', () => {
  const seen: unknown[] = []
  beforeEach(() => {
    seen.length = 0
  })

  /** Works until it is told, and then needs a while to come to its end. */
  function draining(ms: number) {
    return setup({
      types: {
        input: {} as WorkLogicInput,
        context: {} as { readonly term: Term },
        events: {} as TermRevokedEvent,
      },
      actors: { drain: fromPromise(() => world.sleep(ms)) },
      actions: { see: (_, what: string) => void seen.push(what) },
    }).createMachine({
      context: ({ input }) => ({ term: input.term }),
      initial: 'working',
      states: {
        working: {
          entry: { type: 'see', params: ({ context }) => `token ${context.term.token}` },
          on: { 'term.revoked': 'draining' },
        },
        draining: {
          entry: { type: 'see', params: ({ context }) => `valid: ${context.term.isValid}` },
          invoke: { src: 'drain', onDone: 'done' },
        },
        done: { type: 'final', entry: { type: 'see', params: 'done' } },
      },
    })
  }

  test('gets the term as its input, is told of its end, and is awaited until it is done', async () => {
    const task = run(draining(600))
    await world.pass(RENEW_MS)
    const token = task.term?.token
    expect(seen).toEqual([`token ${token}`])
    expect(await world.until(task.stop(), LEASE_MS)).toBe(600)
    expect(seen).toEqual([`token ${token}`, 'valid: false', 'done'])
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED', durationMs: RENEW_MS + 600 }])
    expect(client.of('handover.completed')).toMatchObject([{ workMs: 600, confirmed: true }])
  })

  test('that takes longer than its term has left is stopped then, and abandoned', async () => {
    const task = run(draining(2 * LEASE_MS))
    await world.settle()
    expect(await world.until(task.stop(), LEASE_MS)).toBe(VALID_MS)
    expect(outcomes()).toEqual(['ABANDONED'])
    await world.pass(3 * LEASE_MS)
    expect(seen).not.toContain('done')
    expect(client.log.of('error')).toEqual([])
  })

  test('that has no transition for the end of its term is stopped at once, with all that it invokes', async () => {
    let isStopped = false
    const machine = setup({
      actors: {
        worker: fromCallback(() => () => {
          isStopped = true
        }),
      },
    }).createMachine({ invoke: { src: 'worker' } })
    const task = run(machine)
    await world.pass(RENEW_MS)
    expect(isStopped).toBe(false)
    expect(await world.until(task.stop(), LEASE_MS)).toBe(0)
    expect(isStopped).toBe(true)
    expect(outcomes()).toEqual(['COMPLETED'])
    expect(client.log.of('warn')).toEqual([])
  })

  test('that comes to its end early keeps the term, and is not started again in it', async () => {
    let runs = 0
    const count = () => {
      runs += 1
    }
    const machine = setup({ actions: { count } }).createMachine({
      initial: 'done',
      states: { done: { type: 'final', entry: 'count' } },
    })
    const task = run(machine)
    await world.pass(3 * LEASE_MS)
    expect([runs, task.term?.isValid, outcomes()]).toEqual([1, true, ['COMPLETED']])
    await world.until(task.stop(), 0)
    expect(outcomes()).toEqual(['COMPLETED'])
  })

  test('that fails is FAILED, and the term goes on; nothing is thrown at the process', async () => {
    const machine = setup({ actors: { fail: fromPromise(() => Promise.reject(new Error('no'))) } }).createMachine({
      invoke: { src: 'fail' },
    })
    const task = run(machine)
    await world.pass(LEASE_MS)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'FAILED', error: { message: 'no' } }])
    expect(task.term?.isValid).toBe(true)
  })

  test('that fails at once, in its first action, is FAILED, too', async () => {
    const machine = setup({
      actions: {
        fail: () => {
          throw new Error('no')
        },
      },
    }).createMachine({ entry: 'fail' })
    const task = run(machine)
    await world.pass(LEASE_MS)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'FAILED', error: { message: 'no' } }])
    expect(task.term?.isValid).toBe(true)
  })

  test('that fails fatally steps the election down', async () => {
    const machine = setup({
      actors: { fail: fromPromise(() => Promise.reject(new FatalWorkError('no'))) },
    }).createMachine({ invoke: { src: 'fail' } })
    run(machine)
    await world.pass(1_000)
    expect(client.of('election.stepped-down')).toHaveLength(1)
  })

  test('that fails on the way out is CANCELLED', async () => {
    const machine = setup({ actors: { fail: fromPromise(() => Promise.reject(new Error('no'))) } }).createMachine({
      initial: 'working',
      states: { working: { on: { 'term.revoked': 'failing' } }, failing: { invoke: { src: 'fail' } } },
    })
    const task = run(machine)
    await world.settle()
    await world.until(task.stop(), 0)
    expect(outcomes()).toEqual(['CANCELLED'])
  })

  test('may talk to its parent: what it says is nobody’s command', async () => {
    const machine = setup({ actors: { wait: fromPromise(() => world.sleep(5_000)) } }).createMachine({
      entry: sendParent({ type: 'work.progress' }),
      initial: 'working',
      states: { working: { invoke: { src: 'wait', onDone: 'done' } }, done: { type: 'final' } },
    })
    run(machine)
    await world.pass(4_999)
    expect(outcomes()).toEqual([])
    await world.pass(1)
    expect(outcomes()).toEqual(['COMPLETED'])
  })

  test('is started anew in each term', async () => {
    const machine = setup({
      types: { context: {} as { readonly count: number }, input: {} as WorkLogicInput, events: {} as { type: 'x' } },
      actions: { see: ({ context }) => void seen.push(context.count), count: assign({ count: 1 }) },
    }).createMachine({ context: { count: 0 }, entry: ['see', 'count'] })
    const task = run(machine)
    await world.settle()
    task.actor?.send({ type: 'STEP_DOWN' })
    await world.pass(LEASE_MS)
    expect(seen).toEqual([0, 0])
  })

  test('can be the run of a schedule', async () => {
    const machine = setup({ actors: { wait: fromPromise(() => world.sleep(300)) } }).createMachine({
      initial: 'working',
      states: { working: { invoke: { src: 'wait', onDone: 'done' } }, done: { type: 'final' } },
    })
    const task = client.simba.election('ingest').schedule(fixedRate('1s'), machine)
    await world.pass(2_500)
    expect(outcomes()).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
    await world.until(task.stop(), 0)
  })

  test('can be the work of a group, and gets its partition', async () => {
    const machine = setup({
      types: { input: {} as WorkLogicInput, context: {} as WorkLogicInput },
      actions: { see: ({ context }) => void seen.push([context.partition, context.term.partition]) },
    }).createMachine({ context: ({ input }) => input, entry: 'see' })
    const task = client.simba.group('g', { partitions: 3 }).runWhileLeader(machine)
    await world.settle()
    expect(seen.toSorted()).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
    await world.until(task.stop(), 0)
  })
})

describe('a promise logic', () => {
  test('gets the term, has its signal, and is awaited', async () => {
    const logic = fromPromise<string, WorkLogicInput>(async ({ input: { term } }) => {
      await term.revoked
      await world.sleep(400)
      return 'done'
    })
    const task = run(logic)
    await world.pass(RENEW_MS)
    expect(await world.until(task.stop(), LEASE_MS)).toBe(400)
    expect(outcomes()).toEqual(['COMPLETED'])
  })

  test('that is done keeps the term, and the end of the term does not reach it any more', async () => {
    const warn = vi.spyOn(console, 'warn')
    const task = run(fromPromise(async () => 5))
    await world.pass(LEASE_MS)
    expect(task.term?.isValid).toBe(true)
    await world.until(task.stop(), 0)
    expect(outcomes()).toEqual(['COMPLETED'])
    expect(warn.mock.calls).toEqual([])
    warn.mockRestore()
  })

  test('that rejects is FAILED', async () => {
    run(fromPromise(() => Promise.reject(new Error('no'))))
    await world.pass(LEASE_MS)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'FAILED', error: { message: 'no' } }])
  })

  test('that never settles is stopped at the deadline, and its own signal aborts', async () => {
    let isAborted = false
    const logic = fromPromise(({ signal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return new Promise(() => {})
    })
    const task = run(logic)
    await world.settle()
    expect(await world.until(task.stop(), LEASE_MS)).toBe(VALID_MS)
    expect([outcomes(), isAborted]).toEqual([['ABANDONED'], true])
  })

  test('is inside its own work: a stop that it awaits does not wait for itself', async () => {
    const order: string[] = []
    const task = run(
      fromPromise(async () => {
        await world.sleep(100)
        await task.stop()
        order.push('told')
      }),
    )
    await world.pass(1_000)
    expect([order, outcomes()]).toEqual([['told'], ['COMPLETED']])
  })
})

describe('another actor logic', () => {
  test('made of a callback is told of the end, and stopped at the deadline if it does not come to one', async () => {
    const told: string[] = []
    let isStopped = false
    const logic = fromCallback(({ receive }) => {
      receive(({ type }) => told.push(type))
      return () => {
        isStopped = true
      }
    })
    const task = run(logic)
    await world.settle()
    expect(await world.until(task.stop(), LEASE_MS)).toBe(VALID_MS)
    expect([told, isStopped, outcomes()]).toEqual([['term.revoked'], true, ['ABANDONED']])
  })

  test('made of a transition is told, too', async () => {
    const told: string[] = []
    const logic = fromTransition((state: null, { type }: { type: string }) => {
      told.push(type)
      return state
    }, null)
    const task = run(logic)
    await world.settle()
    await world.until(task.stop(), LEASE_MS)
    expect(told).toContain('term.revoked')
  })
})

test('work that throws what is no error has failed like any other, and its election goes on', async () => {
  const exit = held<unknown>()
  const thrown = [undefined, null, 'no', 5, Object.create(null), { code: 'X' }]
  const tasks = thrown.map((what, index) =>
    client.simba.election(`e-${index}`).runWhileLeader(() => exit.promise.then(() => Promise.reject(what))),
  )
  await world.settle()
  exit.resolve(undefined)
  await world.settle()
  expect(outcomes()).toEqual(thrown.map(() => 'FAILED'))
  expect(client.of('work.completed').map(({ error }) => error?.message)).toEqual([
    'undefined',
    'null',
    'no',
    '5',
    '[object Object]',
    '[object Object]',
  ])
  await world.until(Promise.all(tasks.map((task) => task.stop())), 0)
})
