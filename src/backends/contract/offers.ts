/** What a store owes about offers: how long they stand, how they are told, and where they go when nobody takes them. */
import assert from 'node:assert/strict'
import { contractCase } from './scene.ts'

export const offerCases = [
  contractCase('an offer is in every answer until it is taken', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    assert.deepEqual((await b!.renewed()).inbox.freed, [])
    await a!.free('x', token)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual((await b!.inbox()).freed, ['x'])
      assert.deepEqual((await b!.renewed()).inbox.freed, ['x'])
    }
    await b!.win('x')
    assert.deepEqual((await b!.inbox()).freed, [])
    assert.deepEqual((await b!.renewed()).inbox.freed, [])
  }),

  contractCase('several offers wait side by side', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const leases = ['x', 'y', 'z']
    for (const lease of leases) {
      const token = await a!.win(lease)
      await b!.queue(lease, 'a')
      await a!.free(lease, token)
    }
    assert.deepEqual([...(await b!.renewed()).inbox.freed].sort(), leases)
    await b!.win('y')
    assert.deepEqual([...(await b!.inbox()).freed].sort(), ['x', 'z'])
  }),

  contractCase('an open offer counts for the next expiry', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await a!.free('x', token)
    for (const player of [a!, b!, c!]) {
      const next = (await player.renewed()).nextExpiryInMs
      assert.ok(next !== null && next > 0 && next <= scene.renewMs + scene.slackMs, `${next}`)
    }
    await b!.win('x')
    const next = (await c!.renewed()).nextExpiryInMs
    assert.ok(next !== null && next > scene.renewMs, `${next}`)
  }),

  contractCase('an offer that is not taken goes to the next, and who let it lie goes to the end', async (scene) => {
    const [a, b, c, d] = await scene.enterLong('a', 'b', 'c', 'd')
    let token = await a!.win('x')
    for (const player of [b!, c!, d!]) await player.queue('x', 'a')
    await a!.free('x', token)
    await scene.assertOffered(b!, 'x')
    await scene.passOffer()
    await a!.renewed()
    await scene.assertOffered(c!, 'x')
    await scene.assertNotOffered('x', b!, d!)
    token = await c!.win('x')
    await c!.free('x', token)
    await scene.assertOffered(d!, 'x')
    await scene.assertNotOffered('x', b!, c!)
    token = await d!.win('x')
    await d!.free('x', token)
    await scene.assertOffered(b!, 'x')
    await scene.assertNotOffered('x', c!, d!)
  }),

  contractCase('an offer stands for a renew interval of whom it is made to', async (scene) => {
    const a = await scene.enter('a', { leaseDurationMs: 4 * scene.leaseMs })
    const patient = { leaseDurationMs: 4 * scene.leaseMs, renewIntervalMs: 3 * scene.renewMs }
    const b = await scene.enter('b', patient)
    const c = await scene.enter('c', { leaseDurationMs: 4 * scene.leaseMs })
    const token = await a.win('x')
    await b.queue('x', 'a')
    await c.queue('x', 'a')
    await a.free('x', token)
    await scene.passOffer()
    await c.renewed()
    await scene.assertOffered(b, 'x')
    await scene.assertNotOffered('x', c)
    await scene.pass(2 * scene.renewMs)
    await c.renewed()
    await scene.assertOffered(c, 'x')
    await scene.assertNotOffered('x', b)
  }),

  contractCase('an offer moves on by a renewal alone, never by a look', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', token)
    await scene.passOffer()
    await scene.assertNotOffered('x', c!)
    await scene.assertOffered(b!, 'x')
    // Too late for the offer, but the lease is free all the same.
    await b!.win('x')
  }),

  contractCase('a lone candidate is offered the lease again', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await a!.free('x', token)
    for (let round = 0; round < 2; round++) {
      await scene.assertOffered(b!, 'x')
      await scene.passOffer()
      const { nextExpiryInMs } = await a!.renewed()
      assert.ok(
        nextExpiryInMs !== null && nextExpiryInMs > 0 && nextExpiryInMs <= scene.renewMs + scene.slackMs,
        `${nextExpiryInMs}`,
      )
    }
    await scene.assertOffered(b!, 'x')
    await b!.win('x')
  }),

  contractCase('an offer goes round until somebody takes it', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', token)
    for (const player of [b!, c!, b!, c!]) {
      await scene.assertOffered(player, 'x')
      await scene.passOffer()
      await a!.renewed()
    }
    await scene.assertOffered(b!, 'x')
  }),

  contractCase('an overdue offer may move on by the renewal of its own session', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', token)
    await scene.passOffer()
    assert.deepEqual((await b!.renewed()).inbox.freed, [])
    await scene.assertOffered(c!, 'x')
  }),

  contractCase('an offer to a session that runs out goes to the next by a renewal by somebody else', async (scene) => {
    const [a, c] = await scene.enterLong('a', 'c')
    const b = await scene.enter('b', { renewIntervalMs: scene.leaseMs / 2 })
    const token = await a!.win('x')
    await b.queue('x', 'a')
    await c!.queue('x', 'a')
    // Late enough that the session ends before the offer does.
    await scene.pass(scene.leaseMs * 0.8)
    await a!.free('x', token)
    await scene.assertOffered(b, 'x')
    await scene.pass(scene.leaseMs * 0.2 + scene.slackMs)
    await a!.renewed()
    await scene.assertOffered(c!, 'x')
  }),

  contractCase('a lease that is offered to a session that has run out goes to whoever campaigns', async (scene) => {
    const [a, c, d] = await scene.enterLong('a', 'c', 'd')
    const b = await scene.enter('b')
    const first = await a!.win('x')
    await b.queue('x', 'a')
    await d!.queue('x', 'a')
    await scene.pass(scene.leaseMs * 0.8)
    await a!.free('x', first)
    await scene.assertOffered(b, 'x')
    await scene.pass(scene.leaseMs * 0.2 + scene.slackMs)
    const second = await c!.win('x')
    await c!.free('x', second)
    await scene.assertOffered(d!, 'x')
    const third = await d!.win('x')
    // The reaping of the one that was offered it first must not touch the grant, nor offer the lease once more.
    await a!.renewed()
    assert.deepEqual(await scene.leader('x'), { node: 'd', token: third })
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!, c!, d!)
  }),

  contractCase('the former holder can campaign again and take the lease from under an offer', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const first = await a!.win('x')
    await b!.queue('x', 'a')
    await a!.free('x', first)
    await scene.assertOffered(b!, 'x')
    const second = await a!.win('x')
    assert.ok(second > first)
    await scene.assertNotOffered('x', b!)
    // An offer that was ended does not come back as an overdue one.
    await scene.passOffer()
    await b!.renewed()
    await scene.assertNotOffered('x', b!)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token: second })
  }),
]
