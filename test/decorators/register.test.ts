/** What decorated methods declare: what runs, when, with what, and what ends it. In both modes of decorators. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Term } from '../../src/index.ts'
import { held, untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, World } from '../support/world.ts'
import { FIXTURES } from './fixtures.ts'

interface Run {
  readonly method: string
  readonly self: object
  readonly args: readonly unknown[]
}

let world: World
let client: Client
let runs: Run[]
/** What the methods do. */
let work: (term: Term) => unknown

beforeEach(() => {
  world = new World()
  client = world.client()
  runs = []
  work = () => {}
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await world.end()
})

const termOf = ({ args: [term] }: Run) => term as Term
const methods = () => runs.map(({ method }) => method)

describe.each(FIXTURES)('with $mode decorators', ({ classes }) => {
  const { Reports, Billing, Ingest, Base, Derived, Unusual } = classes((method, self, ...args) => {
    runs.push({ method, self, args })
    return work(args[0] as Term)
  })

  test('a scheduled method runs when its attributes say so, in its term, on the node that leads', async () => {
    const reports = new Reports()
    client.simba.register(reports)
    const other = world.client()
    other.simba.register(new Reports())
    await world.pass(999)
    expect(methods()).toEqual(['cleanup'])
    await world.pass(1)
    expect(methods()).toEqual(['cleanup', 'report'])
    await world.pass(20_000)
    const reported = runs.filter(({ method }) => method === 'report')
    expect(reported.map(({ self }) => self)).toEqual([reports, reports, reports])
    expect(new Set(reported.map(termOf)).size).toBe(1)
    expect(termOf(reported[0]!)).toMatchObject({ lease: 'report', isValid: true })
    expect(other.of('term.started')).toEqual([])
  })

  test('a fixed delay counts from the end of a run', async () => {
    client.simba.register(new Reports())
    work = (term) => term.lease === 'cleanup' && world.sleep(500)
    await world.pass(60_499)
    expect(methods().filter((method) => method === 'cleanup')).toHaveLength(1)
    await world.pass(1)
    expect(methods().filter((method) => method === 'cleanup')).toHaveLength(2)
  })

  test('a method is called with what it is promised, and nothing more', async () => {
    client.simba.register([new Reports(), new Billing(), new Unusual()])
    await world.pass(10)
    const argsOf = (name: string) => runs.find(({ method }) => method === name)?.args
    expect(argsOf('cleanup')).toEqual([expect.objectContaining({ lease: 'cleanup' })])
    expect(argsOf('bill')).toEqual([expect.objectContaining({ lease: 'billing.0' }), 0])
    expect(argsOf('with-default')).toEqual([expect.objectContaining({ lease: 'with-default' }), 'default'])
  })

  test('a partitioned method runs for each partition that the node is given', async () => {
    const billing = new Billing()
    const { methods: registered } = client.simba.register(billing)
    await world.pass(10_000)
    expect(runs.map(({ args: [, partition] }) => partition)).toEqual([0, 1, 2, 0, 1, 2])
    expect(runs.every(({ self }) => self === billing)).toBe(true)
    expect(new Set(runs.map((run) => termOf(run).token)).size).toBe(3)
    expect(registered).toEqual([expect.objectContaining({ kind: 'group', method: 'Billing.bill', name: 'billing' })])
  })

  test('a leader runs once in each term, until it is told to end', async () => {
    const ends: Term[] = []
    work = async (term) => {
      await untilAborted(term)
      ends.push(term)
    }
    const { methods: registered } = client.simba.register(new Ingest())
    await world.pass(2 * LEASE_MS)
    expect([runs.length, ends.length]).toEqual([1, 0])
    const [ingest] = registered
    expect(ingest?.kind === 'election' && ingest.task.term).toBe(termOf(runs[0]!))
    ingest?.task.actor?.send({ type: 'STEP_DOWN' })
    await world.pass(LEASE_MS + 1)
    expect(runs).toHaveLength(2)
    expect(ends).toEqual([termOf(runs[0]!)])
    expect(termOf(runs[1]!).token).toBeGreaterThan(termOf(runs[0]!).token)
  })

  test('what a method throws is a failed run, and the schedule goes on', async () => {
    work = () => Promise.reject(new Error('no paper'))
    client.simba.register(new Billing())
    await world.pass(10_000)
    expect(runs).toHaveLength(6)
    expect(client.of('work.completed')[0]).toMatchObject({ outcome: 'FAILED', error: { message: 'no paper' } })
  })

  describe('placeholders', () => {
    test('are filled in from the environment, numbers and durations included', async () => {
      vi.stubEnv('BILLING_PARTITIONS', '2')
      vi.stubEnv('billing.every', '4s')
      vi.stubEnv('INGEST_NAME', 'ingest-of-north')
      const { methods: registered } = client.simba.register([new Billing(), new Ingest()])
      await world.pass(4_000)
      expect(registered.map(({ name }) => name)).toEqual(['billing', 'ingest-of-north'])
      expect(runs.flatMap(({ args: [, partition] }) => partition ?? [])).toEqual([0, 1, 0, 1])
    })

    test('or from a resolver that is given, and then from nowhere else', async () => {
      vi.stubEnv('INGEST_NAME', 'ingest-of-north')
      const given: Record<string, unknown> = { 'billing.partitions': 2, 'billing.every': 4_000 }
      const { methods: registered } = client.simba.register([new Billing(), new Ingest()], {
        resolve: (name) => given[name],
      })
      await world.pass(4_000)
      expect(registered.map(({ name }) => name)).toEqual(['billing', 'ingest'])
      expect(runs.flatMap(({ args: [, partition] }) => partition ?? [])).toEqual([0, 1, 0, 1])
    })
  })

  describe('classes that extend others', () => {
    test('inherit what those declare, run what overrides it, and replace what they declare anew', async () => {
      const derived = new Derived()
      const { methods: registered } = client.simba.register(derived)
      await world.settle()
      expect(registered.map(({ method, name }) => [method, name])).toEqual([
        ['Derived.inherited', 'inherited'],
        ['Derived.overridden', 'overridden'],
        ['Derived.declaredAnew', 'declared-by-derived'],
        ['Derived.added', 'added'],
      ])
      expect(methods().toSorted()).toEqual([
        'Base.inherited',
        'Base.overridden',
        'Derived.added',
        'Derived.declaredAnew',
        'Derived.overridden',
      ])
      expect(runs.every(({ self }) => self === derived)).toBe(true)
    })

    test('leave those as they are, whichever was made first', async () => {
      new Derived()
      const { methods: registered } = client.simba.register(new Base())
      await world.settle()
      expect(registered.map(({ name }) => name)).toEqual(['inherited', 'overridden', 'declared-by-base'])
      expect(methods().toSorted()).toEqual(['Base.declaredAnew', 'Base.inherited', 'Base.overridden'])
    })
  })

  describe('unusual methods:', () => {
    test('those that another decorator wraps, inside or outside; with symbols as names; protected; with defaults', async () => {
      const { methods: registered } = client.simba.register(new Unusual())
      await world.pass(10)
      expect(registered.map(({ method }) => method)).toContain('Unusual.Symbol(symbol)')
      expect(methods().toSorted()).toEqual([
        'protected',
        'symbol',
        'trace',
        'trace',
        'trace',
        'tracedInside',
        'tracedOutside',
        'tracedPartition',
        'with-default',
      ])
    })

    test('one that is replaced on the object is run as it is then', async () => {
      const billing = new Billing()
      client.simba.register(billing)
      await world.pass(10)
      const replaced = vi.spyOn(billing, 'bill').mockResolvedValue('nothing')
      await world.pass(10_000)
      expect(replaced).toHaveBeenCalledTimes(3)
      expect(runs).toHaveLength(3)
    })

    test('those of an object behind a proxy', async () => {
      const calls: PropertyKey[] = []
      const ingest = new Proxy(new Ingest(), {
        get(target, key, receiver) {
          calls.push(key)
          return Reflect.get(target, key, receiver)
        },
      })
      client.simba.register(ingest)
      await world.settle()
      expect(methods()).toEqual(['run'])
      expect(calls).toContain('run')
    })
  })

  describe('a registration', () => {
    test('that is stopped interrupts the work, awaits it, releases the leases, and lets others in', async () => {
      const exit = held()
      work = async (term) => {
        await untilAborted(term)
        await exit.promise
      }
      const registration = client.simba.register([new Ingest(), new Billing()])
      await world.pass(10)
      const other = world.client()
      other.simba.register([new Ingest(), new Billing()])
      await world.pass(10)
      const moved = runs.filter((run) => termOf(run).signal.aborted)
      let isStopped = false
      const stopped = registration.stop().then(() => {
        isStopped = true
      })
      await world.pass(100)
      expect(isStopped).toBe(false)
      expect(other.of('term.started')).toEqual([])
      exit.resolve()
      await world.until(stopped, 0)
      await world.settle()
      expect(
        other
          .of('term.started')
          .map(({ lease }) => lease)
          .toSorted(),
      ).toEqual(['billing.0', 'billing.1', 'billing.2', 'ingest'])
      expect(client.of('work.completed').map(({ outcome }) => outcome)).toEqual(Array(4).fill('COMPLETED'))
      expect(moved.length).toBeLessThan(4)
      await registration.stop()
    })

    test('that is stopped frees its names; closing and disposing do the same', async () => {
      for (const end of ['stop', 'close', Symbol.asyncDispose] as const) {
        const registration = client.simba.register(new Ingest())
        await world.settle()
        expect(() => client.simba.register(new Ingest())).toThrow('already')
        await world.until(Promise.resolve(registration[end]()), 0)
      }
      expect(runs).toHaveLength(3)
    })

    test('may be awaited from inside its methods, by two of them at once', async () => {
      const told: string[] = []
      work = async (term) => {
        await registration.stop()
        told.push(term.lease)
      }
      const registration = client.simba.register([new Ingest(), new Base()])
      await world.settle()
      await world.pass(10)
      expect(told.toSorted()).toEqual(['declared-by-base', 'ingest', 'inherited', 'overridden'])
      await world.until(registration.stop(), 0)
    })

    test('made before START begins with it, and goes through STOP and START', async () => {
      const idle = world.idleClient()
      work = untilAborted
      idle.simba.register(new Ingest())
      await world.pass(100)
      expect(runs).toEqual([])
      idle.simba.send({ type: 'START' })
      await world.settle()
      expect(runs).toHaveLength(1)
      await world.until(idle.simba.stop(), 0)
      idle.simba.send({ type: 'START' })
      await world.settle()
      expect(runs).toHaveLength(2)
    })

    test('of no objects is nothing to stop', async () => {
      const registration = client.simba.register([])
      expect(registration.methods).toEqual([])
      await registration.stop()
    })
  })
})
