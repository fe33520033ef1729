/** What a store owes about groups: who is a member, what it announces, and how the others learn of it. */
import assert from 'node:assert/strict'
import { contractCase } from './scene.ts'

export const groupCases = [
  contractCase('the members of a group are told sorted by session id, with what they announce', async (scene) => {
    const players = await scene.enterLong('a', 'b', 'c', 'd')
    players.sort((one, other) => (one.id > other.id ? -1 : 1))
    const resting = [[], [0], [3, 1], []]
    for (const [index, player] of players.entries()) await player.enroll('g', 4, resting[index])
    const outsider = await scene.enter('outsider')
    const { members } = await outsider.members('g')
    const expected = players.map(({ id, node }, index) => ({
      session: id,
      node,
      partitions: 4,
      resting: resting[index],
    }))
    expected.sort((one, other) => (one.session < other.session ? -1 : 1))
    assert.deepEqual(members, expected)
    assert.deepEqual(await players[0]!.members('g'), await outsider.members('g'))
  }),

  contractCase('a group that nobody has joined has no members', async (scene) => {
    const a = await scene.enter('a')
    assert.deepEqual((await a.members('g')).members, [])
    assert.deepEqual((await a.inbox()).groups, {})
  }),

  contractCase('the inbox has the versions of the groups that one has joined, and of no other', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.enroll('g', 4)
    await a!.enroll('h', 8)
    await b!.enroll('h', 8)
    const versions = { g: (await a!.members('g')).version, h: (await a!.members('h')).version }
    assert.deepEqual((await a!.inbox()).groups, versions)
    assert.deepEqual((await a!.renewed()).inbox.groups, versions)
    assert.deepEqual((await b!.inbox()).groups, { h: versions.h })
    await a!.leave('h')
    assert.deepEqual((await a!.inbox()).groups, { g: versions.g })
  }),

  contractCase('each change of a group is a greater version, and the other members are told', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    const seen: number[] = []
    const changed = async () => {
      const { version } = await a!.members('g')
      assert.ok(version > (seen.at(-1) ?? -1), `${version} after ${seen}`)
      assert.deepEqual((await a!.inbox()).groups, { g: version })
      seen.push(version)
    }
    await a!.enroll('g', 4)
    await changed()
    await b!.enroll('g', 4)
    await scene.assertToldOfGroup(a!, 'g')
    await changed()
    await c!.enroll('g', 4)
    await scene.assertToldOfGroup(a!, 'g')
    await scene.assertToldOfGroup(b!, 'g')
    await changed()
    await b!.enroll('g', 4, [2])
    await scene.assertToldOfGroup(a!, 'g')
    await scene.assertToldOfGroup(c!, 'g')
    await changed()
    await c!.leave('g')
    await scene.assertToldOfGroup(a!, 'g')
    await scene.assertToldOfGroup(b!, 'g')
    await changed()
    await b!.session.close()
    await scene.assertToldOfGroup(a!, 'g')
    await changed()
  }),

  contractCase('nobody is told of a change of its own', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.enroll('g', 4)
    await a!.enroll('g', 4, [1])
    await b!.enroll('g', 4)
    await scene.assertToldOfGroup(a!, 'g')
    await scene.pass(scene.slackMs)
    assert.deepEqual([...a!.hints, ...b!.hints], [])
    await b!.leave('g')
    await scene.assertToldOfGroup(a!, 'g')
    assert.deepEqual(b!.hints, [])
  }),

  contractCase('joining again with the same entry changes nothing', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await b!.enroll('g', 4)
    await a!.enroll('g', 4, [1, 2])
    await scene.assertToldOfGroup(b!, 'g')
    const before = await b!.members('g')
    await a!.enroll('g', 4, [1, 2])
    assert.deepEqual(await b!.members('g'), before)
    await a!.enroll('g', 4, [1])
    assert.ok((await b!.members('g')).version > before.version)
    await scene.assertToldOfGroup(b!, 'g')
    await scene.pass(scene.slackMs)
    assert.deepEqual(b!.hints, [])
  }),

  contractCase('leaving a group that one is no member of changes nothing', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.enroll('g', 4)
    const before = await a!.members('g')
    assert.deepEqual(await b!.leave('g'), { kind: 'left' })
    assert.deepEqual(await b!.leave('none'), { kind: 'left' })
    assert.deepEqual(await a!.members('g'), before)
  }),

  contractCase('versions go on growing after a group was empty', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    const versions: number[] = []
    for (let round = 0; round < 3; round++) {
      await a!.enroll('g', 4)
      await a!.enroll('g', 4, [round])
      versions.push((await a!.members('g')).version)
      await a!.leave('g')
    }
    await a!.enroll('g', 4)
    await a!.session.close()
    await b!.enroll('g', 4)
    versions.push((await b!.members('g')).version)
    const mortal = await scene.enter('mortal')
    await b!.leave('g')
    await mortal.enroll('g', 4)
    versions.push((await mortal.members('g')).version)
    await scene.passLease()
    await b!.renewed()
    await b!.enroll('g', 4)
    versions.push((await b!.members('g')).version)
    assert.deepEqual(
      versions,
      [...new Set(versions)].sort((one, other) => one - other),
    )
  }),

  contractCase('who comes with another number of partitions is no member', async (scene) => {
    const [a, b, c] = await scene.enterLong('a', 'b', 'c')
    await a!.enroll('g', 4)
    const before = await a!.members('g')
    assert.deepEqual(await b!.join('g', 8), { kind: 'mismatch', partitions: 4 })
    assert.deepEqual(await a!.members('g'), before)
    assert.deepEqual((await b!.inbox()).groups, {})
    await c!.enroll('g', 4)
    await scene.assertToldOfGroup(a!, 'g')
    assert.deepEqual(await b!.join('g', 8), { kind: 'mismatch', partitions: 4 })
    await a!.leave('g')
    assert.deepEqual(await b!.join('g', 8), { kind: 'mismatch', partitions: 4 })
    await c!.session.close()
    assert.deepEqual(await b!.join('g', 8), { kind: 'joined' })
    assert.deepEqual(await a!.join('g', 4), { kind: 'mismatch', partitions: 8 })
    assert.deepEqual(b!.hints, [])
  }),

  contractCase('a lone member may change its number of partitions', async (scene) => {
    const a = await scene.enter('a')
    await a.enroll('g', 4)
    const before = await a.members('g')
    await a.enroll('g', 8)
    const after = await a.members('g')
    assert.ok(after.version > before.version)
    assert.deepEqual(
      after.members.map((member) => member.partitions),
      [8],
    )
  }),

  contractCase('a member that changes its number of partitions against the others leaves', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.enroll('g', 4)
    await b!.enroll('g', 4)
    await scene.assertToldOfGroup(a!, 'g')
    const before = await a!.members('g')
    assert.deepEqual(await b!.join('g', 8), { kind: 'mismatch', partitions: 4 })
    await scene.assertToldOfGroup(a!, 'g')
    const after = await a!.members('g')
    assert.ok(after.version > before.version)
    assert.deepEqual(
      after.members.map((member) => member.node),
      ['a'],
    )
    assert.deepEqual((await b!.inbox()).groups, {})
  }),

  contractCase('members that have run out count for nothing, before anybody has reaped them', async (scene) => {
    const [b] = await scene.enterLong('b')
    const a = await scene.enter('a')
    await a.enroll('g', 4)
    await scene.passLease()
    assert.deepEqual((await b!.members('g')).members, [])
    assert.deepEqual(await b!.join('g', 8), { kind: 'joined' })
    assert.deepEqual(
      (await b!.members('g')).members.map((member) => member.node),
      ['b'],
    )
  }),

  contractCase('groups and leases of one name have nothing to do with each other', async (scene) => {
    const [a, b] = await scene.enterLong('a', 'b')
    await a!.enroll('g', 4)
    const token = await b!.win('g')
    await b!.enroll('g', 4)
    await b!.free('g', token)
    assert.equal((await b!.members('g')).members.length, 2)
    await a!.win('g')
    await a!.leave('g')
    assert.equal((await scene.leader('g'))?.node, 'a')
    assert.equal((await b!.members('g')).members.length, 1)
  }),
]
