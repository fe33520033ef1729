/** Stories about handovers, stops and what work does meanwhile. */
import { expect } from 'vitest'
import type { Duty } from '../simulation/plan.ts'
import { LEASE_MS, MARGIN_MS, RENEW_MS } from '../simulation/plan.ts'
import { TRIP_MS } from './stage.ts'
import { ingest, story } from './story.ts'

function slow(exitMs: number): Duty {
  return { name: 'ingest', work: { kind: 'slow', exitMs } }
}

story(
  'the lease is released when the work has left, and not before',
  { hazards: ['kubernetes#139991', 'Simba 3'], nodes: { ann: {}, ben: {} }, duties: [slow(4_000)] },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('5s')
    const askedMs = stage.nowMs
    const tookMs = await stage.settled(ann.stop('ingest'), '5s')
    const [run] = first.runs
    const [release] = stage.commands('release')
    expect(run!.interrupted?.atMs).toBe(askedMs)
    expect(run!.exited!.atMs - askedMs).toBeCloseTo(4_000, 0)
    expect(release!.sentAtMs).toBeGreaterThanOrEqual(run!.exited!.atMs)
    expect(tookMs).toBeCloseTo(4_002, 0)
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs).toBeGreaterThan(release!.atMs)
    expect(next.startedAtMs - release!.atMs).toBeLessThan(TRIP_MS)
  },
)

story(
  'a release overtakes a renewal that is under way, and nobody waits for the lease',
  { hazards: ['kubernetes#131867'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('5s')
    ann.weather({ lateRequest: 1, lateMs: [2_000, 2_000] })
    await stage.pass('1200ms')
    ann.heal()
    const askedMs = stage.nowMs
    await stage.settled(ann.stop('ingest'), '1s')
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs - askedMs).toBeLessThan(TRIP_MS)
    await stage.pass('5s')
    const late = stage.commands('renew', ann).filter(({ atMs, sentAtMs }) => atMs - sentAtMs > 1_000)
    expect(late).toMatchObject([{ answer: { kind: 'renewed' } }])
    expect(late[0]!.atMs).toBeGreaterThan(next.startedAtMs)
    expect(next.term.isValid).toBe(true)
  },
)

story(
  'a leader that has lost its lease contends again, and leads again',
  { hazards: ['client-go#1155'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    ann.cut()
    await ben.toLead('ingest', '10s')
    await stage.pass('20s')
    ann.heal()
    // It has tried all the time, with pauses of at most a renew interval: so soon it is back.
    const healedMs = stage.nowMs
    await stage.until('ann is a candidate again', () => stage.commands('campaign', ann).length === 2, '7s')
    expect(stage.nowMs - healedMs).toBeLessThan(2 * RENEW_MS)
    ben.crash()
    const again = await ann.toLead('ingest', '11s')
    expect(again.token).toBeGreaterThan(first.token)
  },
)

story(
  'a candidate that never led says nothing of a term when it stops, and a leader says each thing once',
  { hazards: ['client-go#1187'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    await stage.settled(ben.stop(), '1s')
    await stage.settled(ann.stop('ingest'), '1s')
    await stage.settled(ann.stop(), '1s')
    const ofTerms = stage.lines.flatMap(({ who, event }) =>
      event && /^(term|work|handover)\./.test(event.type) ? [`${who} ${event.type}`] : [],
    )
    expect(ofTerms).toEqual([
      'ann term.started',
      'ann work.started',
      'ann term.revoked',
      'ann handover.started',
      'ann work.completed',
      'ann term.ended',
      'ann handover.completed',
    ])
  },
)

story(
  'work that does not leave holds up neither the other leases nor the stop beyond its deadline',
  {
    hazards: ['cilium#42920'],
    nodes: { ann: {}, ben: {} },
    duties: [ingest, { name: 'report', work: { kind: 'stubborn', forMs: 60_000 } }],
  },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    const report = await ann.toLead('report', '1s')
    await stage.pass('5s')
    const askedMs = stage.nowMs
    const stopped = ann.stop()
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs - askedMs).toBeLessThan(TRIP_MS)
    const tookMs = await stage.settled(stopped, '10s')
    expect(askedMs + tookMs - report.revoked!.deadlineMs).toBeLessThan(TRIP_MS)
    const after = await ben.toLead('report', '1s')
    expect(after.startedAtMs).toBeGreaterThanOrEqual(report.revoked!.deadlineMs)
    expect(stage.events('work.completed', ann).find(({ lease }) => lease === 'report')).toMatchObject({
      outcome: 'ABANDONED',
    })
  },
)

