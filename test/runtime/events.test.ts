/** What happens is told to whoever listens, and nobody who listens can do harm. */
import { afterEach, describe, expect, test } from 'vitest'
import type { SimbaEvent } from '../../src/index.ts'
import { Events } from '../../src/runtime/events.ts'
import { LogBook } from '../support/log-book.ts'
import { held, untilAborted } from '../support/work.ts'
import { LEASE_MS, RENEW_MS, World } from '../support/world.ts'

const OPENED: SimbaEvent = { type: 'session.opened', session: 's' }
const CLOSED: SimbaEvent = { type: 'session.closed', session: 's' }

describe('listeners', () => {
  const book = new LogBook()
  const events = new Events(book)
  const heard: SimbaEvent[] = []
  const hear = (event: SimbaEvent) => heard.push(event)

  afterEach(() => {
    heard.length = 0
    book.lines.length = 0
  })

  test('hear the type that they asked for, and no other', () => {
    const off = events.on('session.opened', hear)
    events.publish(OPENED)
    events.publish(CLOSED)
    off()
    expect(heard).toEqual([OPENED])
  })

  test('hear everything under the star', () => {
    const off = events.on('*', hear)
    events.publish(OPENED)
    events.publish(CLOSED)
    off()
    expect(heard).toEqual([OPENED, CLOSED])
  })

  test('hear nothing once they are off, and being off twice does no harm', () => {
    const off = events.on('*', hear)
    off()
    off()
    events.publish(OPENED)
    expect(heard).toEqual([])
  })

  test('that are one function stay as many as were asked for, each with its own end', () => {
    const offs = [events.on('*', hear), events.on('*', hear)]
    events.publish(OPENED)
    offs[0]?.()
    events.publish(CLOSED)
    offs[1]?.()
    events.publish(OPENED)
    expect(heard).toEqual([OPENED, OPENED, CLOSED])
  })

  test('that go off while they are being told do not disturb the others', () => {
    const offs: (() => void)[] = [events.on('*', () => offs[0]?.()), events.on('*', hear)]
    events.publish(OPENED)
    events.publish(CLOSED)
    offs[1]?.()
    expect(heard).toEqual([OPENED, CLOSED])
  })

  test('that throw are logged, and the others hear all the same', () => {
    const offs = [
      events.on('*', () => {
        throw new Error('no')
      }),
      events.on('*', hear),
    ]
    expect(() => events.publish(OPENED)).not.toThrow()
    for (const off of offs) off()
    expect(heard).toEqual([OPENED])
    expect(book.of('error')).toMatchObject([
      { message: 'A listener has failed.', details: { event: 'session.opened', err: { message: 'no' } } },
    ])
  })

  test.each([
    ['a promise', () => Promise.reject(new Error('later'))],
    ['a thenable', () => ({ then: (_: unknown, fail: (error: Error) => void) => fail(new Error('later')) })],
  ])('that reject later, by %s, are logged too', async (_, listener) => {
    const off = events.on('*', listener)
    events.publish(OPENED)
    off()
    await new Promise(setImmediate)
    expect(book.of('error')).toMatchObject([{ details: { event: 'session.opened', err: { message: 'later' } } }])
  })

  test('that are no functions are refused at once', () => {
    expect(() => events.on('*', undefined as never)).toThrow('The listener is undefined; allowed is a function.')
  })
})

describe('the events of a client', () => {
  let world: World
  afterEach(() => world.end())

  test('tell one reign from the session to its end, in order, as plain data', async () => {
    world = new World()
    const { simba, events } = world.client()
    const task = simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    const token = task.term?.token
    await world.pass(1_000)
    await task.stop()
    await world.until(simba.stop(), LEASE_MS)

    const of = { lease: 'ingest', token }
    expect(events).toEqual([
      { type: 'session.opened', session: expect.stringMatching(/^[0-9a-f]{32}$/) },
      { type: 'term.started', ...of },
      { type: 'work.started', ...of, run: 1 },
      { type: 'term.revoked', ...of, reason: 'stopped', remainingMs: 8_850 },
      { type: 'handover.started', ...of, reason: 'stopped' },
      { type: 'work.completed', ...of, run: 1, outcome: 'COMPLETED', durationMs: 1_000 },
      { type: 'term.ended', ...of, reason: 'stopped' },
      { type: 'handover.completed', ...of, confirmed: true, workMs: 0, releaseMs: 0 },
      { type: 'session.closed', session: (events[0] as { session: string }).session },
    ])
    expect(structuredClone(events)).toEqual(events)
  })

  test('say how long the work took to leave, and how long the store took to confirm', async () => {
    world = new World()
    const { simba, of, road } = world.client()
    const task = simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      await world.sleep(700)
    })
    await world.settle()
    road.trouble('release', road.slowAnswer(300))
    await world.until(task.stop(), LEASE_MS)
    expect(of('handover.completed')).toMatchObject([{ confirmed: true, workMs: 700, releaseMs: 300 }])
  })

  test('go on for the others when one listener throws at every event', async () => {
    world = new World()
    const { simba, of, log } = world.idleClient()
    simba.on('*', () => {
      throw new Error('no')
    })
    simba.send({ type: 'START' })
    const task = simba.election('ingest').runWhileLeader(untilAborted)
    await world.pass(2 * LEASE_MS)
    expect(task.term?.isValid).toBe(true)
    await world.until(task.stop(), LEASE_MS)
    expect(of('term.started')).toHaveLength(1)
    expect(of('handover.completed')).toHaveLength(1)
    expect(new Set(log.of('error').map(({ message }) => message))).toEqual(new Set(['A listener has failed.']))
  })

  test('are told outside of all work: a stop that a listener awaits is complete', async () => {
    world = new World()
    const { simba } = world.client()
    const order: string[] = []
    const exit = held()
    const ingest = simba.election('ingest').runWhileLeader(async (term) => {
      // The wait makes the timers, and all that they set going, part of this work.
      await simba.lock('section').acquire({ timeout: '10ms' })
      await untilAborted(term)
      await exit.promise
      order.push('exited')
    })
    await world.pass(RENEW_MS)
    simba.on('term.started', async () => {
      await ingest.stop()
      order.push('stopped')
    })
    const stranger = await world.stranger()
    await stranger.campaign('other', 1)
    simba.election('other').runWhileLeader(() => {})
    // The stranger runs out, and a renewal finds it.
    await world.pass(LEASE_MS + RENEW_MS)
    expect(order).toEqual([])
    exit.resolve()
    await world.pass(1)
    expect(order).toEqual(['exited', 'stopped'])
  })
})
