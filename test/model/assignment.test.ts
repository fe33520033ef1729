import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AssignedMember,
  type AssignmentOptions,
  assign,
  type Balance,
  createAssignment,
} from '../../src/model/assignment/assignment.ts'
import { hash, murmur3 } from '../../src/model/assignment/hash.ts'
import { columns, lowLane, scan } from '../../src/model/assignment/score.ts'
import { simpleAssign } from '../support/simple-assignment.ts'

const BALANCES: readonly Balance[] = ['hashed', 'bounded']

describe('what other implementations can hold on to', () => {
  test('lanes are hashed as the published MurmurHash3_x86_32 does', () => {
    const murmurOf = (text: string, seed: number) => murmur3(new TextEncoder().encode(text), seed).toString(16)
    expect(murmurOf('', 0)).toBe('0')
    expect(murmurOf('', 1)).toBe('514e28b7')
    expect(murmurOf('test', 0)).toBe('ba6bd213')
    expect(murmurOf('Hello, world!', 0x9747b28c)).toBe('24884cba')
    expect(murmurOf('The quick brown fox jumps over the lazy dog', 0x9747b28c)).toBe('2fa826cd')
  })

  test.each(documented('Hashes'))('the hash of %s is %s %s', (name, high, low) => {
    expect(hash(name)).toEqual({ high: Number.parseInt(high, 16), low: Number.parseInt(low, 16) })
  })

  test.each(documented('Scores'))('the score of %s for %s is %s %s', (session, lease, high, low) => {
    expect(scoreOf(session, lease)).toEqual({ high: Number.parseInt(high, 16), low: Number.parseInt(low, 16) })
  })

  test.each(documented('Assignments'))(
    '%s with %s partitions, %s, members %s: %s',
    (group, partitions, balance, members, owners) => {
      const options = { group, partitions: Number(partitions), balance: balance as Balance }
      const view = members.split(' ').map((member) => {
        const [session = '', resting] = member.split(':')
        return { session, resting: resting === undefined ? [] : resting.split(',').map(Number) }
      })
      const expected = owners.split(' ').map((owner) => (owner === '-' ? null : owner))
      expect(assign(options, view)).toEqual(expected)
      expect(simpleAssign(options, view)).toEqual(expected)
    },
  )

  test('a name too long for the usual memory is hashed all the same', () => {
    const long = 'é'.repeat(5000)
    expect(hash(long).high).toBe(murmur3(new TextEncoder().encode(long), 0))
  })
})

describe('the same members give the same assignment', () => {
  test('whatever came before, each view is assigned as the rules say', () => {
    fc.assert(
      fc.property(anOptions, fc.array(aView, { maxLength: 6 }), (options, views) => {
        const assignment = createAssignment(options)
        for (const view of views) {
          assignment.update(view)
          expect(assignment.owners()).toEqual(simpleAssign(options, view))
        }
      }),
    )
  })

  test('in whatever order they come', () => {
    fc.assert(
      fc.property(anOptions, aView, fc.infiniteStream(fc.nat()), (options, view, keys) => {
        const shuffled = view.map((member) => ({ member, key: keys.next().value })).sort((a, b) => a.key - b.key)
        const reordered = shuffled.map(({ member: { session, resting } }) => ({
          session,
          resting: resting.toReversed(),
        }))
        expect(assign(options, reordered)).toEqual(assign(options, view))
      }),
    )
  })

  test.each(BALANCES)('while a group grows from nobody to 300 members and shrinks again (%s)', (balance) => {
    const options = { group: 'orders', partitions: 500, balance }
    const assignment = createAssignment(options)
    for (const size of [0, 1, 2, 3, 9, 10, 40, 41, 300, 299, 150, 149, 12, 3, 1, 0]) {
      const view = membersOf('member', size)
      assignment.update(view)
      expect(assignment.owners()).toEqual(assign(options, view))
    }
  })

  test.each(BALANCES)('after all members were replaced at once (%s)', (balance) => {
    const options = { group: 'orders', partitions: 200, balance }
    const assignment = createAssignment(options)
    assignment.update(membersOf('old', 20))
    assignment.update(membersOf('new', 20))
    expect(assignment.owners()).toEqual(simpleAssign(options, membersOf('new', 20)))
  })

  test('equal scores go to the smaller session id', () => {
    const twins = ['YJce3hD6', 'ACUdC0jl'].map(awake)
    expect(hash('YJce3hD6')).toEqual(hash('ACUdC0jl'))
    expect(assign({ group: 'billing', partitions: 5 }, twins)).toEqual(Array(5).fill('ACUdC0jl'))
    expect(assign({ group: 'billing', partitions: 5, balance: 'bounded' }, twins)).toEqual(
      simpleAssign({ group: 'billing', partitions: 5, balance: 'bounded' }, twins),
    )
  })

  test('where the high lanes are equal, the low ones decide', () => {
    for (const [loser, winner] of [
      ['node-33380', 'node-67403'],
      ['node-37424', 'node-19009'],
    ] as const) {
      expect(scoreOf(loser, 'billing.0').high).toBe(scoreOf(winner, 'billing.0').high)
      expect(assign({ group: 'billing', partitions: 1 }, [awake(loser), awake(winner)])).toEqual([winner])
    }
  })
})

