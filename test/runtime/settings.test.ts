/** The options of a client: what each may be, what they may be together, and what a refusal says. */
import { hostname } from 'node:os'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import { createSimba, SimbaError, type SimbaOptions } from '../../src/index.ts'
import { checkOptions } from '../../src/runtime/settings.ts'
import { LogBook } from '../support/log-book.ts'

const backend = memory()
const logger = new LogBook()
const settings = (options: object) => checkOptions({ backend, logger, ...options } as SimbaOptions)

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function refusal(options: object): SimbaError {
  try {
    settings(options)
  } catch (error) {
    expect(error).toBeInstanceOf(SimbaError)
    expect((error as SimbaError).code).toBe('INVALID_OPTION')
    return error as SimbaError
  }
  throw new Error(`Nobody refuses ${JSON.stringify(options)}.`)
}

describe('without options', () => {
  test('a lease lasts 15 s, is renewed every 5 s, and clocks may be 1 % apart', () => {
    expect(settings({})).toMatchObject({ leaseDurationMs: 15_000, renewIntervalMs: 5_000, marginMs: 200 })
  })

  test('the namespace is simba, and a node goes by its host and process', () => {
    expect(settings({})).toMatchObject({ namespace: 'simba', node: `${hostname()}:${process.pid}` })
  })

  test('a renew interval is a third of the lease duration, or what the margin leaves', () => {
    expect(settings({ leaseDuration: '1m' }).renewIntervalMs).toBe(20_000)
    expect(settings({ leaseDuration: 200, drift: 0.2 }).renewIntervalMs).toBe(55)
  })
})

describe('each option has its bounds', () => {
  test.each([
    [{ leaseDuration: 200 }, { leaseDurationMs: 200 }],
    [{ leaseDuration: 'PT1M' }, { leaseDurationMs: 60_000 }],
    [
      { leaseDuration: '1s', renewInterval: 20 },
      { leaseDurationMs: 1_000, renewIntervalMs: 20 },
    ],
    [{ leaseDuration: '10s', renewInterval: 4_925 }, { renewIntervalMs: 4_925 }],
    [{ leaseDuration: '10s', drift: 0 }, { marginMs: 50 }],
    [{ leaseDuration: '10s', drift: 0.2 }, { marginMs: 2_050 }],
    [{ namespace: 'a:b' }, { namespace: 'a:b' }],
    [{ node: 'n' }, { node: 'n' }],
    [{ node: '\u00e4 / {x}'.repeat(25) }, { node: '\u00e4 / {x}'.repeat(25) }],
  ])('%j is allowed', (options, expected) => {
    expect(settings(options)).toMatchObject(expected)
  })

  test.each([
    [{ leaseDuration: 199 }, 'leaseDuration is 199; allowed is a duration from 200 ms'],
    [{ leaseDuration: '10' }, 'leaseDuration is "10"; allowed is a duration'],
    [{ leaseDuration: Number.POSITIVE_INFINITY }, 'leaseDuration is Infinity; allowed is a duration'],
    [{ renewInterval: 19 }, 'renewInterval is 19; allowed is a duration from 20 ms'],
    [{ renewInterval: Number.NaN }, 'renewInterval is NaN; allowed is a duration'],
    [{ drift: -0.01 }, 'drift is -0.01; allowed is a number from 0 to 0.2.'],
    [{ drift: 0.21 }, 'drift is 0.21; allowed is a number from 0 to 0.2.'],
    [{ drift: Number.NaN }, 'drift is NaN; allowed is a number from 0 to 0.2.'],
    [{ drift: '1%' }, 'drift is "1%"; allowed is a number from 0 to 0.2.'],
    [{ namespace: '' }, 'namespace is ""; allowed are 1 to 128 characters'],
    [{ namespace: 'a b' }, 'namespace is "a b"; allowed are 1 to 128 characters'],
    [{ node: '' }, 'node is ""; allowed is a text of 1 to 255 characters.'],
    [{ node: 'n'.repeat(256) }, `node is "${'n'.repeat(256)}"; allowed is a text of 1 to 255 characters.`],
    [{ node: 5 }, 'node is 5; allowed is a text of 1 to 255 characters.'],
    [{ isFatal: true }, 'isFatal is true; allowed is a function.'],
    [{ logger: {} }, 'logger is [object Object]; allowed is an object with the functions debug, info, warn, error.'],
    [{ logger: { ...console, warn: 5 } }, 'logger is [object Object]; allowed is'],
    [{ logger: console.log }, 'allowed is an object with the functions debug, info, warn, error.'],
    [{ inspect: true }, 'inspect is true; allowed is a function or an observer.'],
    [{ environment: { random: 5 } }, 'environment.random is 5; allowed is a function.'],
    [{ environment: { time: {} } }, 'environment.time is [object Object]; allowed is an object with the functions'],
    [{ environment: { clock: {} } }, "environment has no option 'clock'; allowed are time, random."],
    [{ environment: 5 }, 'The options of environment are 5; allowed is an object with time, random.'],
    [{ backend: 5 }, "backend is 5; allowed is a backend like redis('redis://host:6379'), or its URL."],
    [{ backend: {} }, 'backend is [object Object]; allowed is a backend'],
    [{ backend: { connect: true } }, 'backend is [object Object]; allowed is a backend'],
    [{ backend: null }, 'backend is null; allowed is a backend'],
    [{ backend: '' }, "backend is no URL; allowed are 'memory:'"],
  ])('%j is refused, with what is allowed', (options, message) => {
    expect(refusal(options).message).toContain(message)
  })
})