story(
  'a client that stops goes on renewing until its last work has left',
  { hazards: ['db-scheduler#365'], nodes: { ann: {}, ben: {} }, duties: [slow(7_000)] },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('5s')
    const askedMs = stage.nowMs
    await stage.settled(ann.stop(), '8s')
    const exitedMs = first.runs[0]!.exited!.atMs
    const renewals = stage.commands('renew', ann).filter(({ atMs }) => atMs > askedMs)
    expect(renewals.length).toBeGreaterThanOrEqual(2)
    expect(stage.commands('close', ann)[0]!.sentAtMs).toBeGreaterThanOrEqual(exitedMs)
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs).toBeGreaterThan(exitedMs)
    expect(next.startedAtMs - exitedMs).toBeLessThan(TRIP_MS)
  },
)

story(
  'a grant that comes after the stop is given back, and never becomes a term',
  { hazards: ['curator#524'], nodes: { ann: { duties: [] }, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ben.toLead('ingest', '1s')
    await stage.settled(ben.stop('ingest'), '1s')
    ann.weather({ delayMs: [1_000, 1_000] })
    ann.declare('ingest')
    await stage.until('the grant is on its way', () => stage.commands('campaign', ann).length === 1, '2s')
    const stopped = ann.stop('ingest')
    ben.declare('ingest')
    await stage.settled(stopped, '4s')
    const [grant] = stage.commands('campaign', ann)
    const [release] = stage.commands('release', ann)
    expect(grant).toMatchObject({ answer: { kind: 'granted' } })
    expect(release).toMatchObject({ answer: { kind: 'released' } })
    const next = await ben.toLead('ingest', '1s')
    expect(next.startedAtMs - release!.atMs).toBeLessThan(TRIP_MS)
    expect(stage.terms('ingest').filter(({ node }) => node.name === 'ann')).toEqual([])
  },
)

story(
  'a release that arrives twice, the second time after a new start, frees nothing of the newer grant',
  { hazards: ['Simba#459'], nodes: { ann: {}, ben: { isLate: true } } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    ann.weather({ repeatRequest: 1, lateMs: [3_000, 3_000] })
    await stage.settled(ann.stop('ingest'), '1s')
    ann.heal()
    ann.declare('ingest')
    const second = await ann.toLead('ingest', '1s')
    ben.arrive()
    await stage.pass('10s')
    expect(stage.commands('release', ann).map(({ answer }) => answer)).toEqual([
      { kind: 'released' },
      { kind: 'stale' },
    ])
    expect(second.term.isValid).toBe(true)
    expect(stage.terms('ingest').filter(({ node }) => node.name === 'ben')).toEqual([])
  },
)

story(
  'work that stops its own task gets an answer at once, and the stop is complete when it has left',
  {
    hazards: ['flink#13968'],
    nodes: { ann: {}, ben: {} },
    duties: [{ name: 'ingest', work: { kind: 'stopping-itself', afterMs: 3_000 } }],
  },
  async ({ ann, ben }) => {
    const first = await ann.toLead('ingest', '1s')
    const next = await ben.toLead('ingest', '4s')
    expect(first.runs[0]!.exited!.atMs - first.startedAtMs).toBeCloseTo(3_000, 0)
    expect(next.startedAtMs - first.startedAtMs).toBeLessThan(3_000 + TRIP_MS)
    expect(ann.machine.simba.getSnapshot().matches({ active: 'running' })).toBe(true)
  },
)

story(
  'a release that does not get through is repeated until it is confirmed',
  { hazards: ['etcd#22123'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('3500ms')
    ann.weather({ loseRequest: 1 })
    const stopped = ann.stop('ingest')
    await stage.pass('1s')
    ann.heal()
    const tookMs = await stage.settled(stopped, '5s')
    expect(tookMs).toBeGreaterThan(0)
    const next = await ben.toLead('ingest', '1s')
    expect(stage.commands('release', ann)).toMatchObject([{ answer: { kind: 'released' } }])
    expect(stage.events('handover.completed', ann)).toMatchObject([{ confirmed: true }])
    expect(next.startedAtMs - stage.commands('release', ann)[0]!.atMs).toBeLessThan(TRIP_MS)
  },
)

story(
  'a candidate whose campaign went wrong and that has stopped is never elected',
  { hazards: ['etcd#21128'], nodes: { ann: {}, ben: { duties: [] }, cal: { isLate: true } } },
  async ({ ann, ben, cal }, stage) => {
    await ann.toLead('ingest', '1s')
    ben.losesAnswerTo('campaign')
    ben.declare('ingest')
    await stage.pass('1s')
    const stopped = ben.stop('ingest')
    cal.arrive()
    await stage.settled(stopped, '4s')
    await stage.pass('2s')
    const askedMs = stage.nowMs
    await stage.settled(ann.stop('ingest'), '1s')
    const next = await cal.toLead('ingest', '1s')
    expect(next.startedAtMs - askedMs).toBeLessThan(TRIP_MS)
    expect(stage.commands('campaign', ben)).toMatchObject([{ answer: { kind: 'held' } }])
  },
)

story(
  'a candidate in the middle of the line that leaves makes no second leader',
  { hazards: ['etcd3#176'], nodes: { ann: {}, ben: {}, cal: {}, dan: {} } },
  async ({ ann, ben, cal, dan }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('2s')
    await stage.settled(cal.stop('ingest'), '1s')
    await stage.pass('2s')
    ben.crash()
    await stage.pass('12s')
    expect(stage.terms('ingest')).toEqual([first])
    expect(first.term.isValid).toBe(true)
    await stage.settled(ann.stop('ingest'), '1s')
    await dan.toLead('ingest', '1s')
    expect(stage.terms('ingest')).toHaveLength(2)
  },
)

story(
  'whatever comes during a handover, it goes on in its order',
  { hazards: ['akka#25639'], nodes: { ann: {}, ben: {} }, duties: [slow(6_000)] },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('5s')
    ann.stepDown('ingest')
    await stage.pass('1s')
    ann.stepDown('ingest')
    ann.cut()
    await stage.pass('500ms')
    ann.heal()
    await stage.pass('500ms')
    stage.restartStore('kept')
    await stage.pass('1200ms')
    ann.pause('500ms')
    await stage.pass('1s')
    const stopped = ann.stop('ingest')
    await stage.settled(stopped, '3s')
    const [run] = first.runs
    expect(run!.exited!.atMs - run!.interrupted!.atMs).toBeCloseTo(6_000, 0)
    const [release] = stage.commands('release', ann)
    expect(release!.sentAtMs).toBeGreaterThanOrEqual(run!.exited!.atMs)
    expect(release).toMatchObject({ answer: { kind: 'released' } })
    // The store was restarted, so that it waits before it grants anything.
    await ben.toLead('ingest', '11s')
  },
)

story(
  'a stop comes to its end though the store never answers again',
  { hazards: ['effect#7032'], nodes: { ann: {} } },
  async ({ ann }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    stage.store.freeze()
    await stage.pass('1s')
    const tookMs = await stage.settled(ann.stop(), '30s')
    expect(first.runs[0]!.exited!.atMs).toBe(first.revoked!.atMs)
    // The session runs out here, is forgotten in the store a lease duration later, and the last call is given up.
    expect(tookMs).toBeLessThan(2 * LEASE_MS + MARGIN_MS + RENEW_MS)
    expect(ann.machine.process.timers).toBe(0)
    await stage.pass('10s')
    expect(stage.events('session.closed', ann)).toHaveLength(1)
    // Nobody has heard of it since: that this client lets go of its connection says nothing of the store.
    expect(stage.events('backend.recovered')).toEqual([])
  },
)
