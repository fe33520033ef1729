/** The ZooKeeper client against a server that does what no real one would: everything else is tried on a real one. */
import { afterEach, describe, expect, it } from 'vitest'
import { type ClientOptions, ZooKeeperClient } from '../../src/backends/zookeeper/client/client.ts'
import { LostError, SessionOverError } from '../../src/backends/zookeeper/client/errors.ts'
import { Frames } from '../../src/backends/zookeeper/client/frames.ts'
import { JuteReader } from '../../src/backends/zookeeper/client/jute-reader.ts'
import { JuteWriter } from '../../src/backends/zookeeper/client/jute-writer.ts'
import { Watches } from '../../src/backends/zookeeper/client/watches.ts'
import { zookeeper } from '../../src/backends/zookeeper/index.ts'
import { client, openClient, until } from '../support/store-client.ts'
import { type FakeManners, FakeZooKeeper, header, PASSWORD, welcome } from '../support/zookeeper-fake.ts'

const SILENCE_MS = 300

const GET_DATA = 4
const SYNC = 9
const MULTI = 14
const CREATE = 1
const CLOSE = -11

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function fake(manners?: FakeZooKeeper['manners']): Promise<FakeZooKeeper> {
  const server = await FakeZooKeeper.start(manners)
  cleanUps.push(() => server.dispose())
  return server
}

function clientOf(ports: readonly number[], options: Partial<ClientOptions> = {}): ZooKeeperClient & { log: string[] } {
  const log: string[] = []
  const made = new ZooKeeperClient({
    hosts: ports.map((port) => ({ host: '127.0.0.1', port })),
    timeoutMs: 10_000,
    silenceMs: SILENCE_MS,
    clock: { now: () => performance.now(), wallMs: () => Date.now() },
    random: () => 0,
    onUp: () => void log.push('up'),
    onDown: (error) => void log.push(`down: ${error.message}`),
    onOver: () => void log.push('over'),
    onAnswer: () => {},
    onError: (error) => void log.push(`error: ${error.message}`),
    ...options,
  })
  cleanUps.push(() => made.destroy())
  return Object.assign(made, { log })
}

describe('a connection', () => {
  it('is given up on an answer to another request, and what was asked has an unknown outcome', async () => {
    const server = await fake({ answer: ({ xid }) => header(xid + 1).frame() })
    const client = clientOf([server.port])
    await client.connect()
    await expect(client.sync('/')).rejects.toThrow(LostError)
    expect(client.log[1]).toMatch(/answer to request 2 instead of 1/)
    await until('there is another one', () => server.greetings.length === 2)
  })

  it('is given up on an answer that cannot be read', async () => {
    const server = await fake({ answer: ({ xid }) => header(xid).int(1_000).frame() })
    const client = clientOf([server.port])
    await client.connect()
    await expect(client.data('/')).rejects.toThrow(/outcome of 'data of \/' is unknown/)
    await until('there is another one', () => client.log.filter((line) => line === 'up').length === 2)
  })

  it('is given up on a frame of an impossible size', async () => {
    for (const size of [-1, 2 ** 30]) {
      const server = await fake({
        answer: () => {
          const frame = Buffer.alloc(4)
          frame.writeInt32BE(size)
          return frame
        },
      })
      const client = clientOf([server.port])
      await client.connect()
      await expect(client.sync('/')).rejects.toThrow(/a frame of/)
    }
  })

  it('is given up on silence, and not while something is answered', async () => {
    let unanswered = 0
    const server = await fake({
      answer: ({ xid }, socket) => {
        // One after the other, each within its time, all of them not.
        unanswered += 1
        setTimeout(() => socket.write(header(xid).frame()), (unanswered * SILENCE_MS * 2) / 3)
        return null
      },
    })
    const client = clientOf([server.port])
    await client.connect()
    await Promise.all([client.sync('/1'), client.sync('/2'), client.sync('/3'), client.sync('/4')])
    expect(client.log).toEqual(['up'])
    server.manners = { answer: () => null }
    const askedMs = performance.now()
    await expect(client.sync('/')).rejects.toThrow(/no answer within/)
    expect(performance.now() - askedMs).toBeGreaterThan(SILENCE_MS - 1)
  })

  it('that is lost rejects at once what is asked until there is another one, and sends none of it then', async () => {
    const server = await fake()
    const client = clientOf([server.port])
    await client.connect()
    server.hangUp()
    await until('it is lost', () => client.log.length > 1)
    await expect(client.sync('/lost')).rejects.toThrow(/not connected/)
    await until('there is another one', () => client.isUp)
    await client.sync('/')
    expect(server.requests).toHaveLength(1)
  })

  it('to a server that takes the session up and hangs up each time is not made in a circle', async () => {
    const server = await fake({
      greet: (_, socket) => {
        setTimeout(() => socket.destroy(), 5)
        return welcome()
      },
    })
    const client = clientOf([server.port])
    await client.connect()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(server.greetings.length).toBeLessThan(500 / 25)
    expect(server.greetings.length).toBeGreaterThan(1)
  })
})