describe('options are checked against each other', () => {
  test('a renew interval above half of what the margin leaves of the lease duration is refused', () => {
    expect(refusal({ leaseDuration: '10s', renewInterval: 4_926 }).message).toBe(
      'renewInterval is 4926; allowed is at most 4925 ms, half of what a leaseDuration of 10000 ms leaves after the margin of 150 ms.',
    )
  })

  test('the same interval is refused where clocks may be further apart', () => {
    expect(settings({ leaseDuration: '10s', renewInterval: '4s' }).renewIntervalMs).toBe(4_000)
    expect(refusal({ leaseDuration: '10s', renewInterval: '4s', drift: 0.2 }).message).toContain(
      'renewInterval is "4s"; allowed is at most 3975 ms',
    )
  })
})

describe('a backend has its say about them', () => {
  const zookeeper = (options: object, tickTime = '') =>
    refusal({ backend: `zookeeper://host${tickTime}`, ...options }).message

  test('a renew interval leaves ZooKeeper two of itself and of its ticks', () => {
    settings({ backend: 'zookeeper://host', leaseDuration: '12s' })
    settings({ backend: 'zookeeper://host', leaseDuration: '10s', renewInterval: '3s' })
    settings({ backend: 'zookeeper://host?tickTime=100', leaseDuration: '1s' })
    expect(zookeeper({ leaseDuration: '10s' })).toMatch(
      /^renewInterval is 3333\.3+\d* ms with a leaseDuration of 10000 ms and a ZooKeeper tickTime of 2000 ms; allowed is at most 3000 ms, half/,
    )
    expect(zookeeper({ leaseDuration: '10s', renewInterval: 3_001 })).toContain('zookeeper(url, { tickTime })')
    expect(zookeeper({ leaseDuration: '4s', renewInterval: 20 })).toContain(
      'allowed is a leaseDuration of more than two',
    )
  })

  test('and is asked with everything decided', () => {
    const asked: unknown[] = []
    const choosy = { ...backend, check: (options: object) => void asked.push(options) }
    settings({ backend: choosy, node: 'n', leaseDuration: '1m' })
    expect(asked).toEqual([{ node: 'n', leaseDurationMs: 60_000, renewIntervalMs: 20_000 }])
  })
})

test('an unknown key is refused, with the known ones', () => {
  expect(refusal({ leaseDuraton: '10s' }).message).toBe(
    "createSimba has no option 'leaseDuraton'; allowed are backend, namespace, node, leaseDuration, renewInterval, drift, isFatal, logger, inspect, environment.",
  )
  expect(() => createSimba(5 as SimbaOptions)).toThrow('The options of createSimba are 5; allowed is an object')
  expect(() => createSimba(null as unknown as SimbaOptions)).toThrow('The options of createSimba are null')
})

test('an option that is undefined is as good as none', () => {
  expect(settings({ node: undefined, leaseDuration: undefined, drift: undefined, isFatal: undefined })).toMatchObject({
    leaseDurationMs: 15_000,
    marginMs: 200,
  })
})

