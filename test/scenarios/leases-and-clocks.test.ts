/** Stories about leases, clocks and lost answers. */
import { expect } from 'vitest'
import { LEASE_MS, MARGIN_MS, RENEW_MS } from '../simulation/plan.ts'
import { TRIP_MS } from './stage.ts'
import { story } from './story.ts'

story(
  'a leader whose session the store does not know any more stops at once',
  { hazards: ['kubernetes#23731'], nodes: { ann: {}, ben: {} } },
  async ({ ann }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('5s')
    stage.restartStore('lost')
    const restartedMs = stage.nowMs
    await stage.until('the first term has ended', () => first.ended?.atMs !== undefined, '1s')
    expect(first.revoked).toMatchObject({ reason: 'session-lost' })
    expect(first.ended!.atMs - restartedMs).toBeLessThan(TRIP_MS)
    await stage.until('somebody leads again', () => stage.terms('ingest').length > 1, '11s')
    const [, second] = stage.terms('ingest')
    expect(second!.startedAtMs - restartedMs).toBeGreaterThan(LEASE_MS)
    expect(stage.events('term.revoked')).toHaveLength(1)
  },
)

story(
  'renewals that arrive after the loss revive nothing, and the next term has a new session and a greater token',
  { hazards: ['kubernetes#44887'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    const { session } = stage.commands('open', ann)[0]!
    await stage.pass('4s')
    ann.weather({ lateRequest: 1, lateMs: [12_000, 12_000] })
    await ben.toLead('ingest', '10s')
    ann.heal()
    await stage.pass('15s')
    const late = stage.commands('renew', ann).filter(({ atMs, sentAtMs }) => atMs - sentAtMs > 10_000)
    expect(late.length).toBeGreaterThan(1)
    for (const renewal of late) expect(renewal).toMatchObject({ session, answer: { kind: 'unknown' } })
    expect(ann.leads('ingest')).toBe(false)
    await stage.settled(ben.stop('ingest'), '1s')
    const next = await ann.toLead('ingest', '1s')
    expect(next.token).toBeGreaterThan(first.token)
    expect(stage.commands('campaign', ann).at(-1)!.session).not.toBe(session)
  },
)

story(
  'nodes whose wall clocks are hours apart take over neither too early nor too late',
  {
    hazards: ['occurrent#659', 'etcd#12291'],
    nodes: {
      ann: { rate: 0.99, wallMs: 1_700_018_000_000 },
      ben: { rate: 1.01, wallMs: 1_699_982_000_000 },
    },
  },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('5s')
    ann.crash()
    const { atMs: renewedMs } = stage.commands('renew', ann).at(-1)!
    const next = await ben.toLead('ingest', '11s')
    expect(next.startedAtMs).toBeGreaterThan(renewedMs + LEASE_MS)
    expect(next.startedAtMs).toBeLessThan(renewedMs + LEASE_MS + TRIP_MS + LEASE_MS / 100)
  },
)

story(
  'a store that never answers: the term ends by the clock, with the call still pending',
  { hazards: ['effect#6508'], nodes: { ann: {}, ben: {} } },
  async ({ ann }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    stage.store.freeze()
    const { sentAtMs } = stage.commands('renew', ann).at(-1)!
    await stage.pass('16s')
    expect(first.revoked).toMatchObject({ reason: 'expired' })
    expect(first.ended!.atMs - sentAtMs).toBeCloseTo(LEASE_MS - MARGIN_MS, 0)
    expect(stage.terms('ingest')).toHaveLength(1)
    stage.store.thaw()
    await stage.until('somebody leads again', () => stage.terms('ingest').length > 1, '3s')
  },
)

