/** The tables of moves as pages: one for each machine, and one that says how to read them. */
import type { AnyStateNode } from 'xstate'
import { type FoundMachine, findMachines } from '../charts/discover.ts'
import type { Pages } from '../fresh.ts'
import type { Condition } from './condition.ts'
import { grouped } from './grouped.ts'
import { isNothing, type Row, rowsOf } from './rows.ts'
import { ALL } from './surroundings/all.ts'
import type { AnySurroundings } from './surroundings.ts'
import { type Move, type Walk, walk } from './walk.ts'

/** Where the pages live. */
export const FOLDER = 'docs/moves'

const INTRODUCTION = `# The moves

What each machine does with everything that can come to it, in every state that it can be in. \`npm run moves\` walks the whole graph of each machine and writes these tables; nobody
edits them. A change of behaviour is a change of lines here.

How to read them:

- There is a table for each **place**: a state with those around it, \`holding.leading\`. A machine that is two machines side by side is in two places at once,
  \`children.tending + membership.outside\`; regions of a state further inside are facts. Above the table stand the actors whose end is awaited there.
- **Event** is what comes: a command, a fact, or an actor with how it ended, \`campaign: held\`; \`failed\` is any failure. Events with one outcome share a line.
- **When** names the **facts** that decide on the outcome, and no others: parts of the context, reduced to a few words. Each page begins with them, and with why the rest of the context decides
  nothing. Where no line fits, nothing happens.
- **Goes to** is the next place, and the facts that are set; \`–\` where the place is not left. *stopped with stepped-down* is an end and its output, *ends here* an end in the place where it was;
  *fails* hands a failure to the parent.
- **Does** are the effects in their order: \`name(parameters)\` is an action that the runtime provides, \`event to actor\` is sent, \`starts actor\` begins a call, a wait or a child,
  \`leaves actor\` drops one that has not ended. What is sent to several is sent in no order.
- What stands **[in brackets]** is so only where these facts are.
- Events that change nothing anywhere in a place are named below its table. They have an answer there, too, and it is this.

What machines are walked in (how they begin, what can come, how their actors may end) is in [scripts/moves/surroundings](../../scripts/moves/surroundings); what must hold on all these
moves is tested in [test/moves](../../test/moves): that a lease is held from a grant in time to the end of its term, that no stop is forgotten and each comes to an end, that every event has
an answer, that no call that may change the store is walked away from, and the order of things.

| Machine | States | Moves |
| --- | --- | --- |`

export async function writePages(root: string): Promise<Pages> {
  const pages = new Map<string, string>()
  const index: string[] = []
  for (const found of await findMachines(root)) {
    const { id } = found.machine
    const surroundings = ALL[id]
    if (!surroundings) throw new Error(`Nothing is known of what ${id} is walked in: scripts/moves/surroundings.`)
    const walked = walk(surroundings)
    pages.set(`${id}.md`, pageOf(found, walked))
    index.push(`| [${id}](${id}.md) | ${walked.states.length} | ${walked.moves.length} |`)
  }
  pages.set('README.md', `${[INTRODUCTION, ...index].join('\n')}\n`)
  return pages
}

function pageOf({ machine, path, header }: FoundMachine, { surroundings, moves: made }: Walk): string {
  const moves = made.map((move) => surroundings.readable?.(move) ?? move)
  const [beginnings, others] = [moves.filter(({ from }) => !from), moves.filter(({ from }) => from)]
  const byPath = grouped(others, ({ from }) => from!.path)
  const order = documentOrder(machine.root)
  const rank = (place: string) => place.split(' + ').map((part) => order.indexOf(part))
  const places = [...byPath].sort(([a], [b]) => compare(rank(a), rank(b)))
  return `${[
    `# The moves of ${machine.id}`,
    header,
    `[How to read this](README.md) · [picture](../charts/${machine.id}.svg) · [source](../../${path})`,
    factsOf(surroundings),
    `## Begins\n\n${tableOf(rowsOf(beginnings, surroundings), 'Started')}`,
    ...places.map(([place, from]) => sectionOf(place, from, surroundings)),
  ].join('\n\n')}\n`
}

function factsOf({ facts, leftOut }: AnySurroundings): string {
  const decides = Object.entries(facts).map(([name, { why }]) => `- \`${name}\`: ${why}.`)
  const rest = Object.entries(leftOut).map(([name, why]) => `\`${name}\` ${why}`)
  return [
    ...(decides.length > 0 ? [`Of the context this decides:\n\n${decides.join('\n')}`] : []),
    ...(rest.length > 0 ? [`And this does not: ${rest.join('; ')}.`] : []),
  ].join('\n\n')
}

function sectionOf(place: string, moves: readonly Move[], surroundings: AnySurroundings): string {
  const rows = rowsOf(moves, surroundings)
  const shown = rows.filter((row) => !isNothing(row))
  const busy = new Set(shown.flatMap(({ events }) => events))
  const nothing = [...new Set(rows.flatMap(({ events }) => events))].filter((event) => !busy.has(event))
  const out = [...new Set(moves.flatMap(({ from }) => Object.values(from!.out)))].sort()
  return [
    `## ${place}`,
    ...(out.length > 0 ? [`Out: ${out.join(', ')}.`] : []),
    ...(shown.length > 0 ? [tableOf(shown, 'Event')] : []),
    ...(nothing.length > 0 ? [`Answered with nothing: ${nothing.map(code).join(', ')}.`] : []),
  ].join('\n\n')
}

function tableOf(rows: readonly Row[], first: string): string {
  const hasWhen = rows.some(({ when }) => Object.keys(when).length > 0)
  const head = [first, ...(hasWhen ? ['When'] : []), 'Goes to', 'Does']
  const lines = rows.map(({ events, when, to, set, effects }) => [
    events.map(code).join(', '),
    ...(hasWhen ? [conditionText(when)] : []),
    [to === undefined ? '–' : `**${to}**`, ...set.map(({ text, when }) => `${text}${inBrackets(when)}`)].join(', '),
    effects.map(({ text, when }) => `${code(text)}${inBrackets(when)}`).join(', '),
  ])
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const code = (text: string) => `\`${text}\``

function conditionText(condition: Condition | 'otherwise'): string {
  if (condition === 'otherwise') return condition
  return Object.entries(condition)
    .map(([name, values]) => `${name}: ${values.join(' or ')}`)
    .join(', ')
}

function inBrackets(condition: Condition): string {
  const text = conditionText(condition)
  return text === '' ? '' : ` [${text}]`
}

/** Paths of all states, as they stand in the chart. */
function documentOrder(node: AnyStateNode): readonly string[] {
  return Object.values(node.states).flatMap((state) => [state.path.join('.'), ...documentOrder(state)])
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