describe('the backend', () => {
  const named = (options: object) => checkOptions({ logger, ...options } as SimbaOptions).backend.name

  test.each([
    ['memory:', 'memory'],
    ['redis://127.0.0.1:6379', 'redis'],
    ['rediss://user:secret@127.0.0.1:6379/2', 'redis'],
    ['zookeeper://a:2181,b:2181/path', 'zookeeper'],
  ])('may be the URL %s', (url, name) => {
    expect(named({ backend: url })).toBe(name)
  })

  test.each([
    ['memory:here', "backend is a URL that begins with 'memory:'; allowed are 'memory:', 'sqlite:./leases.db'"],
    ['http://host', "backend is a URL that begins with 'http:'; allowed are"],
    ['localhost', 'backend is no URL; allowed are'],
    ['zookeeper://me:secret@host:0', "zookeeper(url): a host is \"host:0\"; allowed is 'host', 'host:port'"],
  ])('may not be %s', (url, message) => {
    expect(refusal({ backend: url }).message).toContain(message)
  })

  test('a password in a URL of no known store never gets into the message', () => {
    expect(refusal({ backend: 'postgres://me:secret@host/db' }).message).not.toContain('secret')
  })

  test('comes from SIMBA_BACKEND where the option is not given', () => {
    vi.stubEnv('SIMBA_BACKEND', 'redis://127.0.0.1:6379')
    expect(named({})).toBe('redis')
    expect(named({ backend: 'memory:' })).toBe('memory')
  })

  test('from SIMBA_BACKEND is refused under that name', () => {
    vi.stubEnv('SIMBA_BACKEND', 'postgres://me:secret@host')
    expect(() => checkOptions({ logger })).toThrow(
      "The environment variable SIMBA_BACKEND is a URL that begins with 'postgres:'; allowed are",
    )
  })

  test('of a client that names none is a memory of its own, and the log warns that nobody else sees it', () => {
    vi.stubEnv('SIMBA_BACKEND', undefined)
    const book = new LogBook()
    expect(checkOptions({ logger: book }).backend.name).toBe('memory')
    expect(book.of('warn').map(({ message }) => message)).toEqual([
      'No backend is set, so leases are kept in this process and no other process sees them. Set the option backend, or SIMBA_BACKEND.',
    ])
  })

  test('that is named gives no warning, memory included', () => {
    const book = new LogBook()
    checkOptions({ logger: book, backend: 'memory:' })
    expect(book.lines).toEqual([])
  })
})

describe('the arguments of other calls are checked at once, too:', () => {
  const simba = createSimba({ backend, logger })

  test.each([
    ['a name of an election', () => simba.election('a b'), 'The name of the election is "a b"; allowed are'],
    ['a name of a lock', () => simba.lock(''), 'The name of the lock is ""; allowed are'],
    ['a name of a group', () => simba.group('/', { partitions: 1 }), 'The name of the group is "/"; allowed are'],
    [
      'no partitions',
      () => simba.group('g', { partitions: 0 }),
      'partitions is 0; allowed is a whole number from 1 to 65536.',
    ],
    ['half a partition', () => simba.group('g', { partitions: 1.5 }), 'partitions is 1.5; allowed is'],
    ['too many partitions', () => simba.group('g', { partitions: 65_537 }), 'partitions is 65537; allowed is'],
    ['partitions as a text', () => simba.group('g', { partitions: '4' as never }), 'partitions is 4; allowed is'],
    [
      'a balance',
      () => simba.group('g', { partitions: 4, balance: 'even' as never }),
      "balance is even; allowed are 'hashed' and 'bounded'.",
    ],
    [
      'an unknown key of a group',
      () => simba.group('g', { partitions: 4, parts: 1 } as never),
      "group() has no option 'parts'; allowed are partitions, balance.",
    ],
    ['no options of a group', () => simba.group('g', undefined as never), 'The options of group() are undefined'],
    [
      'a name of a group whose last partition has too long a name',
      () => simba.group('g'.repeat(125), { partitions: 1_000 }),
      'The lease of the last partition is',
    ],
    ['work', () => simba.election('w').runWhileLeader(5 as never), 'The work is 5; allowed is a function of a term'],
    [
      'work of a group',
      () => simba.group('w', { partitions: 1 }).runWhileLeader({} as never),
      'The work is [object Object]; allowed is',
    ],
    [
      'an observer',
      () => simba.election('w').observe(undefined as never),
      'The listener is undefined; allowed is a function.',
    ],
    ['a listener', () => simba.on('*', 5 as never), 'The listener is 5; allowed is a function.'],
    ['a command', () => simba.send({ type: 'session.lost' } as never), 'A client takes START and STOP'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message)
  })

  test('a name that fits by its last partition is allowed', () => {
    expect(simba.group('g'.repeat(124), { partitions: 1_000 }).name).toHaveLength(124)
  })

  test('what was refused has taken no name', () => {
    expect(() => simba.election('free').runWhileLeader(5 as never)).toThrow()
    expect(() => simba.election('free').schedule({} as never, () => {})).toThrow()
    simba.election('free').runWhileLeader(() => {})
  })
})
