/** Stories about stores that refuse, forget and do not push, and about what stands in them. */
import { expect } from 'vitest'
import { LEASE_MS, RENEW_MS } from '../simulation/plan.ts'
import { TRIP_MS } from './stage.ts'
import { ingest, story } from './story.ts'

story(
  'connections that break for less than a lease cost no term',
  { hazards: ['ioredis#144'], nodes: { ann: {}, ben: {} } },
  async ({ ann }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    ann.weather({ loseRequest: 1, noticeLoss: 1 })
    await stage.pass('7s')
    ann.heal()
    await stage.until('the session is confirmed again', () => stage.events('session.resumed').length === 1, '2s')
    await stage.pass('10s')
    expect(first.term.isValid).toBe(true)
    expect(stage.events('term.revoked')).toEqual([])
    // Repeated with pauses, and not in a circle.
    expect(stage.lines.filter(({ what }) => what.startsWith('request lost: renew')).length).toBeLessThan(6)
  },
)

story(
  'a candidate that hears no hints finds the freed lease within a renew interval',
  { hazards: ['ioredis#1451', 'ioredis#85'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    ben.weather({ loseHint: 1 })
    await stage.pass('4s')
    const askedMs = stage.nowMs
    await stage.settled(ann.stop('ingest'), '1s')
    const next = await ben.toLead('ingest', '4s')
    expect(next.startedAtMs - askedMs).toBeLessThan(RENEW_MS + TRIP_MS)
  },
)

story(
  'a store that has forgotten everything, its tokens too, grants nothing for a lease duration, and then greater ones',
  { hazards: ['bluetape4k#1069'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('2s')
    await stage.settled(ann.stop('ingest'), '1s')
    const second = await ben.toLead('ingest', '1s')
    ann.declare('ingest')
    await stage.pass('2s')
    stage.restartStore('lost')
    const restartedMs = stage.nowMs
    await stage.until('somebody leads again', () => stage.terms('ingest').length === 3, '12s')
    const [, , third] = stage.terms('ingest')
    expect(third!.startedAtMs - restartedMs).toBeGreaterThan(LEASE_MS)
    expect(first.token).toBeLessThan(second.token)
    expect(second.token).toBeLessThan(third!.token)
  },
)

story(
  'a candidate that has died does not keep the lease from the next in line',
  { hazards: ['Simba ADR 0001'], nodes: { ann: {}, ben: {}, cal: {} } },
  async ({ ann, ben, cal }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('3500ms')
    ben.crash()
    const askedMs = stage.nowMs
    await stage.settled(ann.stop('ingest'), '1s')
    const next = await cal.toLead('ingest', '4s')
    expect(next.startedAtMs - askedMs).toBeLessThan(RENEW_MS + 2 * TRIP_MS)
    expect(stage.terms('ingest')).toHaveLength(2)
  },
)

story(
  'a client that has stopped leaves nothing that would keep its process alive',
  {
    hazards: ['ioredis#1500'],
    nodes: { ann: {} },
    duties: [
      ingest,
      { name: 'report', work: { kind: 'well-behaved', forMs: 0 }, schedule: every(2_000) },
      { name: 'billing', work: { kind: 'well-behaved', forMs: 0 }, partitions: 2 },
    ],
  },
  async ({ ann }, stage) => {
    await ann.toLead('billing.1', '1s')
    await stage.pass('5s')
    expect(ann.machine.process.timers).toBeGreaterThan(0)
    await stage.settled(ann.stop(), '1s')
    const stoppedMs = stage.nowMs
    expect(ann.machine.process.timers).toBe(0)
    expect(ann.machine.link.inUse).toEqual({ connections: 0, listeners: 0 })
    await stage.pass('60s')
    expect(stage.carriedOut().filter(({ atMs }) => atMs > stoppedMs)).toEqual([])
  },
)

story(
  'what its old session still holds is nothing to a node: it closes that session, and campaigns for a new grant',
  { hazards: ['curator#1211'], nodes: { ann: {} } },
  async ({ ann }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    const { session } = stage.commands('open', ann)[0]!
    await stage.pass('4s')
    ann.cut()
    await stage.until('the session is lost', () => stage.events('session.lost').length === 1, '10s')
    // In the store it is alive for another 250 ms.
    ann.heal()
    const next = await ann.toLead('ingest', '4s')
    const methods = stage.carriedOut(ann).filter(({ atMs }) => atMs > first.ended!.atMs)
    expect(methods.find(({ method }) => method !== 'renew')).toMatchObject({ method: 'close', session })
    expect(next.token).toBeGreaterThan(first.token)
    expect(stage.commands('campaign', ann).at(-1)!.session).not.toBe(session)
  },
)

story(
  'a candidate that was not told of its place in line takes it up again, and leads when it is its turn',
  { hazards: ['curator#723'], nodes: { ann: {}, ben: { duties: [] }, cal: { isLate: true } } },
  async ({ ann, ben, cal }, stage) => {
    await ann.toLead('ingest', '1s')
    ben.losesAnswerTo('campaign')
    ben.declare('ingest')
    await stage.pass('100ms')
    cal.arrive()
    await stage.pass('5s')
    expect(stage.commands('campaign', ben).map(({ answer }) => answer)).toEqual([
      { kind: 'held', holder: 'ann' },
      { kind: 'held', holder: 'ann' },
    ])
    const askedMs = stage.nowMs
    await stage.settled(ann.stop('ingest'), '1s')
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs - askedMs).toBeLessThan(TRIP_MS)
  },
)

story(
  'a leader that hears nothing goes by its own deadline, though the store hears it and keeps its session',
  { hazards: ['node-zookeeper-client#20'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    ann.cut('answers')
    await stage.until('the first term has ended', () => first.ended?.atMs !== undefined, '10s')
    const unheard = stage.commands('renew', ann).filter(({ atMs }) => atMs > 4_000)
    expect(unheard.map(({ answer }) => (answer as { kind: string }).kind)).toEqual(['renewed', 'renewed'])
    expect(first.revoked).toMatchObject({ reason: 'expired' })
    // Its way to say so is open: the others need not wait for a session that the store has just renewed.
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs - first.ended!.atMs).toBeLessThan(TRIP_MS)
  },
)

story(
  'a node that dies when its grant is on its way strands nothing: the lease is led after a lease duration',
  { hazards: ['authentik#23876'], nodes: { ann: { duties: [] }, ben: { isLate: true } } },
  async ({ ann, ben }, stage) => {
    await stage.pass('1s')
    ann.declare('ingest')
    await stage.until('the grant is on its way', () => stage.commands('campaign', ann).length === 1, '1s')
    ann.crash()
    const { atMs } = stage.commands('open', ann)[0]!
    ben.arrive()
    const next = await ben.toLead('ingest', '11s')
    expect(next.startedAtMs - atMs).toBeGreaterThan(LEASE_MS)
    expect(next.startedAtMs - atMs).toBeLessThan(LEASE_MS + TRIP_MS)
    expect(stage.terms()).toEqual([next])
  },
)

function every(everyMs: number) {
  return { kind: 'fixedRate', everyMs, initialDelayMs: 0 } as const
}