story(
  'a leader that is cut off stops before another one leads',
  { hazards: ['consul#18271'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    ann.cut()
    const next = await ben.toLead('ingest', '10s')
    expect(first.revoked).toMatchObject({ reason: 'expired' })
    expect(first.runs[0]!.exited!.atMs).toBeLessThan(next.startedAtMs)
  },
)

story(
  'renewals that fail cost nothing, as long as one succeeds in time',
  { hazards: ['consul#912', 'consul#1162'], nodes: { ann: {}, ben: {} } },
  async ({ ann }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    ann.losesAnswerTo('renew')
    await stage.pass('15s')
    ann.weather({ loseRequest: 1, noticeLoss: 1 })
    await stage.until('the session is about to run out', () => first.term.remainingMs < 400, '10s')
    ann.heal()
    await stage.pass('5s')
    expect(stage.events('session.suspended', ann)).toHaveLength(2)
    expect(stage.events('session.resumed', ann)).toHaveLength(2)
    expect(stage.events('term.revoked')).toEqual([])
    expect(first.term.isValid).toBe(true)
    expect(first.term.remainingMs).toBeGreaterThan(LEASE_MS - MARGIN_MS - RENEW_MS - TRIP_MS)
  },
)

story(
  'after a loss everything begins anew: the old session is closed, and never renewed again',
  { hazards: ['consul#2371', 'consul#4902'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    const { session } = stage.commands('open', ann)[0]!
    await stage.pass('4s')
    ann.cut()
    await ben.toLead('ingest', '10s')
    await stage.pass('3s')
    ann.heal()
    const healedMs = stage.nowMs
    await stage.pass('20s')
    const since = stage.carriedOut(ann).filter(({ atMs }) => atMs > healedMs)
    const ofOld = since.filter((command) => command.session === session)
    expect(new Set(ofOld.map(({ method }) => method))).toEqual(new Set(['close']))
    expect(since.filter(({ method }) => method === 'renew').length).toBeGreaterThan(3)
    await stage.settled(ben.stop('ingest'), '1s')
    await ann.toLead('ingest', '1s')
  },
)

story(
  'a stop right after the grant leaves nothing that renews',
  { hazards: ['redisson#7272'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    const tookMs = await stage.settled(ann.stop(), '1s')
    expect(tookMs).toBeLessThan(TRIP_MS)
    const stoppedMs = stage.nowMs
    expect((await ben.toLead('ingest', '1s')).startedAtMs - stoppedMs).toBeLessThan(TRIP_MS)
    await stage.pass('30s')
    expect(stage.carriedOut(ann).filter(({ atMs }) => atMs > stoppedMs)).toEqual([])
  },
)

story(
  'a grant whose answer is lost blocks nobody: the repeated campaign wins, with a fresh token',
  { hazards: ['node-redlock#369'], nodes: { ann: {}, ben: {} } },
  async ({ ann }, stage) => {
    ann.losesAnswerTo('campaign')
    const first = await ann.toLead('ingest', '4s')
    const grants = stage.commands('campaign', ann).map(({ answer }) => answer as { kind: string; token: number })
    expect(grants.map(({ kind }) => kind)).toEqual(['granted', 'granted'])
    expect(first.token).toBe(grants[1]!.token)
    expect(first.token).toBeGreaterThan(grants[0]!.token)
    expect(stage.terms()).toEqual([first])
  },
)

story(
  'a leader that was blocked for longer than its lease sees at its first look that its term is over',
  { hazards: ['node-redlock#309', 'bullmq#3183'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    await stage.pass('4400ms')
    ann.pause('15s')
    await ben.toLead('ingest', '10s')
    // Nothing runs on ann, neither a timer nor the work; only the clock goes on.
    expect(first.term.signal.aborted).toBe(false)
    expect(first.term.isValid).toBe(false)
    expect(() => first.term.ensureValid()).toThrow('out of time')
    await stage.until('the work has left', () => first.runs[0]!.exited !== undefined, '10s')
    const told = stage.lines.filter(({ who }) => who === 'ann').map(({ what }) => what)
    expect(told[told.indexOf('goes on') + 1]).toBe('the work of ingest sees that its term is over')
    expect(ben.leads('ingest')).toBe(true)
  },
)

story(
  'every renewal restores the whole lease, and none follows another at once',
  { hazards: ['Simba#463'], nodes: { ann: {}, ben: {}, cal: {} } },
  async ({ ann, ben, cal }, stage) => {
    const first = await ann.toLead('ingest', '1s')
    const remaining: number[] = []
    stage.store.watch(({ node, method }) => {
      if (node === 'ann' && method === 'renew')
        stage.cluster.simulation.time.after(2, () => remaining.push(first.term.remainingMs))
    })
    await stage.pass('10s')
    // Sessions that run out, and offers that nobody takes, bring renewals forward.
    ben.crash()
    cal.pause('20s')
    await stage.pass('50s')
    expect(remaining.length).toBeGreaterThan(60_000 / RENEW_MS - 2)
    expect(remaining.length).toBeLessThan(60_000 / RENEW_MS + 4)
    for (const ms of remaining) expect(ms).toBeGreaterThan(LEASE_MS - MARGIN_MS - TRIP_MS)
    expect(Math.max(...remaining)).toBeLessThan(LEASE_MS - MARGIN_MS)
  },
)

story(
  'what was sent before a stop and is answered after the next start does nothing to it',
  { hazards: ['Simba#461'], nodes: { ann: {} } },
  async ({ ann }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    stage.store.freeze()
    await stage.settled(ann.stop(), '25s')
    ann.startAgain()
    await stage.pass('1s')
    stage.store.thaw()
    const second = await ann.toLead('ingest', '5s')
    await stage.pass('30s')
    expect(stage.commands('release', ann).map(({ answer }) => answer)).not.toContainEqual({ kind: 'released' })
    expect(second.term.isValid).toBe(true)
    expect(stage.terms('ingest')).toHaveLength(2)
  },
)

story(
  'hints that come during a campaign and its repetition start no second chain of attempts',
  { hazards: ['Simba#462'], nodes: { ann: {}, ben: {} } },
  async ({ ann, ben }, stage) => {
    await ann.toLead('ingest', '1s')
    await stage.pass('4s')
    ben.weather({ loseRequest: 1 })
    await stage.settled(ann.stop('ingest'), '1s')
    await stage.pass('10ms')
    ben.heal()
    // The campaign is given up 3 s after it was lost, and repeated some 50 ms later.
    for (const ms of [1_000, 1_960, 20, 20, 20, 20, 20]) {
      ben.isHinted()
      await stage.pass(ms)
    }
    expect(ben.leads('ingest')).toBe(true)
    const lost = stage.lines.filter(({ what }) => what.startsWith('request lost: campaign'))
    const [inLine, ...repeated] = stage.commands('campaign', ben)
    expect(inLine).toMatchObject({ answer: { kind: 'held' } })
    expect(lost).toHaveLength(1)
    expect(repeated).toHaveLength(1)
    expect(repeated[0]!.sentAtMs - lost[0]!.atMs).toBeGreaterThan(RENEW_MS)
  },
)

story(
  'a campaign that arrives after it was given up, and after the stop, does nothing',
  { hazards: ['ioredis#2131'], nodes: { ann: { duties: [] }, ben: { duties: [] } } },
  async ({ ann, ben }, stage) => {
    await stage.pass('1s')
    ben.weather({ lateRequest: 1, lateMs: [5_000, 5_000] })
    ben.declare('ingest')
    await stage.pass('1s')
    ben.heal()
    await stage.settled(ben.stop('ingest'), '3s')
    await stage.pass('4s')
    expect(stage.commands('campaign', ben).map(({ answer }) => answer)).toEqual([{ kind: 'stale' }])
    ann.declare('ingest')
    const declaredMs = stage.nowMs
    expect((await ann.toLead('ingest', '1s')).startedAtMs - declaredMs).toBeLessThan(TRIP_MS)
    expect(stage.terms()).toHaveLength(1)
  },
)
