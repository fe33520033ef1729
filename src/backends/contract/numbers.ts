/** What a store owes about late and repeated commands: they change nothing. */
import assert from 'node:assert/strict'
import { contractCase } from './scene.ts'

const STALE = { kind: 'stale' }

export const numberCases = [
  contractCase('a campaign that comes twice or late is stale', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    assert.equal((await a!.campaign('x', 5)).kind, 'granted')
    const leader = await scene.leader('x')
    assert.deepEqual(await a!.campaign('x', 5), STALE)
    assert.deepEqual(await a!.campaign('x', 4), STALE)
    assert.deepEqual(await scene.leader('x'), leader)
    assert.equal((await b!.campaign('x', 5)).kind, 'held')
    assert.deepEqual(await b!.campaign('x', 5), STALE)
    assert.equal((await b!.campaign('x', 6)).kind, 'held')
  }),

  contractCase('a campaign that comes after its lease was released is stale', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const granted = await a!.campaign('x', 2)
    assert.equal(granted.kind, 'granted')
    assert.deepEqual(await a!.release('x', granted.kind === 'granted' ? granted.token : 0, 3), { kind: 'released' })
    assert.deepEqual(await a!.campaign('x', 1), STALE)
    assert.deepEqual(await a!.campaign('x', 2), STALE)
    assert.deepEqual(await a!.campaign('x', 3), STALE)
    assert.equal(await scene.leader('x'), null)
    const token = await b!.win('x')
    assert.deepEqual(await a!.campaign('x', 3), STALE)
    await b!.free('x', token)
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!)
  }),

  contractCase('a campaign that comes after the withdrawal of its lease is stale', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    assert.deepEqual(await a!.withdraw('x', 4), { kind: 'withdrawn' })
    assert.deepEqual(await a!.campaign('x', 3), STALE)
    assert.equal(await scene.leader('x'), null)
    const token = await b!.win('x')
    assert.deepEqual(await a!.campaign('x', 4), STALE)
    await b!.free('x', token)
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!)
  }),

  contractCase('a release that comes twice or late is stale', async (scene) => {
    const a = await scene.enter('a')
    const first = await a.campaign('x', 1)
    const second = await a.campaign('x', 3)
    assert.ok(first.kind === 'granted' && second.kind === 'granted')
    assert.deepEqual(await a.release('x', second.token, 2), STALE)
    assert.deepEqual(await a.release('x', first.token, 3), STALE)
    assert.deepEqual(await a.release('x', second.token, 3), STALE)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token: second.token })
    assert.deepEqual(await a.release('x', second.token, 4), { kind: 'released' })
    assert.deepEqual(await a.release('x', second.token, 4), STALE)
  }),

  contractCase('a withdrawal that comes twice or late is stale', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const granted = await a!.campaign('x', 2)
    assert.ok(granted.kind === 'granted')
    assert.deepEqual(await a!.withdraw('x', 1), STALE)
    assert.deepEqual(await a!.withdraw('x', 2), STALE)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token: granted.token })
    assert.equal((await b!.campaign('x', 7)).kind, 'held')
    await c!.queue('x', 'a')
    assert.deepEqual(await b!.withdraw('x', 6), STALE)
    assert.deepEqual(await a!.release('x', granted.token, 3), { kind: 'released' })
    assert.deepEqual(await a!.withdraw('x', 2), STALE)
    // The late withdrawal has cost neither the place in line nor, here, the offer.
    await scene.assertOffered(b!, 'x')
    assert.deepEqual(await b!.withdraw('x', 7), STALE)
    assert.deepEqual((await b!.inbox()).freed, ['x'])
    await scene.assertNotOffered('x', c!)
  }),

  contractCase('a join that comes twice or late is stale', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    assert.deepEqual(await a!.join('g', 4, [1], 3), { kind: 'joined' })
    assert.deepEqual(await a!.join('g', 4, [2], 3), STALE)
    assert.deepEqual(await a!.join('g', 4, [2], 2), STALE)
    assert.deepEqual((await b!.members('g')).members, [{ session: a!.id, node: 'a', partitions: 4, resting: [1] }])
    assert.deepEqual(await a!.leave('g', 5), { kind: 'left' })
    assert.deepEqual(await a!.join('g', 4, [], 4), STALE)
    assert.deepEqual(await a!.join('g', 4, [], 5), STALE)
    assert.deepEqual((await b!.members('g')).members, [])
  }),

  contractCase('a leave that comes twice or late is stale', async (scene) => {
    const a = await scene.enter('a')
    assert.deepEqual(await a.leave('g', 2), { kind: 'left' })
    assert.deepEqual(await a.leave('g', 2), STALE)
    assert.deepEqual(await a.join('g', 4, [], 4), { kind: 'joined' })
    assert.deepEqual(await a.leave('g', 3), STALE)
    assert.deepEqual(await a.leave('g', 4), STALE)
    assert.equal((await a.members('g')).members.length, 1)
    assert.deepEqual(await a.leave('g', 5), { kind: 'left' })
    assert.deepEqual(await a.join('g', 4, [], 2), STALE)
  }),

  contractCase('a number counts where nothing was changed, too', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const token = await a!.win('x')
    await a!.enroll('g', 4)
    assert.deepEqual(await b!.campaign('x', 5), { kind: 'held', holder: 'a' })
    assert.deepEqual(await b!.withdraw('x', 5), STALE)
    assert.deepEqual(await b!.release('x', token, 7), { kind: 'not-held' })
    assert.deepEqual(await b!.campaign('x', 6), STALE)
    assert.deepEqual(await b!.withdraw('y', 5), { kind: 'withdrawn' })
    assert.deepEqual(await b!.campaign('y', 5), STALE)
    assert.deepEqual(await b!.release('z', token, 5), { kind: 'not-held' })
    assert.deepEqual(await b!.campaign('z', 5), STALE)
    assert.deepEqual(await b!.join('g', 8, [], 9), { kind: 'mismatch', partitions: 4 })
    assert.deepEqual(await b!.join('g', 4, [], 8), STALE)
    assert.deepEqual(await b!.leave('h', 5), { kind: 'left' })
    assert.deepEqual(await b!.join('h', 8, [], 5), STALE)
  }),

  contractCase('each lease, each group and each session has numbers of its own', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    assert.equal((await a!.campaign('x', 9)).kind, 'granted')
    assert.equal((await a!.campaign('y', 3)).kind, 'granted')
    assert.deepEqual(await a!.join('x', 4, [], 2), { kind: 'joined' })
    assert.deepEqual(await a!.join('y', 4, [], 1), { kind: 'joined' })
    assert.equal((await a!.campaign('x', 10)).kind, 'granted')
    assert.equal((await a!.campaign('y', 4)).kind, 'granted')
    assert.deepEqual(await a!.leave('x', 3), { kind: 'left' })
    assert.equal((await b!.campaign('x', 1)).kind, 'held')
    assert.deepEqual(await b!.join('y', 4, [], 1), { kind: 'joined' })
  }),

  contractCase('what is settled is stale for all leases and groups alike', async (scene) => {
    const a = await scene.enter('a')
    const granted = await a.campaign('x', 3)
    assert.ok(granted.kind === 'granted')
    await a.renewed(10)
    assert.deepEqual(await a.campaign('new', 10), STALE)
    assert.deepEqual(await a.campaign('x', 4), STALE)
    assert.deepEqual(await a.release('x', granted.token, 10), STALE)
    assert.deepEqual(await a.withdraw('x', 9), STALE)
    assert.deepEqual(await a.join('g', 4, [], 10), STALE)
    assert.deepEqual(await a.leave('g', 7), STALE)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token: granted.token })
    assert.equal((await a.campaign('new', 11)).kind, 'granted')
    assert.deepEqual(await a.join('g', 4, [], 11), { kind: 'joined' })
    assert.deepEqual(await a.release('x', granted.token, 11), { kind: 'released' })
  }),

  contractCase('what is settled only grows, and covers what is remembered below it alone', async (scene) => {
    const a = await scene.enter('a')
    assert.equal((await a.campaign('x', 15)).kind, 'granted')
    assert.deepEqual(await a.leave('g', 15), { kind: 'left' })
    await a.renewed(10)
    await a.renewed(4)
    assert.deepEqual(await a.campaign('y', 8), STALE)
    assert.deepEqual(await a.campaign('x', 12), STALE)
    assert.deepEqual(await a.campaign('x', 15), STALE)
    assert.deepEqual(await a.join('g', 4, [], 14), STALE)
    assert.equal((await a.campaign('y', 12)).kind, 'granted')
    assert.equal((await a.campaign('x', 16)).kind, 'granted')
  }),

  contractCase('what one session has settled says nothing about another', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.renewed(100)
    assert.equal((await b!.campaign('x', 1)).kind, 'granted')
    assert.deepEqual(await a!.campaign('x', 100), STALE)
    assert.deepEqual(await a!.campaign('x', 101), { kind: 'held', holder: 'b' })
  }),

  contractCase('a late command of a session that has ended is unknown, not stale', async (scene) => {
    const a = await scene.enter('a')
    assert.equal((await a.campaign('x', 5)).kind, 'granted')
    await a.session.close()
    assert.deepEqual(await a.campaign('x', 5), { kind: 'unknown' })
    assert.deepEqual(await a.campaign('x', 6), { kind: 'unknown' })
    assert.equal(await scene.leader('x'), null)
  }),
]
