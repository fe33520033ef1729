/** What is written into the box of a state, line by line, and how large that is. */
import type { ChartState, Move } from './chart.ts'
import { LINE, widthOf, wrap } from './text.ts'

export type Style = 'name' | 'description' | 'effect' | 'event' | 'guard' | 'action' | 'target'

/** One piece of a line, `x` pixels from its beginning. */
export interface Piece {
  readonly x: number
  readonly style: Style
  readonly text: string
}

export interface Table {
  readonly lines: readonly (readonly Piece[])[]
  readonly width: number
  readonly height: number
}

const LIMIT = 270
const INDENT = 14
const GAP = 5
export const PADDING = 8

export function tableOf(state: ChartState, footnote?: string): Table {
  const lines = [
    line(['name', state.key]),
    ...paragraph('description', state.description),
    ...effects('entry', state.entry),
    ...effects('exit', state.exit),
    ...effects('invokes', state.invokes),
    ...state.moves.flatMap((move) => movement(state.id, move)),
    ...paragraph('description', footnote),
  ]
  const width = Math.max(...lines.map((pieces) => endOf(pieces.at(-1)!)))
  return { lines, width: width + 2 * PADDING, height: lines.length * LINE + PADDING }
}

function movement(from: string, { events, guard, actions, target }: Move): Piece[][] {
  const cause: [Style, string][] = [['event', events.length === 0 ? 'at once' : events.join(', ')]]
  if (guard !== undefined) cause.push(['guard', `[${guard}]`])
  const arrow: [Style, string][] = target === undefined ? [] : [['target', `→ ${pathBetween(from, target)}`]]
  if (actions.length === 0) return [line(...cause, ...arrow)]
  const whole = line(...cause, ['action', `/ ${actions.join(', ')}`], ...arrow)
  if (endOf(whole.at(-1)!) <= LIMIT) return [whole]
  return [line(...cause, ...arrow), ...paragraph('action', `/ ${actions.join(', ')}`, INDENT)]
}

function effects(when: string, names: readonly string[]): Piece[][] {
  return names.length === 0 ? [] : paragraph('effect', `${when} / ${names.join(', ')}`)
}

function paragraph(style: Style, text: string | undefined, x = 0): Piece[][] {
  return text === undefined ? [] : wrap(text, LIMIT - x).map((part) => [{ x, style, text: part }])
}

function line(...parts: readonly (readonly [Style, string])[]): Piece[] {
  const pieces: Piece[] = []
  for (const [style, text] of parts) {
    const before = pieces.at(-1)
    pieces.push({ x: before ? endOf(before) + GAP : 0, style, text })
  }
  return pieces
}

function endOf({ x, style, text }: Piece): number {
  return x + widthOf(text, style === 'name' || style === 'target' ? 'bold' : 'normal')
}

/** As short as it is clear: what both paths share is left out. */
function pathBetween(from: string, target: string): string {
  const [here, there] = [from.split('.'), target.split('.')]
  const shared = there.findIndex((key, depth) => key !== here[depth])
  return shared < 0 ? there.at(-1)! : there.slice(Math.min(shared, there.length - 1)).join('.')
}
