/** What a supervisor orders of its cohorts, for readers: whether an order is given at once or waits for its turn says nothing to them. */
import { type Context, cohortId } from '../../../src/machines/groupSupervisor.ts'
import { partitionLease } from '../../../src/model/names.ts'
import type { Effect } from '../inert.ts'
import type { State } from '../state.ts'
import type { Move } from '../walk.ts'

type Order = Context['orders'][number]

export function orderText({ cohort, command }: Order): string {
  switch (command.type) {
    case 'children.start':
      return `start ${command.children.map(({ id }) => id)}`
    case 'children.stop':
      return `stop ${command.ids}`
    case 'children.unassign':
      return `unassign ${command.ids}`
    default:
      return `${command.type} to ${cohort}`
  }
}

/** The move with its orders where they are made. How they are given is told with the turns. */
export function tellingOrders(move: Move): Move {
  const { from, to, snapshot, effects, happening } = move
  if (!from) return { ...move, to: without(to, 'orders') }
  if (happening.event.type === 'timer.due') {
    const orders = from.facts.orders === 'none' ? 'none' : 'some'
    const given = effects.map((effect) => (orderOf(effect) ? does('giveNextOrder') : effect))
    return { ...move, from: { ...from, facts: { ...from.facts, orders } }, to: without(to, 'orders'), effects: given }
  }
  const before = (from.snapshot.context as Context).orders.map(orderText)
  const atOnce = effects.flatMap((effect) => orderOf(effect) ?? [])
  const after = [...atOnce, ...(snapshot.context as Context).orders.map(orderText)]
  const isKept = before.every((order, index) => order === after[index])
  const isLeaving = ({ path }: State) => path.startsWith('children.leaving')
  const stops = isLeaving(to) && !isLeaving(from)
  const fresh = isKept ? after.slice(before.length) : stops ? [] : replanned(before, after, mineBefore(from, snapshot))
  const dropped = stops ? ['no start any more'] : []
  const others = effects.filter((effect) => !orderOf(effect) && !isTurn(effect))
  return {
    ...move,
    from: without(from, 'orders', 'pace'),
    to: without(to, 'orders', 'pace'),
    effects: [...others, ...[...fresh, ...dropped].map((order) => does(`orders: ${order}`))],
  }
}

const isStart = (order: string) => order.startsWith('start ')

/** What was this member's, but for what rests now: that ends by itself. */
function mineBefore(from: State, snapshot: Move['snapshot']): readonly string[] {
  const { group, mine } = from.snapshot.context as Context
  const { resting } = snapshot.context as Context
  const left = mine.filter((partition) => !resting.includes(partition))
  return group ? left.map((partition) => partitionLease(group.name, partition)) : []
}

/** What a newer view changes. To take back a start that waits comes to the same as to end what has started. */
function replanned(before: readonly string[], after: readonly string[], mine: readonly string[]): readonly string[] {
  const leasesIn = (orders: readonly string[]) => orders.filter(isStart).flatMap((order) => order.slice(6).split(','))
  const [waited, waits] = [leasesIn(before), leasesIn(after)]
  const kept = before.filter((order) => !isStart(order))
  const others = after.filter((order) => !isStart(order))
  if (!kept.every((order, index) => order === others[index])) return after
  const takenBack = mine
    .filter((lease) => waited.includes(lease) && !waits.includes(lease))
    .map((lease) => `unassign ${lease}`)
  const started = waits.filter((lease) => !waited.includes(lease)).map((lease) => `start ${lease}`)
  return [...[...others.slice(kept.length), ...takenBack].sort(), ...started]
}

const does = (name: string): Effect => ({ kind: 'does', name, params: undefined })
const isTurn = (effect: Effect) => effect.kind === 'does' && ['awaitTurn', 'disarmTimer'].includes(effect.name)

/** What an order says that is given with this. */
function orderOf(effect: Effect): string | undefined {
  if (effect.kind !== 'sends' || !/^(children|cohort)\./.test(effect.event.type)) return undefined
  const cohort = [0, 1].find((index) => cohortId(index) === effect.to)!
  return orderText({ cohort, command: effect.event as Order['command'] })
}

function without(state: State, ...names: readonly string[]): State {
  const facts = Object.fromEntries(Object.entries(state.facts).filter(([name]) => !names.includes(name)))
  return { ...state, facts }
}
