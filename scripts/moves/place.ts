/**
 * Where a machine is, as text: the path of its state, or of each region where it is several machines side by side. Regions of a
 * parallel state below the root count as facts, each with its own path.
 */
import type { AnyMachineSnapshot, AnyStateNode, StateValue } from 'xstate'

export interface Place {
  readonly path: string
  readonly regions: Readonly<Record<string, string>>
}

/** `asFacts` are the regions of the root that count as facts, too. */
export function placeOf({ machine, value }: AnyMachineSnapshot, asFacts: readonly string[] = []): Place {
  const root: AnyStateNode = machine.root
  const regions: Record<string, string> = {}
  if (root.type !== 'parallel') return { path: descend(root, value, regions), regions }
  const paths: string[] = []
  for (const [key, below] of regionsOf(root, value)) {
    if (asFacts.includes(key)) regions[key] = pathOf(below)
    else paths.push(`${key}.${pathOf(below)}`)
  }
  return { path: paths.join(' + '), regions }
}

function descend(node: AnyStateNode, value: StateValue, regions: Record<string, string>): string {
  if (node.type === 'parallel') {
    for (const [key, below] of regionsOf(node, value)) regions[key] = pathOf(below)
    return ''
  }
  if (typeof value === 'string') return value
  const [key, below] = Object.entries(value)[0]!
  return [key, descend(node.states[key]!, below!, regions)].filter((part) => part !== '').join('.')
}

/** In the order of the chart, which a state's value does not keep. */
function regionsOf(node: AnyStateNode, value: StateValue): readonly (readonly [string, StateValue])[] {
  const values = value as Readonly<Record<string, StateValue>>
  return Object.keys(node.states).map((key) => [key, values[key]!])
}

function pathOf(value: StateValue): string {
  if (typeof value === 'string') return value
  const [key, below] = Object.entries(value)[0]!
  return `${key}.${pathOf(below!)}`
}
