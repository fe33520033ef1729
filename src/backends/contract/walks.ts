/**
 * Long walks of commands in random order, late and repeated ones among them, in which a store must answer as the memory store does.
 * No time passes in them as far as the store can see; what time does has cases of its own.
 */
import assert from 'node:assert/strict'
import { memory } from '../memory/index.ts'
import type { SessionOptions } from '../port.ts'
import { Player } from './player.ts'
import { contractCase, LONG, type Scene } from './scene.ts'

const LEASES = ['x', 'y', 'z']
const GROUPS = ['g', 'x']
const SESSIONS = 5
const STEPS = 200

export const walkCases = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) =>
  contractCase(`a long walk of commands is answered as the memory store does (seed ${seed})`, (scene) =>
    walk(scene, seed),
  ),
)

/** A session in the store under test, and its twin in the memory store. Both are sent the same commands. */
interface Pair {
  readonly tested: Player
  readonly twin: Player
}

/** A grant, with its token in the store under test and in the memory store. */
interface Granted {
  readonly pair: Pair | null
  readonly lease: string
  readonly tokens: readonly [number, number]
}

/** Never granted in either store. */
const NO_GRANT: Granted = { pair: null, lease: 'x', tokens: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] }

async function walk(scene: Scene, seed: number): Promise<void> {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(items: readonly T[]) => items[below(items.length)] as T
  const still = { now: () => 0, wallMs: () => 0 }
  const silent = () => {}
  const reference = memory({ clock: still }).connect({
    clock: still,
    random: Math.random,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    namespace: 'reference',
  })
  const observer = scene.connect()
  const grants: Granted[] = []
  /** The versions of each group that were seen last. */
  const versions = new Map<string, readonly [number, number]>()
  const done: string[] = []

  const enter = async (): Promise<Pair> => {
    const options: SessionOptions = {
      node: `node-${below(1_000_000)}`,
      leaseDurationMs: LONG * scene.leaseMs,
      // Long enough that no offer is overdue before somebody takes it, even where the store is slow.
      renewIntervalMs: LONG * scene.leaseMs,
    }
    const tested = await scene.enter(options.node, options)
    const twin = new Player(reference, options)
    await twin.open()
    return { tested, twin }
  }

  const both = async <T>({ tested, twin }: Pair, what: string, ask: (player: Player, world: 0 | 1) => Promise<T>) => {
    done.push(`${tested.node}: ${what}`)
    const answers = [await ask(tested, 0), await ask(twin, 1)] as const
    return answers
  }

  const alike = (answers: readonly [unknown, unknown]) =>
    assert.deepEqual(answers[0], answers[1], `seed ${seed}, after ${done.slice(-30).join('\n')}`)

  const changed = (group: string, seen: readonly [number, number]) => {
    const before = versions.get(group) ?? [-1, -1]
    versions.set(group, seen)
    for (const world of [0, 1] as const) assert.ok(seen[world] >= before[world], `versions of ${group} grow`)
    alike([seen[0] > before[0], seen[1] > before[1]])
  }

  const pairs: Pair[] = []
  for (let count = 0; count < SESSIONS; count++) pairs.push(await enter())

  for (let step = 0; step < STEPS; step++) {
    if (step % 20 === 0) for (const pair of pairs) await both(pair, 'renew', (player) => player.renewed())
    const pair = pick(pairs)
    const lease = pick(LEASES)
    const group = pick(GROUPS)
    const next = pair.twin.next()
    const number = below(6) === 0 ? 1 + below(next) : next
    switch (below(12)) {
      case 0:
      case 1:
      case 2: {
        const [one, other] = await both(pair, `campaign ${lease} #${number}`, (player) =>
          player.campaign(lease, number),
        )
        if (one.kind === 'granted' && other.kind === 'granted') {
          assert.ok(one.token > (grants.at(-1)?.tokens[0] ?? 0), `tokens grow; seed ${seed}, step ${step}`)
          grants.push({ pair, lease, tokens: [one.token, other.token] })
        } else alike([one, other])
        break
      }
      case 3:
      case 4:
      case 5: {
        // Mostly what the session may well hold, at times somebody else's or nobody's.
        const own = grants.findLast((grant) => grant.pair === pair)
        const grant = own && below(4) > 0 ? own : pick([...grants.slice(-3), NO_GRANT])
        alike(
          await both(pair, `release ${grant.lease} ${grant.tokens} #${number}`, (player, world) =>
            player.release(grant.lease, grant.tokens[world], number),
          ),
        )
        break
      }
      case 6:
        alike(await both(pair, `withdraw ${lease} #${number}`, (player) => player.withdraw(lease, number)))
        break
      case 7:
      case 8: {
        const partitions = below(8) === 0 ? 8 : 4
        const resting = below(2) === 0 ? [] : [below(4)]
        alike(
          await both(pair, `join ${group} ${partitions} [${resting}] #${number}`, (player) =>
            player.join(group, partitions, resting, number),
          ),
        )
        break
      }
      case 9:
        alike(await both(pair, `leave ${group} #${number}`, (player) => player.leave(group, number)))
        break
      case 10: {
        const settled = below(3) === 0 ? below(next) : 0
        const [one, other] = await both(pair, `renew ${settled}`, (player) => player.renewed(settled))
        alike([[...one.inbox.freed].sort(), [...other.inbox.freed].sort()])
        break
      }
      case 11:
        if (below(3) > 0) break
        await both(pair, 'close', (player) => player.session.close())
        pairs.splice(pairs.indexOf(pair), 1, await enter())
        break
    }
    const onlooker = pick(pairs)
    const inboxes = await both(onlooker, 'look', (player) => player.inbox())
    alike([[...inboxes[0].freed].sort(), [...inboxes[1].freed].sort()])
    alike([Object.keys(inboxes[0].groups).sort(), Object.keys(inboxes[1].groups).sort()])
    const leaders = [await observer.leaders(LEASES), await reference.leaders(LEASES)] as const
    alike([leaders[0].map((leader) => leader?.node), leaders[1].map((leader) => leader?.node)])
    const [one, other] = await both(onlooker, `members ${group}`, (player) => player.members(group))
    const entries = ({ members }: typeof one) => members.map(({ session: _, ...rest }) => JSON.stringify(rest)).sort()
    alike([entries(one), entries(other)])
    if (one.members.length > 0) changed(group, [one.version, other.version])
  }
  await reference.close()
}

/** Numbers in [0, 1) that follow from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
