/** What a store owes about the line for a lease: the order of the candidates, and who may overtake. */
import assert from 'node:assert/strict'
import { contractCase } from './scene.ts'

export const lineCases = [
  contractCase(
    'a freed lease is offered to one candidate at a time, in the order in which they came',
    async (scene) => {
      const [a, b, c, d] = await scene.enterLong('a', 'b', 'c', 'd')
      const line = [b!, c!, d!]
      let token = await a!.win('x')
      for (const player of line) await player.queue('x', 'a')
      let holder = a!
      for (const [place, next] of line.entries()) {
        await holder.free('x', token)
        await scene.assertOffered(next, 'x')
        await scene.assertNotOffered('x', ...line.slice(0, place), ...line.slice(place + 1))
        token = await next.win('x')
        holder = next
      }
      await holder.free('x', token)
      await scene.pass(scene.slackMs)
      await scene.assertNotOffered('x', a!, b!, c!, d!)
      assert.equal(await scene.leader('x'), null)
    },
  ),

  contractCase('a candidate that campaigns again keeps its one place', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    let token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await b!.queue('x', 'a')
    await a!.free('x', token)
    await scene.assertOffered(b!, 'x')
    token = await b!.win('x')
    await b!.free('x', token)
    await scene.assertOffered(c!, 'x')
    token = await c!.win('x')
    await c!.free('x', token)
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!, b!, c!)
  }),

  contractCase('being next in line is an offer, not a reservation: whoever campaigns first gets it', async (scene) => {
    const [a, b, c, d] = await scene.enterLong('a', 'b', 'c', 'd')
    const first = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', first)
    await scene.assertOffered(b!, 'x')
    const second = await d!.win('x')
    await scene.assertNotOffered('x', b!, c!)
    await b!.queue('x', 'd')
    // The one that was overtaken has not lost its place.
    await d!.free('x', second)
    await scene.assertOffered(b!, 'x')
    await scene.assertNotOffered('x', c!)
  }),

  contractCase('a candidate that overtakes is in the line no more', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const first = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', first)
    await scene.assertOffered(b!, 'x')
    const second = await c!.win('x')
    // Who hears late of a lease that was taken and freed again may hear of nothing.
    await scene.until('the offer to b is over', async () => !(await b!.inbox()).freed.includes('x'))
    await c!.free('x', second)
    await scene.assertOffered(b!, 'x')
    await b!.free('x', await b!.win('x'))
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!, b!, c!)
  }),

  contractCase('a candidate that withdraws is never offered the lease', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    assert.deepEqual(await b!.withdraw('x'), { kind: 'withdrawn' })
    await a!.free('x', token)
    await scene.assertOffered(c!, 'x')
    await scene.assertNotOffered('x', b!)
    assert.deepEqual(await c!.withdraw('x'), { kind: 'withdrawn' })
    await scene.pass(scene.slackMs)
    await scene.assertNotOffered('x', a!, b!, c!)
  }),

  contractCase('a candidate that withdraws and campaigns again stands at the end', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await b!.withdraw('x')
    await b!.queue('x', 'a')
    await a!.free('x', token)
    await scene.assertOffered(c!, 'x')
    await scene.assertNotOffered('x', b!)
  }),

  contractCase('a candidate that withdraws from an offer passes it on', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await b!.queue('x', 'a')
    await c!.queue('x', 'a')
    await a!.free('x', token)
    await scene.assertOffered(b!, 'x')
    assert.deepEqual(await b!.withdraw('x'), { kind: 'withdrawn' })
    await scene.assertOffered(c!, 'x')
    await scene.assertNotOffered('x', b!)
    await c!.win('x')
  }),

  contractCase('a candidate that has run out is passed over', async (scene) => {
    const [a, c] = await scene.enterLong('a', 'c')
    const b = await scene.enter('b')
    const token = await a!.win('x')
    await b.queue('x', 'a')
    await c!.queue('x', 'a')
    await scene.passLease()
    await a!.free('x', token)
    await scene.assertOffered(c!, 'x')
    assert.deepEqual(b.hints, [])
  }),

  contractCase('the lines of different leases are apart', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const x = await a!.win('x')
    const y = await a!.win('y')
    await b!.queue('x', 'a')
    await c!.queue('y', 'a')
    await a!.free('y', y)
    await scene.assertOffered(c!, 'y')
    await scene.assertNotOffered('y', b!)
    await a!.free('x', x)
    await scene.assertOffered(b!, 'x')
    assert.deepEqual((await c!.inbox()).freed, ['y'])
  }),
]
