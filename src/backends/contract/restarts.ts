/** What a store owes that can lose its memory: after a restart it grants nothing until every forgotten grant has run out. */
import assert from 'node:assert/strict'
import { assertUnknownToAll } from './player.ts'
import { contractCase, LONG } from './scene.ts'

const needs = { needs: 'restart' } as const

export const restartCases = [
  contractCase(
    'after a restart with its data, the store names a new epoch and what each session still holds',
    async (scene) => {
      const [a, b] = await scene.enterLong('a', 'b')
      const x = await a!.win('x')
      const y = await a!.win('y')
      const z = await b!.win('z')
      assert.equal((await a!.renewed()).holds, undefined)
      await scene.restart('kept')
      const answer = await a!.session.renew({ settled: 0, epoch: a!.epoch })
      assert.ok(answer.kind === 'renewed')
      assert.equal(answer.epoch, a!.epoch + 1)
      assert.deepEqual(
        [...(answer.holds ?? [])].sort((one, other) => one.token - other.token),
        [
          { lease: 'x', token: x },
          { lease: 'y', token: y },
        ],
      )
      // Told until the session says that it knows.
      assert.equal((await a!.session.renew({ settled: 0, epoch: a!.epoch })).kind, 'renewed')
      assert.equal((await a!.renewed()).holds?.length, 2)
      assert.equal((await a!.renewed()).holds, undefined)
      assert.deepEqual((await b!.renewed()).holds, [{ lease: 'z', token: z }])
      assert.equal(b!.epoch, a!.epoch)
      assert.deepEqual(await scene.leader('x'), { node: 'a', token: x })
    },
    needs,
  ),

  contractCase(
    'each restart is one epoch, for newcomers as well',
    async (scene) => {
      const [a] = await scene.enterLong('a')
      const first = a!.epoch
      await scene.restart('kept')
      const [b] = await scene.enterLong('b')
      assert.equal(b!.epoch, first + 1)
      assert.equal((await b!.renewed()).holds, undefined)
      await scene.restart('kept')
      await a!.renewed()
      await b!.renewed()
      assert.equal(a!.epoch, first + 2)
      assert.equal(b!.epoch, first + 2)
    },
    needs,
  ),

  contractCase(
    'after a restart with its data, nothing is granted until the longest lease duration has passed',
    async (scene) => {
      const [a, b] = await Promise.all([scene.enter('a'), scene.enter('b')])
      const token = await a.win('x')
      await scene.restart('kept')
      // What the restart has left of their time may be too little for what comes.
      await Promise.all([a.renewed(), b.renewed()])
      for (const [player, lease] of [
        [b, 'x'],
        [a, 'x'],
        [b, 'free'],
      ] as const) {
        const answer = await player.campaign(lease)
        assert.ok(answer.kind === 'quarantined', JSON.stringify(answer))
        assert.ok(answer.retryInMs > 0 && answer.retryInMs <= scene.leaseMs + scene.slackMs, `${answer.retryInMs}`)
      }
      await scene.passAwake(scene.leaseMs / 2, a, b)
      assert.equal((await b.campaign('free')).kind, 'quarantined')
      assert.deepEqual(await scene.leader('x'), { node: 'a', token })
      await scene.passAwake(scene.leaseMs / 2 + scene.slackMs, a, b)
      assert.ok((await b.win('free')) > token)
      await b.queue('x', 'a')
      assert.ok((await a.win('x')) > token)
    },
    needs,
  ),

  contractCase(
    'the quarantine lasts as long as the longest lease duration that was ever in use',
    async (scene) => {
      const a = await scene.enter('a')
      const long = await scene.enter('long', { leaseDurationMs: 2 * scene.leaseMs })
      await long.session.close()
      await scene.restart('kept')
      await a.renewed()
      await scene.passAwake(scene.leaseMs + scene.slackMs, a)
      const answer = await a.campaign('x')
      assert.ok(
        answer.kind === 'quarantined' && answer.retryInMs <= scene.leaseMs + scene.slackMs,
        JSON.stringify(answer),
      )
      await scene.passAwake(scene.leaseMs, a)
      await a.win('x')
    },
    needs,
  ),

  contractCase(
    'in quarantine, sessions renew, stand in line, release, withdraw, join and leave as ever',
    async (scene) => {
      const [a, b, c] = await scene.enterLong('a', 'b', 'c')
      const x = await a!.win('x')
      await a!.win('y')
      await b!.queue('x', 'a')
      await scene.restart('kept')
      await Promise.all([a!.renewed(), b!.renewed(), c!.renewed()])
      assert.equal((await c!.campaign('x')).kind, 'quarantined')
      assert.equal((await c!.campaign('y')).kind, 'quarantined')
      await a!.free('x', x)
      assert.deepEqual((await b!.inbox()).freed, ['x'])
      assert.deepEqual((await c!.inbox()).freed, [])
      assert.equal((await b!.campaign('x')).kind, 'quarantined')
      assert.equal(await scene.leader('x'), null)
      assert.deepEqual(await b!.withdraw('x'), { kind: 'withdrawn' })
      assert.deepEqual((await c!.inbox()).freed, ['x'])
      assert.deepEqual(await a!.withdraw('y'), { kind: 'withdrawn' })
      assert.deepEqual([...(await c!.inbox()).freed].sort(), ['x', 'y'])
      await a!.enroll('g', 4)
      await b!.enroll('g', 4)
      assert.deepEqual(await a!.leave('g'), { kind: 'left' })
      assert.deepEqual(
        (await c!.members('g')).members.map((member) => member.node),
        ['b'],
      )
      const late = await scene.enter('late')
      assert.equal((await late.campaign('free')).kind, 'quarantined')
    },
    needs,
  ),

  contractCase(
    'in quarantine, a campaign counts its number, and late commands are stale',
    async (scene) => {
      const [a] = await scene.enterLong('a')
      assert.equal((await a!.campaign('x', 5)).kind, 'granted')
      assert.deepEqual(await a!.join('g', 4, [], 5), { kind: 'joined' })
      await scene.restart('kept')
      assert.deepEqual(await a!.campaign('x', 5), { kind: 'stale' })
      assert.deepEqual(await a!.leave('g', 4), { kind: 'stale' })
      assert.equal((await a!.campaign('x', 7)).kind, 'quarantined')
      assert.deepEqual(await a!.withdraw('x', 6), { kind: 'stale' })
      assert.equal((await scene.leader('x'))?.node, 'a')
    },
    needs,
  ),

  contractCase(
    'in quarantine, sessions that have run out are reaped',
    async (scene) => {
      const [b, c] = await scene.enterLong('b', 'c')
      const a = await scene.enter('a')
      await a.win('x')
      await b!.queue('x', 'a')
      await scene.restart('kept')
      await scene.passLease()
      await c!.renewed()
      assert.deepEqual((await b!.inbox()).freed, ['x'])
      assert.equal((await b!.campaign('x')).kind, 'quarantined')
      await assertUnknownToAll(a)
    },
    needs,
  ),

  contractCase(
    'after a restart without its data, every session is unknown',
    async (scene) => {
      const [a, b] = await scene.enterLong('a', 'b')
      await a!.win('x')
      await b!.enroll('g', 4)
      await scene.restart('lost')
      await assertUnknownToAll(a!)
      await assertUnknownToAll(b!)
      await assert.rejects(a!.session.open())
      await a!.session.close()
      assert.equal(await scene.leader('x'), null)
    },
    needs,
  ),

  contractCase(
    'after a restart without its data, nothing is granted until a forgotten grant must have run out',
    async (scene) => {
      const a = await scene.enter('a')
      const tokens = [await a.win('x'), await a.win('x'), await a.win('y')]
      await scene.restart('lost')
      const b = await scene.enter('b')
      const answer = await b.campaign('x')
      assert.ok(answer.kind === 'quarantined', JSON.stringify(answer))
      // A server may know its age in whole seconds only, and must then think itself younger.
      assert.ok(answer.retryInMs > 0 && answer.retryInMs <= scene.leaseMs + 1_000, `${answer.retryInMs}`)
      const token = await scene.winInTime(b, 'x')
      assert.ok(token > Math.max(...tokens), `${token} after ${tokens}`)
      assert.ok(Number.isSafeInteger(token))
    },
    needs,
  ),

  contractCase(
    'after a restart without its data, a newcomer with a longer lease duration makes the quarantine longer',
    async (scene) => {
      await scene.enter('a')
      await scene.restart('lost')
      const b = await scene.enter('b')
      assert.equal((await b.campaign('x')).kind, 'quarantined')
      const long = await scene.enter('long', { leaseDurationMs: LONG * scene.leaseMs })
      await scene.passAwake(scene.leaseMs + scene.slackMs, b, long)
      const answer = await b.campaign('x')
      assert.ok(answer.kind === 'quarantined', JSON.stringify(answer))
      await scene.winInTime(b, 'x', long)
    },
    needs,
  ),

  contractCase(
    'versions and tokens never go back over restarts',
    async (scene) => {
      const a = await scene.enter('a')
      const tokens = [await a.win('x')]
      await a.enroll('g', 4)
      const { version } = await a.members('g')
      await scene.restart('kept')
      await a.renewed()
      await a.enroll('g', 4, [1])
      assert.ok((await a.members('g')).version > version)
      await a.session.close()
      const b = await scene.enter('b')
      tokens.push(await scene.winInTime(b, 'x'), await b.win('y'))
      await scene.restart('lost')
      const c = await scene.enter('c')
      tokens.push(await scene.winInTime(c, 'x'))
      assert.deepEqual(
        tokens,
        [...new Set(tokens)].sort((one, other) => one - other),
      )
    },
    needs,
  ),
]
