/**
 * How evenly partitions are spread, how many move when a member comes or goes, and how long that takes to work out.
 * `npx tsx bench/assignment.ts` prints it; with `--write`, the tables in docs/assignment.md are renewed.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AssignedMember, assign, type Balance, createAssignment } from '../src/model/assignment/assignment.ts'
import { hash } from '../src/model/assignment/hash.ts'
import { columns, scan } from '../src/model/assignment/score.ts'

const SIZES = [
  { partitions: 16, members: 8 },
  { partitions: 64, members: 5 },
  { partitions: 256, members: 10 },
  { partitions: 1024, members: 30 },
] as const
const TRIALS = 300
const LARGE = { partitions: 16_384, members: 1_000 } as const
const ROUNDS = 25

type Owners = readonly (string | null)[]

interface Rule {
  readonly name: string
  readonly isBounded: boolean
  readonly assign: (group: string, partitions: number, members: readonly AssignedMember[]) => Owners
}

const RULES: readonly Rule[] = [
  ...(['hashed', 'bounded'] as const).map((balance) => ({
    name: `\`${balance}\``,
    isBounded: balance === 'bounded',
    assign: (group: string, partitions: number, members: readonly AssignedMember[]) =>
      assign({ group, partitions, balance }, members),
  })),
  { name: '*in turn*', isBounded: true, assign: assignInTurn },
]

/** The rule that was not taken: partitions choose one after another, each its best member that has room. */
function assignInTurn(group: string, partitions: number, members: readonly AssignedMember[]): Owners {
  const cap = Math.ceil(partitions / members.length)
  const leases = columns(Array.from({ length: partitions }, (_, partition) => hash(`${group}.${partition}`)))
  const sessions = columns(members.map(({ session }) => hash(session)))
  const scores = members.map((_, member) => {
    const found = { index: new Uint32Array(partitions), high: new Uint32Array(partitions) }
    scan(sessions, member, leases, 0, found)
    return found.high
  })
  const loads = members.map(() => 0)
  return Array.from({ length: partitions }, (_, partition) => {
    let best = -1
    for (let member = 0; member < members.length; member++) {
      if (loads[member]! >= cap) continue
      if (best === -1 || scores[member]![partition]! > scores[best]![partition]!) best = member
    }
    loads[best]!++
    return members[best]!.session
  })
}

function memberNumber(seed: string): AssignedMember {
  return { session: createHash('md5').update(seed).digest('hex'), resting: [] }
}

function loadsOf(owners: Owners, members: readonly AssignedMember[]): number[] {
  const loads = new Map(members.map(({ session }) => [session, 0]))
  for (const owner of owners) loads.set(owner!, loads.get(owner!)! + 1)
  return [...loads.values()]
}

function countMoved(before: Owners, after: Owners): number {
  return before.filter((owner, partition) => owner !== after[partition]).length
}

