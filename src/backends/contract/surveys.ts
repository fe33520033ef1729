/** What a store owes an operator: who holds what and since when, who waits for it, and who is a member of what. */
import assert from 'node:assert/strict'
import type { SurveyedLease } from '../port.ts'
import type { Player } from './player.ts'
import { contractCase, type Scene } from './scene.ts'

const needs = { needs: 'survey' } as const

const contender = ({ id, node }: Player) => ({ session: id, node })

/** How long a lease was held is a case of its own. */
function timeless({ lease, holder, waiting }: SurveyedLease) {
  if (!holder) return { lease, holder, waiting }
  const { ledForMs: _, ...rest } = holder
  return { lease, holder: rest, waiting }
}

async function assertLeases(scene: Scene, expected: readonly unknown[]): Promise<void> {
  const { leases } = await scene.survey()
  assert.deepEqual(leases.map(timeless), expected)
}

export const surveyCases = [
  contractCase(
    'a survey of a namespace that nobody uses is empty',
    async (scene) => {
      assert.deepEqual(await scene.survey(), { leases: [], groups: [], isWhole: true })
      await scene.enter('a')
      assert.deepEqual(await scene.survey(), { leases: [], groups: [], isWhole: true })
    },
    needs,
  ),

  contractCase(
    'a survey tells who holds each lease under which token, and who waits for it, in order',
    async (scene) => {
      const [a, b, c] = await scene.enterLong('a', 'b', 'c')
      const y = await b!.win('y')
      const x = await a!.win('x')
      await c!.queue('x', 'a')
      await b!.queue('x', 'a')
      await assertLeases(scene, [
        { lease: 'x', holder: { ...contender(a!), token: x }, waiting: [contender(c!), contender(b!)] },
        { lease: 'y', holder: { ...contender(b!), token: y }, waiting: [] },
      ])
      await a!.free('x', x)
      await assertLeases(scene, [
        { lease: 'x', holder: null, waiting: [contender(c!), contender(b!)] },
        { lease: 'y', holder: { ...contender(b!), token: y }, waiting: [] },
      ])
      const next = await c!.win('x')
      await b!.session.close()
      await assertLeases(scene, [{ lease: 'x', holder: { ...contender(c!), token: next }, waiting: [] }])
    },
    needs,
  ),

  contractCase(
    'a survey knows nothing of those who have run out, before anybody has reaped them',
    async (scene) => {
      const [a] = await scene.enterLong('a')
      const mortals = [await scene.enter('m'), await scene.enter('n')]
      const x = await a!.win('x')
      await mortals[0]!.win('y')
      for (const mortal of mortals) {
        await mortal.queue('x', 'a')
        await mortal.enroll('g', 4)
      }
      await a!.queue('y', 'm')
      await scene.passLease()
      await assertLeases(scene, [
        { lease: 'x', holder: { ...contender(a!), token: x }, waiting: [] },
        { lease: 'y', holder: null, waiting: [contender(a!)] },
      ])
      assert.deepEqual((await scene.survey()).groups, [])
    },
    needs,
  ),

  contractCase(
    'a survey tells the members of each group, with what they announce',
    async (scene) => {
      const [a, b] = await scene.enterLong('a', 'b')
      await a!.enroll('h', 8, [5, 2])
      await b!.enroll('g', 4)
      await a!.enroll('g', 4, [1])
      const members = [
        { ...contender(a!), partitions: 4, resting: [1] },
        { ...contender(b!), partitions: 4, resting: [] },
      ]
      members.sort((one, other) => (one.session < other.session ? -1 : 1))
      assert.deepEqual((await scene.survey()).groups, [
        { group: 'g', members },
        { group: 'h', members: [{ ...contender(a!), partitions: 8, resting: [5, 2] }] },
      ])
      await a!.leave('h')
      await b!.leave('g')
      assert.deepEqual((await scene.survey()).groups, [
        { group: 'g', members: [{ ...contender(a!), partitions: 4, resting: [1] }] },
      ])
    },
    needs,
  ),

  contractCase(
    'a survey tells for how long a lease was led, where the store can tell',
    async (scene) => {
      const [a] = await scene.enterLong('a')
      await a!.win('x')
      const ledForMs = async () => (await scene.survey()).leases[0]?.holder?.ledForMs
      const before = await ledForMs()
      if (before === null) return
      assert.ok(before !== undefined && before >= 0 && before <= scene.leaseMs, `${before} ms after the grant`)
      await scene.passAwake(scene.leaseMs, a!)
      const after = await ledForMs()
      assert.ok(
        after && after - before >= scene.leaseMs - scene.slackMs,
        `${after} ms, a lease duration after ${before} ms`,
      )
      await a!.win('x')
      assert.ok(Number(await ledForMs()) <= after, 'a new grant is a new reign')
    },
    needs,
  ),

  contractCase(
    'a survey is cut where there is more than was asked for, and says so',
    async (scene) => {
      const [a, b] = await scene.enterLong('a', 'b')
      for (const lease of ['x', 'y', 'z']) {
        await a!.win(lease)
        await b!.queue(lease, 'a')
      }
      assert.equal((await scene.survey(3)).isWhole, true)
      const { leases, isWhole } = await scene.survey(2)
      assert.equal(isWhole, false)
      assert.equal(leases.filter(({ holder }) => holder).length, 2)
      assert.equal(leases.flatMap(({ waiting }) => waiting).length, 2)
    },
    needs,
  ),
]
