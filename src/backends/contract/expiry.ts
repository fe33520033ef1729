/** What a store owes about sessions that run out: others' renewals reap them, a bounded piece at a time. */
import assert from 'node:assert/strict'
import { assertUnknownToAll } from './player.ts'
import { contractCase, LONG } from './scene.ts'

const MANY = Array.from({ length: 130 }, (_, index) => `many.${index}`)
/** The most that one call reaps. */
const BATCH = 100

export const expiryCases = [
  contractCase('a renewal by somebody else frees the leases of a session that has run out', async (scene) => {
    const [b, c] = await scene.enterLong('b', 'c')
    const a = await scene.enter('a')
    await a.win('x')
    await a.win('y')
    await b!.queue('x', 'a')
    await scene.passLease()
    assert.equal(await scene.leader('x'), null)
    await c!.renewed()
    await scene.assertOffered(b!, 'x')
    await scene.assertNotOffered('y', b!)
    await assertUnknownToAll(a)
    await b!.win('x')
  }),

  contractCase('a renewal that reaps finds what it freed for itself in the same answer', async (scene) => {
    const [b] = await scene.enterLong('b')
    const a = await scene.enter('a')
    await a.win('x')
    await b!.queue('x', 'a')
    await scene.passLease()
    assert.deepEqual((await b!.renewed()).inbox.freed, ['x'])
  }),

  contractCase('a session that renews is not reaped', async (scene) => {
    const [b] = await scene.enterLong('b')
    const a = await scene.enter('a')
    const token = await a.win('x')
    await b!.queue('x', 'a')
    await scene.passAwake(2 * scene.leaseMs, a, b!)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
    assert.deepEqual((await b!.inbox()).freed, [])
  }),

  contractCase('a session that has run out stands in no line any more', async (scene) => {
    const [a, c] = await scene.enterLong('a', 'c')
    const b = await scene.enter('b')
    let token = await a!.win('x')
    await b.queue('x', 'a')
    await scene.passLease()
    await a!.renewed()
    const { nextExpiryInMs } = await c!.renewed()
    assert.ok(nextExpiryInMs === null || nextExpiryInMs > scene.leaseMs, `${nextExpiryInMs}`)
    await a!.free('x', token)
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!, c!)
    token = await c!.win('x')
    await c!.free('x', token)
    assert.deepEqual(b.hints, [])
  }),

  contractCase('a session that has run out is a member no more, and the others are told', async (scene) => {
    const [b, c] = await scene.enterLong('b', 'c')
    const a = await scene.enter('a')
    await a.enroll('g', 4)
    await b!.enroll('g', 4)
    await scene.assertToldOfGroup(a, 'g')
    const before = await b!.members('g')
    b!.hints.length = 0
    await scene.passLease()
    await c!.renewed()
    await scene.assertToldOfGroup(b!, 'g')
    const after = await b!.members('g')
    assert.ok(after.version > before.version)
    assert.deepEqual((await b!.inbox()).groups, { g: after.version })
    assert.deepEqual(
      after.members.map((member) => member.node),
      ['b'],
    )
  }),

  contractCase('several sessions that have run out are reaped alike', async (scene) => {
    const [d] = await scene.enterLong('d')
    const dying = await Promise.all(['a', 'b', 'c'].map((node) => scene.enter(node)))
    for (const player of dying) {
      await player.win(`of-${player.node}`)
      await d!.queue(`of-${player.node}`, player.node)
    }
    await scene.passLease()
    const { inbox, nextExpiryInMs } = await d!.renewed()
    assert.deepEqual([...inbox.freed].sort(), ['of-a', 'of-b', 'of-c'])
    assert.notEqual(nextExpiryInMs, 0)
  }),

  contractCase('a session with many leases is reaped over several renewals, and is dead meanwhile', async (scene) => {
    const [b, c] = await scene.enterLong('b', 'c')
    const a = await scene.enter('a', { leaseDurationMs: 2 * scene.leaseMs })
    await Promise.all(MANY.map((lease) => a.win(lease)))
    await a.enroll('g', 4)
    await Promise.all(MANY.map((lease) => b!.queue(lease, 'a')))
    await scene.pass(2 * scene.leaseMs + scene.slackMs)

    const first = await b!.renewed()
    assert.equal(first.nextExpiryInMs, 0)
    assert.ok(first.inbox.freed.length > 0 && first.inbox.freed.length <= BATCH, `${first.inbox.freed.length}`)
    await assertUnknownToAll(a)
    assert.deepEqual((await b!.members('g')).members, [])
    const [left] = MANY.filter((lease) => !first.inbox.freed.includes(lease))
    assert.equal(await scene.leader(left!), null)
    await c!.win(left!)

    let answer = first
    for (let round = 0; answer.nextExpiryInMs === 0 && round < 5; round++) answer = await b!.renewed()
    assert.notEqual(answer.nextExpiryInMs, 0)
    assert.deepEqual([...answer.inbox.freed].sort(), MANY.filter((lease) => lease !== left).sort())
    assert.equal((await scene.leader(left!))?.node, 'c')
  }),

  contractCase('many places in line are given up over several renewals', async (scene) => {
    const [b, c] = await scene.enterLong('b', 'c')
    const a = await scene.enter('a', { leaseDurationMs: 2 * scene.leaseMs })
    await Promise.all(MANY.map((lease) => b!.win(lease)))
    await Promise.all(MANY.map((lease) => a.queue(lease, 'b')))
    await scene.pass(2 * scene.leaseMs + scene.slackMs)
    let answer = await c!.renewed()
    assert.equal(answer.nextExpiryInMs, 0)
    for (let round = 0; answer.nextExpiryInMs === 0 && round < 5; round++) answer = await c!.renewed()
    assert.notEqual(answer.nextExpiryInMs, 0)
    await b!.session.close()
    await scene.pass(scene.slackMs)
    assert.deepEqual(a.hints, [])
  }),

  contractCase('a session with many leases closes at once, and everything is offered on in the end', async (scene) => {
    const a = await scene.enter('a', { leaseDurationMs: LONG * scene.leaseMs })
    const [b] = await scene.enterLong('b')
    await Promise.all(MANY.map((lease) => a.win(lease)))
    await a.enroll('g', 4)
    await Promise.all(MANY.map((lease) => b!.queue(lease, 'a')))
    await a.session.close()
    await assertUnknownToAll(a)
    assert.deepEqual((await b!.members('g')).members, [])
    assert.deepEqual(
      await b!.connection.leaders(MANY),
      MANY.map(() => null),
    )
    let answer = await b!.renewed()
    for (let round = 0; answer.nextExpiryInMs === 0 && round < 5; round++) answer = await b!.renewed()
    assert.notEqual(answer.nextExpiryInMs, 0)
    assert.deepEqual([...answer.inbox.freed].sort(), [...MANY].sort())
  }),
]