function spread(): string {
  const rows = SIZES.flatMap((size) => RULES.map((rule) => spreadRow(rule, size.partitions, size.members)))
  return [
    '| partitions / members | rule | fullest / average | idle | join: moved | to the newcomer | must | leave: moved | must |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function spreadRow(rule: Rule, partitions: number, members: number): string {
  const sum = { fullest: 0, idle: 0, joinMoved: 0, joinTaken: 0, joinMust: 0, leaveMoved: 0, leaveMust: 0 }
  for (let trial = 0; trial < TRIALS; trial++) {
    const group = `group-${trial}`
    const view = Array.from({ length: members }, (_, i) => memberNumber(`${trial}/${i}`))
    const newcomer = memberNumber(`${trial}/newcomer`)
    const leaver = view[trial % members]!
    const before = rule.assign(group, partitions, view)
    const joined = rule.assign(group, partitions, [...view, newcomer])
    const left = rule.assign(
      group,
      partitions,
      view.filter((member) => member !== leaver),
    )
    const loads = loadsOf(before, view)
    const taken = joined.filter((owner) => owner === newcomer.session).length
    const capAfterJoin = Math.ceil(partitions / (members + 1))
    sum.fullest += Math.max(...loads) / (partitions / members)
    sum.idle += loads.filter((load) => load === 0).length
    sum.joinMoved += countMoved(before, joined)
    sum.joinTaken += taken
    sum.joinMust += rule.isBounded ? loads.reduce((over, load) => over + Math.max(0, load - capAfterJoin), 0) : taken
    sum.leaveMoved += countMoved(before, left)
    sum.leaveMust += before.filter((owner) => owner === leaver.session).length
  }
  const cells = Object.values(sum).map((total) => (total / TRIALS).toFixed(2))
  return `| ${partitions} / ${members} | ${rule.name} | ${cells.join(' | ')} |`
}

const STEPS = ['full', 'join', 'leave', 'rest'] as const
type Times = Record<(typeof STEPS)[number], number>

function timed(step: () => void): number {
  const start = performance.now()
  step()
  return performance.now() - start
}

function timeOnce(balance: Balance, view: readonly AssignedMember[]): Times {
  const assignment = createAssignment({ group: 'billing', partitions: LARGE.partitions, balance })
  const full = timed(() => assignment.update(view))
  const join = timed(() => assignment.update([...view, memberNumber('newcomer')]))
  const leave = timed(() => assignment.update(view))
  const first = { session: view[0]!.session, resting: assignment.of(view[0]!.session) }
  const rest = timed(() => assignment.update([first, ...view.slice(1)]))
  return { full, join, leave, rest }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function timeBareScores(view: readonly AssignedMember[]): number {
  const members = columns(view.map(({ session }) => hash(session)))
  const leases = columns(Array.from({ length: LARGE.partitions }, (_, partition) => hash(`billing.${partition}`)))
  const found = { index: new Uint32Array(LARGE.partitions), high: new Uint32Array(LARGE.partitions) }
  return timed(() => {
    for (let member = 0; member < view.length; member++) scan(members, member, leases, 2 ** 32 - 1, found)
  })
}

function timings(): string {
  const view = Array.from({ length: LARGE.members }, (_, i) => memberNumber(`large/${i}`))
  const first = timeOnce('hashed', view).full
  // What is compared is measured side by side, so that a slow spell of the machine slows both.
  const rounds = Array.from({ length: ROUNDS }, () => ({
    bare: timeBareScores(view),
    hashed: timeOnce('hashed', view),
    bounded: timeOnce('bounded', view),
  }))
  const row = (balance: Balance) => {
    const fastest = STEPS.map((step) => Math.min(...rounds.map((round) => round[balance][step])))
    return `| \`${balance}\` | ${fastest.map((time) => time.toFixed(1)).join(' | ')} |`
  }
  const ratio = (of: (round: (typeof rounds)[number]) => number) => medianOf(rounds.map(of)).toFixed(2)
  return [
    '| balance | full (ms) | join (ms) | leave (ms) | rest (ms) |',
    '| --- | --- | --- | --- | --- |',
    row('hashed'),
    row('bounded'),
    '',
    `The fastest of ${ROUNDS} rounds on a shared machine, Node ${process.versions.node}. The very first full one of the process, which the engine`,
    `has yet to optimize, took ${first.toFixed(0)} ms. Medians of ratios within a round:`,
    `full / bare scores of all pairs ${ratio(({ bare, hashed }) => hashed.full / bare)},`,
    `join / full ${ratio(({ hashed }) => hashed.join / hashed.full)},`,
    `leave / full ${ratio(({ hashed }) => hashed.leave / hashed.full)},`,
    `bounded / hashed, both full, ${ratio(({ hashed, bounded }) => bounded.full / hashed.full)}.`,
  ].join('\n')
}

const DOCUMENT = new URL('../docs/assignment.md', import.meta.url)

function renew(document: string, name: string, table: string): string {
  const begin = document.indexOf(`<!-- ${name} -->`)
  const end = document.indexOf(`<!-- /${name} -->`)
  if (begin === -1 || end < begin) throw new Error(`docs/assignment.md has no place for the table "${name}".`)
  return `${document.slice(0, begin)}<!-- ${name} -->\n${table}\n${document.slice(end)}`
}

const tables = { timings: timings(), spread: spread() }
for (const table of Object.values(tables)) console.log(`${table}\n`)
if (process.argv.includes('--write')) {
  const document = readFileSync(DOCUMENT, 'utf8')
  writeFileSync(DOCUMENT, renew(renew(document, 'timings', tables.timings), 'spread', tables.spread))
}
