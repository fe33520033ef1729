/**
 * Where everything goes: boxes in boxes, level by level from the inside out, and between the boxes of a level one arrow for all moves
 * from one into another. What exactly moves from where to where is written in the boxes.
 */
import elkjs, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js'
import type { Chart, ChartState } from './chart.ts'
import { type Table, tableOf } from './table.ts'

export interface Box {
  readonly state: ChartState
  readonly table: Table
  readonly width: number
  readonly height: number
  /** Inside this box, from its own corner. */
  readonly children: readonly (Box & Point)[]
  readonly arrows: readonly (readonly Point[])[]
}

export interface Point {
  readonly x: number
  readonly y: number
}

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.padding': '[top=8,left=12,bottom=12,right=12]',
  'elk.spacing.nodeNode': '18',
  'elk.spacing.edgeEdge': '9',
  'elk.spacing.edgeNode': '12',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '9',
  // States are declared in the order of life, and so they are drawn.
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.components': 'MODEL_ORDER',
}
/** A page is narrow, and can be as long as it likes. */
const DEAR_WIDTH = 1.25

const elk = new elkjs.default()

export function layOut({ root, ignored }: Chart): Promise<Box> {
  return place(
    root,
    ignored.length === 0 ? undefined : `Without effect where no state names them: ${ignored.join(', ')}.`,
  )
}

async function place(state: ChartState, footnote?: string): Promise<Box> {
  const table = tableOf(state, footnote)
  if (state.states.length === 0)
    return { state, table, width: table.width, height: table.height, children: [], arrows: [] }
  const boxes = await Promise.all(state.states.map((child) => place(child)))
  const plans = [await arrange(state, boxes, 'DOWN'), await arrange(state, boxes, 'RIGHT')] as const
  const [down, right] = plans.map(({ width = 0, height = 0 }) =>
    Math.max(Math.max(width, table.width) * DEAR_WIDTH, height),
  )
  const plan = down! <= right! ? plans[0] : plans[1]
  const shifted = (x = 0, y = 0): Point => ({ x, y: y + table.height })
  return {
    state,
    table,
    width: Math.max(table.width, plan.width ?? 0),
    height: table.height + (plan.height ?? 0),
    children: boxes.map((box, index) => {
      const { x, y } = plan.children?.[index] ?? {}
      return { ...box, ...shifted(x, y) }
    }),
    arrows: (plan.edges ?? []).map((edge) => pointsOf(edge).map(({ x, y }) => shifted(x, y))),
  }
}

function arrange(state: ChartState, boxes: readonly Box[], direction: 'DOWN' | 'RIGHT'): Promise<ElkNode> {
  return elk.layout({
    id: state.id,
    layoutOptions: { ...OPTIONS, 'elk.direction': direction },
    children: boxes.map(({ state: { id }, width, height }) => ({ id, width, height })),
    edges: movesBetween(state.states).map(([from, to]) => ({ id: `${from} ${to}`, sources: [from], targets: [to] })),
  })
}

/** Pairs of siblings, where a move leads from somewhere inside the first to somewhere inside the second. */
function movesBetween(siblings: readonly ChartState[]): readonly (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>()
  for (const from of siblings) {
    for (const target of targetsIn(from)) {
      const to = siblings.find(({ id }) => target === id || target.startsWith(`${id}.`))
      if (to && to !== from) pairs.set(`${from.id} ${to.id}`, [from.id, to.id])
    }
  }
  return [...pairs.values()]
}

function targetsIn({ moves, states }: ChartState): readonly string[] {
  return [...moves.flatMap(({ target }) => target ?? []), ...states.flatMap(targetsIn)]
}

function pointsOf({ sections = [] }: ElkExtendedEdge): readonly Point[] {
  return sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint])
}
