/** What there is to draw of a machine: its states and moves as plain data, read from the machine itself and not from its source. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

export interface Chart {
  readonly id: string
  /** The machine itself, as the outermost box. */
  readonly root: ChartState
  /** Events that the machine names at its root only to say that they mean nothing where no state names them. */
  readonly ignored: readonly string[]
}

export interface ChartState {
  readonly id: string
  readonly key: string
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final'
  /** Where its parent begins. */
  readonly isInitial: boolean
  readonly description?: string
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  readonly invokes: readonly string[]
  readonly moves: readonly Move[]
  readonly states: readonly ChartState[]
}

export interface Move {
  /** Empty where the move is made at once. */
  readonly events: readonly string[]
  readonly guard?: string
  readonly actions: readonly string[]
  /** The state's id; left out where the state is not left. */
  readonly target?: string
}

const DONE = ' done'
const FAILED = ' failed'

export function readChart(machine: AnyStateMachine): Chart {
  const moves = movesOf(machine.root)
  const isIgnored = ({ target, actions }: Move) => target === undefined && actions.length === 0
  return {
    id: machine.id,
    root: { ...readState(machine.root, true), moves: moves.filter((move) => !isIgnored(move)) },
    ignored: moves.filter(isIgnored).flatMap(({ events }) => events),
  }
}

function readState(node: AnyStateNode, isInitial: boolean): ChartState {
  const begins = new Set(node.initial.target?.map(({ id }) => id))
  return {
    id: node.id,
    key: node.key,
    kind: node.type === 'history' ? 'atomic' : node.type,
    isInitial,
    ...(node.description !== undefined && { description: node.description }),
    entry: node.entry.map(nameOf),
    exit: node.exit.map(nameOf),
    invokes: node.invoke.map(({ src }) => String(src)),
    moves: movesOf(node),
    states: Object.values(node.states).map((child) =>
      readState(child, node.type === 'compound' && begins.has(child.id)),
    ),
  }
}

function movesOf(node: AnyStateNode): readonly Move[] {
  const answers = new Map<string, { readonly events: string[]; readonly moves: readonly Omit<Move, 'events'>[] }>()
  for (const [event, transitions] of node.transitions) {
    const moves = transitions.map(readMove)
    const key = JSON.stringify(moves)
    const events = answers.get(key)?.events ?? []
    events.push(eventName(node, event))
    answers.set(key, { events, moves })
  }
  return [
    ...(node.always ?? []).map((transition) => ({ events: [], ...readMove(transition) })),
    // Events that are answered alike are written once.
    ...[...answers.values()].flatMap(({ events, moves }) => moves.map((move) => ({ events: folded(events), ...move }))),
  ]
}

function readMove({ guard, actions, target }: AnyTransitionDefinition): Omit<Move, 'events'> {
  const [into] = target ?? []
  return {
    ...(guard !== undefined && { guard: nameOf(guard) }),
    actions: actions.map(nameOf),
    ...(into && { target: into.id }),
  }
}

/** An actor whose done and failed are answered alike just ends. */
function folded(events: readonly string[]): readonly string[] {
  return events
    .filter((event) => !(event.endsWith(FAILED) && events.includes(event.replace(FAILED, DONE))))
    .map((event) =>
      event.endsWith(DONE) && events.includes(event.replace(DONE, FAILED)) ? event.replace(DONE, ' ends') : event,
    )
}

/** What an actor's end is called: `campaign done`, `campaign failed`. */
function eventName(node: AnyStateNode, event: string): string {
  const ended = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event)
  if (!ended) return event
  const [, how, id] = ended
  const invoked = node.invoke.find((invoke) => invoke.id === id)
  const actor = id === '*' ? 'child' : String(invoked?.src ?? id).replace(/\.\*$/, '')
  return `${actor}${how === 'done' ? DONE : FAILED}`
}

function nameOf(slot: unknown): string {
  if (typeof slot === 'string') return slot
  const { type } = slot as { readonly type?: unknown }
  if (typeof type === 'string') return type
  throw new Error(`An action or a guard of a machine has no name: ${String(slot)}`)
}
