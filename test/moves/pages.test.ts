/** The tables of moves are those of the machines, and say no less than the moves themselves. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findMachines } from '../../scripts/charts/discover.ts'
import { meets } from '../../scripts/moves/condition.ts'
import { grouped } from '../../scripts/moves/grouped.ts'
import { FOLDER, writePages } from '../../scripts/moves/pages.ts'
import { type Row, rowsOf } from '../../scripts/moves/rows.ts'
import { textsOf } from '../../scripts/moves/text.ts'
import type { Move, Walk } from '../../scripts/moves/walk.ts'
import { lineOf, MACHINES, walkOf } from './graph.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('there is a table for each machine, and each says what its machine does now', async () => {
  const pages = await writePages(root)
  const machines = await findMachines(root)
  expect([...pages.keys()].sort()).toEqual(['README.md', ...machines.map(({ machine }) => `${machine.id}.md`)].sort())
  expect(readdirSync(join(root, FOLDER)).sort()).toEqual([...pages.keys()].sort())
  for (const [name, page] of pages) {
    const there = readFileSync(join(root, FOLDER, name), 'utf8')
    expect(there === page, `${FOLDER}/${name} is stale: npm run moves`).toBe(true)
  }
})

/** What a reader takes from the rows about a move: where it leads, what it sets, what it does. */
function readFrom(rows: readonly Row[], { from, happening }: Move): string {
  const facts = from?.facts ?? {}
  const ofEvent = rows.filter(({ events }) => events.includes(happening.label))
  const fitting = ofEvent.filter(({ when }) => when !== 'otherwise' && meets(facts, when))
  const [row, ...others] = fitting.length > 0 ? fitting : ofEvent.filter(({ when }) => when === 'otherwise')
  if (!row || others.length > 0) return `${others.length + 1} rows`
  const said = (parts: Row['effects']) => parts.filter(({ when }) => meets(facts, when)).map(({ text }) => text)
  const set = said(row.set).filter(
    (text) => !Object.entries(facts).some(([name, value]) => text === `${name}: ${value}`),
  )
  return `${row.to ?? from?.path} / ${set} / ${said(row.effects)}`
}

function truthOf(move: Move, { surroundings }: Walk): string {
  const { from, to } = move
  const { status, output } = to.snapshot
  const end = output === undefined ? '' : ` with ${Object.values(output as object)}`
  const place = to.isOver && from?.path === to.path ? 'ends here' : `${to.path}${end}`
  const changed = Object.entries(to.facts).filter(([name, value]) => from?.facts[name] !== value)
  const set = changed.map(([name, value]) => `${name}: ${value}`)
  return `${status === 'error' ? 'fails' : place} / ${set} / ${textsOf(move, surroundings)}`
}

/** Moves that are not what the rows of their place say. */
function misread(walked: Walk, change: (rows: readonly Row[]) => readonly Row[] = (rows) => rows): readonly string[] {
  const readable = walked.moves.map((move) => walked.surroundings.readable?.(move) ?? move)
  return [...grouped(readable, ({ from }) => from?.path).values()].flatMap((moves) => {
    const rows = change(rowsOf(moves, walked.surroundings))
    return moves.filter((move) => readFrom(rows, move) !== truthOf(move, walked)).map(lineOf)
  })
}

describe.each(MACHINES)('the rows of %s', (id) => {
  test('say of every move where it leads, what it sets and what it does', () => {
    expect(misread(walkOf(id))).toEqual([])
  })
})

describe('that is seen to fail', () => {
  const election = walkOf('election')
  test.each<[string, (row: Row) => Row]>([
    ['an effect is missing', (row) => ({ ...row, effects: row.effects.slice(1) })],
    ['two effects have changed places', (row) => ({ ...row, effects: [...row.effects].reverse() })],
    ['a fact is missing', (row) => ({ ...row, set: [] })],
    ['a condition is missing', (row) => ({ ...row, when: {} })],
    ['another place is named', (row) => ({ ...row, to: 'waiting' })],
  ])('where %s', (_, change) => {
    expect(misread(election, (rows) => rows.map(change))).not.toEqual([])
  })
})