describe('only what must move moves', () => {
  test('a newcomer takes partitions, and the others exchange none', () => {
    fc.assert(
      fc.property(anOptions, aView, aNewcomer, (options, view, newcomer) => {
        const hashed = { ...options, balance: 'hashed' } as const
        const before = assign(hashed, view)
        const after = assign(hashed, [...view, newcomer])
        for (const partition of movedBetween(before, after)) expect(after[partition]).toBe(newcomer.session)
      }),
    )
  })

  test('one who leaves gives partitions up, and the others exchange none', () => {
    fc.assert(
      fc.property(anOptions, aView, aNewcomer, (options, view, leaver) => {
        const hashed = { ...options, balance: 'hashed' } as const
        const before = assign(hashed, [...view, leaver])
        const after = assign(hashed, view)
        for (const partition of movedBetween(before, after)) expect(before[partition]).toBe(leaver.session)
      }),
    )
  })

  test('a rest moves the rested partitions and no others, and its end brings them back', () => {
    fc.assert(
      fc.property(anOptions, aView, (options, view) => {
        const assignment = createAssignment(options)
        assignment.update(view.map(({ session }) => awake(session)))
        const before = assignment.owners()
        assignment.update(view)
        for (const partition of movedBetween(before, assignment.owners()))
          expect(restsOf(view, before[partition])).toContain(partition)
        assignment.update(view.map(({ session }) => awake(session)))
        expect(assignment.owners()).toEqual(before)
      }),
    )
  })

  test('a bounded assignment moves less than twice what it must (1024 partitions, 30 members)', () => {
    const options = { group: 'orders', partitions: 1024, balance: 'bounded' } as const
    const most = Math.ceil(1024 / 30)
    for (let trial = 0; trial < 20; trial++) {
      const members = membersOf(`trial-${trial}`, 31)
      const moved = movedBetween(assign(options, members), assign(options, members.slice(1)))
      expect(moved.length).toBeLessThan(2 * most)
    }
  })
})

describe('resting', () => {
  test('a rested partition goes to the member with the next highest score', () => {
    const options = { group: 'billing', partitions: 40 }
    const members = membersOf('member', 5)
    const owners = assign(options, members)
    for (let partition = 0; partition < 40; partition++) {
      const resting = members.map(({ session }) => ({
        session,
        resting: session === owners[partition] ? [partition] : [],
      }))
      const without = members.filter(({ session }) => session !== owners[partition])
      expect(assign(options, resting)[partition]).toBe(assign(options, without)[partition])
    }
  })

  test('a partition has no owner exactly where each member rests it', () => {
    fc.assert(
      fc.property(anOptions, aView, (options, view) => {
        assign(options, view).forEach((owner, partition) => {
          expect(owner === null).toBe(view.every(({ resting }) => resting.includes(partition)))
          expect(restsOf(view, owner)).not.toContain(partition)
        })
      }),
    )
  })

  test.each(BALANCES)('partitions that the group does not have mean nothing (%s)', (balance) => {
    const options = { group: 'billing', partitions: 8, balance }
    const members = membersOf('member', 3)
    const odd = members.map(({ session }) => ({ session, resting: [-1, 8, 1.5, Number.NaN] }))
    expect(assign(options, odd)).toEqual(assign(options, members))
  })
})

describe('even loads', () => {
  test('bounded: nobody has more than ceil(partitions / members)', () => {
    fc.assert(
      fc.property(anOptions, aView, (options, view) => {
        const members = view.map(({ session }) => awake(session))
        const owners = assign({ ...options, balance: 'bounded' }, members)
        const cap = Math.ceil(options.partitions / members.length)
        for (const { session } of members)
          expect(owners.filter((owner) => owner === session).length).toBeLessThanOrEqual(cap)
      }),
    )
  })

  test('bounded: over the cap goes only what a rest has moved, where all who do not rest it are full', () => {
    fc.assert(
      fc.property(anOptions, aView, (options, view) => {
        const bounded = { ...options, balance: 'bounded' } as const
        const sessions = view.map(({ session }) => session)
        const before = assign(bounded, sessions.map(awake))
        const after = assign(bounded, view)
        const cap = Math.ceil(options.partitions / view.length)
        const full = sessions.filter((session) => after.filter((owner) => owner === session).length >= cap)
        const hadNoRoom = (partition: number) =>
          before[partition] !== after[partition] &&
          view.every(({ session, resting }) => full.includes(session) || resting.includes(partition))
        for (const session of sessions) {
          const owned = [...after.keys()].filter((partition) => after[partition] === session)
          expect(owned.filter((partition) => !hadNoRoom(partition)).length).toBeLessThanOrEqual(cap)
        }
      }),
    )
  })

  test('hashed: 16,384 partitions over 64 members spread as chance would have it', () => {
    for (const ids of [randomIds(64), sequentialIds(64)]) {
      const owners = assign({ group: 'billing', partitions: 16_384 }, ids.map(awake))
      expect(unevenness(ids.map((id) => owners.filter((owner) => owner === id).length))).toBeLessThan(4)
    }
  })

  test('hashed: the same partition of many groups does not go to the same member', () => {
    for (const ids of [randomIds(8), sequentialIds(8)]) {
      const owners = Array.from(
        { length: 4000 },
        (_, i) => assign({ group: `group-${i}`, partitions: 1 }, ids.map(awake))[0],
      )
      expect(unevenness(ids.map((id) => owners.filter((owner) => owner === id).length))).toBeLessThan(4)
    }
  })

  test('hashed: neighbouring partitions, and who would come next, have nothing to do with each other', () => {
    const ids = sequentialIds(8)
    const owners = assign({ group: 'billing', partitions: 16_384 }, ids.map(awake))
    const pairs = ids.flatMap((first) => ids.map((second) => ({ first, second, count: 0 })))
    owners.forEach((owner, partition) => {
      if (partition % 2 === 0)
        pairs.find(({ first, second }) => first === owner && second === owners[partition + 1])!.count++
    })
    expect(unevenness(pairs.map(({ count }) => count))).toBeLessThan(4)

    const heirs = assign({ group: 'billing', partitions: 16_384 }, ids.slice(1).map(awake))
    const inherited = ids.slice(1).map((id) => heirs.filter((heir, p) => heir === id && owners[p] === ids[0]).length)
    expect(unevenness(inherited)).toBeLessThan(4)
  })
})

