/** What a store owes about grants and tokens: one holder at a time, and each grant with a greater token. */
import assert from 'node:assert/strict'
import { contractCase } from './scene.ts'

export const grantCases = [
  contractCase('a free lease is granted, and everybody can see to whom', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const token = await a!.win('x')
    assert.ok(Number.isSafeInteger(token) && token > 0, `${token}`)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
    assert.deepEqual(await b!.campaign('x'), { kind: 'held', holder: 'a' })
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
  }),

  contractCase('of many who campaign at once, one is granted', async (scene) => {
    const players = await scene.enterLong('a', 'b', 'c', 'd', 'e', 'f')
    const answers = await Promise.all(players.map((player) => player.campaign('x')))
    const winners = players.filter((_, index) => answers[index]?.kind === 'granted')
    assert.equal(winners.length, 1)
    const holder = winners[0]?.node
    for (const answer of answers) if (answer.kind !== 'granted') assert.deepEqual(answer, { kind: 'held', holder })
  }),

  contractCase('tokens grow across leases, sessions, releases, closings and expiries', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const tokens = [await a!.win('x'), await b!.win('y'), await a!.win('z')]
    await a!.free('x', tokens[0]!)
    tokens.push(await b!.win('x'))
    await b!.withdraw('x')
    tokens.push(await a!.win('x'))
    await a!.session.close()
    tokens.push(await b!.win('x'))
    await b!.free('x', tokens.at(-1)!)
    const mortal = await scene.enter('mortal')
    tokens.push(await mortal.win('x'))
    await scene.passLease()
    tokens.push(await b!.win('x'))
    for (let round = 0; round < 20; round++) tokens.push(await b!.win('x'))
    assert.deepEqual(
      tokens,
      [...new Set(tokens)].sort((one, other) => one - other),
    )
    assert.ok(tokens.every(Number.isSafeInteger))
  }),

  contractCase('a lease that nobody has or wants any more still has growing tokens', async (scene) => {
    const a = await scene.enter('a')
    const first = await a.win('x')
    await a.free('x', first)
    await a.renewed(50)
    await a.session.close()
    const b = await scene.enter('b')
    assert.ok((await b.win('x')) > first)
  }),

  contractCase('a campaign by the present holder is a new grant, and the old token counts no more', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const first = await a!.win('x')
    await b!.queue('x', 'a')
    const second = await a!.win('x')
    assert.ok(second > first)
    assert.deepEqual(await scene.leader('x'), { node: 'a', token: second })
    assert.deepEqual(await a!.release('x', first), { kind: 'not-held' })
    assert.deepEqual(await scene.leader('x'), { node: 'a', token: second })
    await a!.free('x', second)
    await scene.assertOffered(b!, 'x')
  }),

  contractCase('a release needs session and token', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const token = await a!.win('x')
    assert.deepEqual(await b!.release('x', token), { kind: 'not-held' })
    assert.deepEqual(await a!.release('x', token + 1), { kind: 'not-held' })
    assert.deepEqual(await a!.release('x', token - 1), { kind: 'not-held' })
    assert.deepEqual(await a!.release('none', token), { kind: 'not-held' })
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
    await a!.free('x', token)
    assert.equal(await scene.leader('x'), null)
    assert.deepEqual(await a!.release('x', token), { kind: 'not-held' })
    const next = await b!.win('x')
    assert.deepEqual(await a!.release('x', token), { kind: 'not-held' })
    assert.deepEqual(await a!.release('x', next), { kind: 'not-held' })
    assert.deepEqual(await scene.leader('x'), { node: 'b', token: next })
  }),

  contractCase('a release frees that lease alone', async (scene) => {
    const a = await scene.enter('a')
    const x = await a.win('x')
    const y = await a.win('y')
    await a.free('x', x)
    assert.equal(await scene.leader('x'), null)
    assert.deepEqual(await scene.leader('y'), { node: 'a', token: y })
  }),

  contractCase('a withdrawal frees a lease whose grant was never heard of, and offers it on', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.win('x')
    await b!.queue('x', 'a')
    assert.deepEqual(await a!.withdraw('x'), { kind: 'withdrawn' })
    assert.equal(await scene.leader('x'), null)
    await scene.assertOffered(b!, 'x')
    await b!.win('x')
  }),

  contractCase('a withdrawal by somebody who has nothing there changes nothing', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const token = await a!.win('x')
    await c!.queue('x', 'a')
    assert.deepEqual(await b!.withdraw('x'), { kind: 'withdrawn' })
    assert.deepEqual(await b!.withdraw('none'), { kind: 'withdrawn' })
    assert.deepEqual(await scene.leader('x'), { node: 'a', token })
    await a!.free('x', token)
    await scene.assertOffered(c!, 'x')
  }),

  contractCase('a lease whose holder has run out is granted to the first who campaigns', async (scene) => {
    const [b, c] = await scene.enterLong('b', 'c')
    const a = await scene.enter('a')
    const token = await a.win('x')
    await c!.queue('x', 'a')
    await scene.passLease()
    const next = await b!.win('x')
    assert.ok(next > token)
    // The reaping of the old session must not take the new holder's lease with it.
    await b!.renewed()
    assert.deepEqual(await scene.leader('x'), { node: 'b', token: next })
    assert.deepEqual(await a.release('x', token), { kind: 'unknown' })
    assert.deepEqual(await a.withdraw('x'), { kind: 'unknown' })
    await a.session.close()
    assert.deepEqual(await scene.leader('x'), { node: 'b', token: next })
    await b!.free('x', next)
    await scene.assertOffered(c!, 'x')
  }),
]