describe('a session', () => {
  it('begins with the first server that welcomes it; each is tried once', async () => {
    const silent = await fake({ greet: () => null })
    const good = await fake()
    const gone = await fake()
    const { port } = gone
    await gone.dispose()
    cleanUps.splice(cleanUps.length - 1)
    const client = clientOf([port, silent.port, good.port])
    await client.connect()
    expect(client.sessionId).toBe(7n)
    const lonely = clientOf([port, silent.port])
    await expect(lonely.connect()).rejects.toThrow(`127.0.0.1:${silent.port}: no welcome within`)
    expect(silent.greetings).toHaveLength(2)
    await expect(lonely.connect()).rejects.toThrow(LostError)
  })

  it('is resumed with its id, its password and what it has seen last', async () => {
    const server = await fake({ answer: ({ xid }) => header(xid, 41n).frame() })
    const client = clientOf([server.port])
    await client.connect()
    await client.sync('/')
    server.hangUp()
    await until('it is resumed', () => server.greetings.length === 2)
    expect(server.greetings[0]).toEqual({
      lastZxid: 0n,
      timeoutMs: 10_000,
      sessionId: 0n,
      password: Buffer.alloc(16),
    })
    expect(server.greetings[1]).toEqual({ lastZxid: 41n, timeoutMs: 10_000, sessionId: 7n, password: PASSWORD })
  })

  it('that the server does not know any more is over, and is not begun anew', async () => {
    const server = await fake()
    const client = clientOf([server.port])
    await client.connect()
    server.manners = { greet: () => welcome(0n, 0) }
    server.hangUp()
    await until('it is over', () => client.log.includes('over'))
    await expect(client.sync('/')).rejects.toThrow(SessionOverError)
    expect(server.greetings).toHaveLength(2)
  })

  it('that was refused as expired is over', async () => {
    const server = await fake({ answer: ({ xid }) => header(xid, 1n, -112).frame() })
    const client = clientOf([server.port])
    await client.connect()
    await expect(client.sync('/')).rejects.toThrow(SessionOverError)
    expect(client.log).toEqual(['up', 'over'])
  })

  it('that was taken over at another server is resumed', async () => {
    let times = 0
    const server = await fake({ answer: ({ xid }) => header(xid, 1n, times++ === 0 ? -118 : 0).frame() })
    const client = clientOf([server.port])
    await client.connect()
    await expect(client.sync('/')).rejects.toThrow(/SessionMoved/)
    await until('it is resumed', () => client.log.filter((line) => line === 'up').length === 2)
    await client.sync('/')
  })

  it('that is let go of while it begins leaves no connection', async () => {
    const server = await fake({ greet: () => null })
    const client = clientOf([server.port])
    const connecting = client.connect()
    await until('it was greeted', () => server.greetings.length === 1)
    await client.destroy()
    await expect(connecting).rejects.toThrow()
    expect(client.log).toEqual([])
  })
})

describe('a session of the port', () => {
  const record = JSON.stringify({ format: 1, base: 1 })
  const STAT_INTS = 17
  /** A namespace that is there, and the creation of the session's node. */
  const answer: FakeManners['answer'] = ({ xid, type }) => {
    const writer = header(xid)
    if (type === GET_DATA) {
      writer.text(record)
      for (let at = 0; at < STAT_INTS; at++) writer.int(0)
    }
    if (type === MULTI) writer.int(CREATE).bool(false).int(0).text('/').int(-1).bool(true).int(-1)
    return writer.frame()
  }

  it('is given up at once where another server would keep it for less than its lease lasts', async () => {
    const server = await fake({ greet: ({ timeoutMs }) => welcome(7n, timeoutMs), answer })
    const opened = await openClient(zookeeper(`zookeeper://127.0.0.1:${server.port}`), 'n')
    cleanUps.push(() => opened.connection.close())
    server.manners = { greet: () => welcome(7n, 40_000), answer }
    server.hangUp()
    await until('it is lost', () => opened.hinted.includes('session.lost'))
    expect(opened.log.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('maxSessionTimeout') })
    expect(await opened.player.renew()).toEqual({ kind: 'unknown' })
  })
})

