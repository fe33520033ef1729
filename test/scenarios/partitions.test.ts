/** Stories about partitions, and the members that run them. */
import { expect } from 'vitest'
import type { SeenTerm } from '../simulation/facts.ts'
import type { Duty } from '../simulation/plan.ts'
import type { Stage } from './stage.ts'
import { ingest, story } from './story.ts'

function group(name: string, partitions: number, balance?: Duty['balance']): Duty {
  return { name, partitions, balance, work: { kind: 'well-behaved', forMs: 0 } }
}

/** The valid terms of the group's partitions, in their order. */
function led(stage: Stage, { name, partitions = 0 }: Duty): readonly (SeenTerm | undefined)[] {
  return Array.from({ length: partitions }, (_, partition) =>
    stage.terms(`${name}.${partition}`).find(({ term }) => term.isValid),
  )
}

async function allLed(stage: Stage, duty: Duty): Promise<readonly SeenTerm[]> {
  await stage.until(`all of ${duty.name} is led`, () => led(stage, duty).every((term) => term !== undefined), '2s')
  // And nothing is on its way from one node to another.
  await stage.pass('100ms')
  return led(stage, duty).map((term) => term!)
}

const BILLING = group('billing', 4)
const AUDIT = group('audit', 2)

story(
  'what does not concern the members of a group moves none of its partitions',
  {
    hazards: ['akka#26012', 'helix#518'],
    nodes: { ann: { duties: ['billing', 'ingest'] }, ben: { duties: ['billing'] } },
    duties: [BILLING, AUDIT, ingest],
  },
  async ({ ann, ben }, stage) => {
    const before = await allLed(stage, BILLING)
    ann.declare('audit')
    await stage.pass('2s')
    await stage.settled(ann.stop('audit'), '1s')
    ann.stepDown('ingest')
    ben.losesAnswerTo('renew')
    await stage.pass('8s')
    stage.restartStore('kept')
    await stage.pass('15s')
    expect(led(stage, BILLING)).toEqual(before)
    expect(stage.events('assignment.changed').filter(({ group, atMs }) => group === 'billing' && atMs > 100)).toEqual(
      [],
    )
  },
)

const BOUNDED = group('billing', 6, 'bounded')

story(
  'no member has more than its share, where the balance is bounded',
  {
    hazards: ['ignite#12296'],
    nodes: { ann: {}, ben: {}, cal: {} },
    duties: [BOUNDED],
  },
  async (_, stage) => {
    const shares = new Map<string, number>()
    for (const { node } of await allLed(stage, BOUNDED)) shares.set(node.name, (shares.get(node.name) ?? 0) + 1)
    expect(Object.fromEntries(shares)).toEqual({ ann: 2, ben: 2, cal: 2 })
  },
)

story(
  'partitions that stay where they are run on untouched while a member comes, goes and dies',
  { hazards: ['fs2-kafka#914'], nodes: { ann: {}, ben: {}, cal: { isLate: true } }, duties: [BILLING] },
  async ({ ann, ben, cal }, stage) => {
    const first = await allLed(stage, BILLING)
    cal.arrive()
    await stage.pass('1s')
    const second = await allLed(stage, BILLING)
    const stayed = first.filter(({ node }, partition) => second[partition]!.node === node)
    expect(second.some(({ node }) => node === cal.machine)).toBe(true)
    expect(stayed.length).toBeGreaterThan(0)
    await stage.settled(cal.stop(), '1s')
    const third = await allLed(stage, BILLING)
    expect(third.map(({ node }) => node)).toEqual(first.map(({ node }) => node))
    const ofAnn = third.filter(({ node }) => node === ann.machine)
    expect(ofAnn.length).toBeGreaterThan(0)
    ben.crash()
    await stage.pass('12s')
    const fourth = await allLed(stage, BILLING)
    expect(fourth.every(({ node }) => node === ann.machine)).toBe(true)
    // The very same terms, each with the one run that it began with.
    for (const term of stayed) expect(third).toContain(term)
    for (const term of ofAnn) {
      expect(fourth).toContain(term)
      expect(term.runs).toHaveLength(1)
      expect(term.runs[0]!.interrupted?.atMs).toBeUndefined()
    }
  },
)

story(
  'a partition that moves away is handed over before its next member runs it',
  {
    hazards: ['akka#25639'],
    nodes: { ann: {}, ben: { isLate: true } },
    duties: [{ ...group('billing', 2, 'bounded'), work: { kind: 'slow', exitMs: 2_000 } }],
  },
  async ({ ann, ben }, stage) => {
    await ann.toLead('billing.1', '1s')
    ben.arrive()
    await stage.until(
      'ben runs a partition',
      () => led(stage, group('billing', 2)).some((term) => term?.node === ben.machine),
      '4s',
    )
    const next = stage.terms().find(({ node }) => node === ben.machine)!
    const before = stage.terms(next.lease).find(({ node }) => node === ann.machine)!
    expect(before.revoked).toMatchObject({ reason: 'moved' })
    expect(before.runs[0]!.exited!.atMs - before.revoked!.atMs).toBeCloseTo(2_000, 0)
    expect(next.startedAtMs).toBeGreaterThan(before.runs[0]!.exited!.atMs)
  },
)