describe('the partitions of one member', () => {
  test('come in ascending order, and make up the whole together', () => {
    fc.assert(
      fc.property(anOptions, aView, (options, view) => {
        const assignment = createAssignment(options)
        assignment.update(view)
        const owners = assignment.owners()
        for (const { session } of view)
          expect(assignment.of(session)).toEqual(
            [...owners.keys()].filter((partition) => owners[partition] === session),
          )
      }),
    )
  })

  test('are none for a stranger, and none before the first view', () => {
    const assignment = createAssignment({ group: 'billing', partitions: 4 })
    expect(assignment.of('a')).toEqual([])
    expect(assignment.owners()).toEqual([null, null, null, null])
    assignment.update([{ session: 'a', resting: [0, 1, 2, 3] }])
    expect(assignment.of('b')).toEqual([])
    expect(assignment.of('a')).toEqual([])
  })
})

const POOL = Array.from({ length: 40 }, (_, i) => `s${i}`)

const anOptions: fc.Arbitrary<AssignmentOptions> = fc.record({
  group: fc.constantFrom('billing', 'a', 'orders.eu'),
  partitions: fc.integer({ min: 1, max: 60 }),
  balance: fc.constantFrom(...BALANCES),
})

const aRest = fc.oneof(
  { weight: 4, arbitrary: fc.constant<number[]>([]) },
  { weight: 1, arbitrary: fc.uniqueArray(fc.nat(60), { maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constant([...Array(60).keys()]) },
)

const aView: fc.Arbitrary<AssignedMember[]> = fc
  .oneof(fc.subarray(POOL), fc.subarray(POOL, { maxLength: 6 }))
  .chain((sessions) =>
    fc.tuple(...sessions.map((session) => fc.record({ session: fc.constant(session), resting: aRest }))),
  )

const aNewcomer = fc.record({ session: fc.constant('newcomer'), resting: aRest })

function awake(session: string): AssignedMember {
  return { session, resting: [] }
}

function membersOf(prefix: string, count: number): AssignedMember[] {
  return Array.from({ length: count }, (_, i) => awake(`${prefix}-${i}`))
}

function randomIds(count: number): string[] {
  return Array.from({ length: count }, (_, i) => createHash('md5').update(String(i)).digest('hex'))
}

function sequentialIds(count: number): string[] {
  return Array.from({ length: count }, (_, i) => i.toString(16).padStart(32, '0'))
}

function scoreOf(session: string, lease: string) {
  const members = columns([hash(session)])
  const partitions = columns([hash(lease)])
  const found = { index: new Uint32Array(1), high: new Uint32Array(1) }
  expect(scan(members, 0, partitions, 0, found)).toBe(1)
  return { high: found.high[0]!, low: lowLane(members, 0, partitions, 0) }
}

function restsOf(view: readonly AssignedMember[], session: string | null | undefined): readonly number[] {
  return view.find((member) => member.session === session)?.resting ?? []
}

function movedBetween(before: readonly (string | null)[], after: readonly (string | null)[]): number[] {
  return [...before.keys()].filter((partition) => before[partition] !== after[partition])
}

/** How many standard deviations the chi-square statistic of these counts is above what even odds give. */
function unevenness(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const freedom = counts.length - 1
  return (chiSquare - freedom) / Math.sqrt(2 * freedom)
}

/** The rows of a table in docs/assignment.md, their cells without code quotes. */
function documented(heading: string): string[][] {
  const text = readFileSync(new URL('../../docs/assignment.md', import.meta.url), 'utf8')
  const section = text.split(`\n### ${heading}\n`)[1]!.split('\n#')[0]!
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(3)
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`|`$/g, '')),
  )
}
