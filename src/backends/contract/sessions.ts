/** What a store owes about sessions: how they begin, live on, and end. */
import assert from 'node:assert/strict'
import { assertUnknownToAll, Player } from './player.ts'
import { contractCase, EMPTY_INBOX, LONG } from './scene.ts'

export const sessionCases = [
  contractCase('the id of a session is 128 random bits of the environment as hex digits', async (scene) => {
    const options = { node: 'a', leaseDurationMs: scene.leaseMs, renewIntervalMs: scene.renewMs }
    const idFrom = (seed: number) => {
      let state = seed
      const random = () => {
        state = (state * 48_271) % 2_147_483_647
        return state / 2_147_483_647
      }
      const connection = scene.connect({ random })
      return [connection.session(options, () => {}).id, connection.session(options, () => {}).id]
    }
    const [first, second] = idFrom(1)
    assert.match(first ?? '', /^[0-9a-f]{32}$/)
    assert.match(second ?? '', /^[0-9a-f]{32}$/)
    assert.notEqual(first, second)
    assert.deepEqual(idFrom(1), [first, second])
    assert.notDeepEqual(idFrom(2), [first, second])
  }),

  contractCase('a session that was never opened is unknown to every call', async (scene) => {
    const ghost = scene.backstage('ghost')
    await assertUnknownToAll(ghost)
    assert.equal(await scene.leader('any'), null)
  }),

  contractCase('a new namespace is in its first epoch', async (scene) => {
    const a = await scene.enter('a')
    assert.equal(a.epoch, 1)
    const { provenMsAgo = 0, ...answer } = await a.renewed()
    assert.ok(provenMsAgo >= 0 && provenMsAgo < scene.leaseMs, `${provenMsAgo}`)
    assert.deepEqual(answer, { kind: 'renewed', inbox: EMPTY_INBOX, nextExpiryInMs: null, epoch: 1 })
  }),

  contractCase('a renewal extends the session by its whole lease duration', async (scene) => {
    const a = await scene.enter('a')
    const token = await a.win('x')
    for (let round = 0; round < 3; round++) {
      await scene.pass(scene.leaseMs * 0.6)
      await a.renewed()
    }
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
  }),

  contractCase('a look is no renewal', async (scene) => {
    const a = await scene.enter('a')
    await scene.pass(scene.leaseMs * 0.6)
    assert.deepEqual(await a.session.look(), { kind: 'inbox', inbox: EMPTY_INBOX })
    await scene.pass(scene.leaseMs * 0.6)
    assert.deepEqual(await a.session.look(), { kind: 'unknown' })
  }),

  contractCase('no other call is a renewal', async (scene) => {
    const a = await scene.enter('a')
    await scene.pass(scene.leaseMs * 0.6)
    await a.win('x')
    await a.enroll('g', 4)
    await a.members('g')
    await scene.pass(scene.leaseMs * 0.6)
    await assertUnknownToAll(a)
  }),

  contractCase('a session that has run out is unknown to every call, before anybody has reaped it', async (scene) => {
    const a = await scene.enter('a')
    await a.win('x')
    await a.enroll('g', 4)
    await scene.passLease()
    await assertUnknownToAll(a)
    assert.equal(await scene.leader('x'), null)
  }),

  contractCase('a session that has run out is never revived', async (scene) => {
    const a = await scene.enter('a')
    await a.win('x')
    await scene.passLease()
    assert.deepEqual(await a.renew(), { kind: 'unknown' })
    await assert.rejects(a.session.open())
    const b = await scene.enter('b')
    await b.renewed()
    await assertUnknownToAll(a)
    await assert.rejects(a.session.open())
    await assertUnknownToAll(a)
    assert.equal(await scene.leader('x'), null)
  }),

  contractCase('a closed session is unknown to every call and cannot be opened again', async (scene) => {
    const a = await scene.enter('a')
    await a.session.close()
    await assertUnknownToAll(a)
    await assert.rejects(a.session.open())
    await assertUnknownToAll(a)
  }),

  contractCase('closing works twice, and for a session that was never opened', async (scene) => {
    const a = await scene.enter('a')
    await a.session.close()
    await a.session.close()
    const ghost = scene.backstage('ghost')
    await ghost.session.close()
    await assert.rejects(ghost.session.open())
    await assertUnknownToAll(ghost)
  }),

  contractCase('closing a session frees its leases and offers them on', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.win('x')
    await a!.win('y')
    await b!.queue('x', 'a')
    await a!.session.close()
    assert.equal(await scene.leader('x'), null)
    await scene.assertOffered(b!, 'x')
    await b!.win('x')
    await b!.win('y')
  }),

  contractCase('closing a session that was offered a lease passes the offer on', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', token)
    await scene.assertOffered(b!, 'x')
    await b!.session.close()
    await scene.assertOffered(c!, 'x')
  }),

  contractCase('a closed session gets no hints', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.enroll('g', 4)
    await b!.enroll('g', 4)
    await b!.session.close()
    b!.hints.length = 0
    await a!.free('x', token)
    await a!.leave('g')
    await scene.assertOffered(c!, 'x')
    assert.deepEqual(b!.hints, [])
  }),

  contractCase('closing a connection leaves its sessions to run out', async (scene) => {
    const [b] = await scene.enterLong('b')
    const a = await scene.enter('a')
    const token = await a.win('x')
    await a.connection.close()
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
    await b!.queue('x', 'a')
    await scene.passLease()
    await b!.win('x')
  }),

  contractCase('a connection carries several sessions, one after the other and side by side', async (scene) => {
    const options = { leaseDurationMs: LONG * scene.leaseMs, renewIntervalMs: scene.renewMs }
    const [a] = await scene.enterLong('a')
    await a!.win('x')
    await a!.session.close()
    const b = new Player(a!.connection, { node: 'b', ...options })
    const c = new Player(a!.connection, { node: 'c', ...options })
    await b.open()
    await c.open()
    const token = await b.win('x')
    await c.queue('x', 'b')
    await b.free('x', token)
    await scene.assertOffered(c, 'x')
    await c.win('x')
    assert.deepEqual([...a!.hints, ...b.hints], [])
    await b.session.close()
    assert.equal((await scene.leader('x'))?.node, 'c')
    await assertUnknownToAll(a!)
    await assertUnknownToAll(b)
    await c.session.close()
  }),

  contractCase('a renewal tells when the next other session could run out', async (scene) => {
    const a = await scene.enter('a')
    assert.equal((await a.renewed()).nextExpiryInMs, null)
    const [c] = await scene.enterLong('c')
    const far = (await a.renewed()).nextExpiryInMs
    assert.ok(far !== null && far > 2 * scene.leaseMs && far <= LONG * scene.leaseMs + scene.slackMs, `${far}`)
    const b = await scene.enter('b')
    const near = (await a.renewed()).nextExpiryInMs
    assert.ok(near !== null && near > 0 && near <= scene.leaseMs + scene.slackMs, `${near}`)
    await scene.pass(scene.renewMs)
    const nearer = (await c!.renewed()).nextExpiryInMs
    assert.ok(nearer !== null && nearer <= scene.leaseMs - scene.renewMs + scene.slackMs, `${nearer}`)
    await b.session.close()
    await a.session.close()
    assert.equal((await c!.renewed()).nextExpiryInMs, null)
  }),

  contractCase('leaders are told in the order asked, without a session', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const x = await a!.win('x')
    const y = await b!.win('y')
    const observer = scene.connect()
    assert.deepEqual(await observer.leaders(['y', 'none', 'x', 'y']), [
      { node: 'b', token: y },
      null,
      { node: 'a', token: x },
      { node: 'b', token: y },
    ])
    assert.deepEqual(await observer.leaders([]), [])
  }),

  contractCase('namespaces do not see each other', async (scene) => {
    const a = await scene.enter('a')
    const other = await scene.enter('other', { namespace: `${scene.namespace}-other` })
    const token = await a.win('x')
    await a.enroll('g', 4)
    await other.win('x')
    await other.enroll('g', 8)
    assert.equal((await other.members('g')).members.length, 1)
    assert.equal((await other.renewed()).nextExpiryInMs, null)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
    await other.session.close()
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
  }),
]