describe('who asks for leaders', () => {
  it('lets the server catch up with the ensemble first, on the same connection', async () => {
    const server = await fake({ answer: ({ xid, type }) => header(xid, 1n, type === GET_DATA ? -101 : 0).frame() })
    const { connection } = client(zookeeper(`zookeeper://127.0.0.1:${server.port}`), 'n')
    expect(await connection.leaders(['x', 'y'])).toEqual([null, null])
    expect(server.requests.map(({ type }) => type)).toEqual([SYNC, GET_DATA, GET_DATA, GET_DATA])
    await connection.close()
    expect(server.requests.at(-1)?.type).toBe(CLOSE)
  })
})

describe('bytes', () => {
  const frames = ['', 'a', 'b'.repeat(300), 'c'.repeat(70_000)].map((text) => new JuteWriter().text(text).frame())
  const whole = Buffer.concat(frames)

  it('are cut into frames wherever the stream was cut', () => {
    for (const size of [1, 2, 3, 5, 7, 4_096, whole.length]) {
      const cutter = new Frames()
      const found: Buffer[] = []
      for (let at = 0; at < whole.length; at += size) found.push(...cutter.feed(whole.subarray(at, at + size)))
      expect(found.map((frame) => frame.length)).toEqual(frames.map((frame) => frame.length - 4))
      expect(found.map((frame) => new JuteReader(frame).text().length)).toEqual([0, 1, 300, 70_000])
    }
  })

  it('are read as they were written', () => {
    const writer = new JuteWriter()
      .int(-5)
      .long(-(2n ** 60n))
      .bool(true)
      .bool(false)
      .text('zoö')
      .bytes(Buffer.of(1, 2))
    writer.list(['x', 'y'], (item) => writer.text(item))
    const reader = new JuteReader(writer.frame().subarray(4))
    expect([reader.int(), reader.long(), reader.bool(), reader.bool(), reader.text()]).toEqual([
      -5,
      -(2n ** 60n),
      true,
      false,
      'zoö',
    ])
    expect([...reader.bytes()]).toEqual([1, 2])
    expect(reader.list(() => reader.text())).toEqual(['x', 'y'])
    expect(() => reader.int()).toThrow(RangeError)
  })

  it('that announce more than there is are no buffer', () => {
    const reader = new JuteReader(new JuteWriter().int(10).frame().subarray(4))
    expect(() => reader.bytes()).toThrow(RangeError)
    expect(new JuteReader(new JuteWriter().int(-1).frame().subarray(4)).bytes()).toHaveLength(0)
  })
})

describe('watches', () => {
  it('are set anew in requests of a size that a server takes, each path in one of them', () => {
    const watches = new Watches()
    const paths = (kind: string) => Array.from({ length: 5_000 }, (_, n) => `/simba/namespace/holders/${kind}.${n}`)
    for (const path of paths('there')) watches.add('node', path, true, () => {})
    for (const path of paths('absent')) watches.add('node', path, false, () => {})
    for (const path of paths('parent')) watches.add('children', path, true, () => {})
    const lists: [string[], string[], string[]] = [[], [], []]
    for (const write of watches.requests(9n)) {
      const writer = new JuteWriter()
      write(writer)
      const frame = writer.frame()
      expect(frame.length).toBeLessThan(200_000)
      const reader = new JuteReader(frame.subarray(4))
      expect(reader.long()).toBe(9n)
      for (const list of lists) list.push(...reader.list(() => reader.text()))
      expect(reader.isDone).toBe(true)
    }
    expect(lists).toEqual([paths('there'), paths('absent'), paths('parent')])
  })

  it('are told once, and of a deletion whichever they are', () => {
    const watches = new Watches()
    const told: string[] = []
    const event = (type: number, path: string) =>
      watches.tell(new JuteReader(new JuteWriter().int(type).int(3).text(path).frame().subarray(4)))
    watches.add('node', '/a', true, (happening) => told.push(`node ${happening}`))
    watches.add('children', '/a', true, (happening) => told.push(`children ${happening}`))
    event(4, '/a')
    event(4, '/a')
    event(2, '/b')
    event(-1, '')
    expect(told).toEqual(['children children'])
    watches.add('children', '/a', true, (happening) => told.push(`children ${happening}`))
    event(2, '/a')
    event(1, '/a')
    expect(told).toEqual(['children children', 'node deleted', 'children deleted'])
  })
})
