/** What a move does, as a reader sees it. */
import type { AnyEventObject } from 'xstate'
import type { Effect } from './inert.ts'
import { nameOf } from './names.ts'
import type { AnySurroundings } from './surroundings.ts'
import type { Move } from './walk.ts'

/** Effects in their order. */
export function textsOf({ from, to, effects }: Move, { machine, unsaid }: AnySurroundings): readonly string[] {
  const effectText = (effect: Effect): string => {
    switch (effect.kind) {
      case 'does':
        return called(effect.name, effect.params, unsaid)
      case 'sends':
        return `${eventText(effect.event, unsaid)} to ${effect.to}`
      case 'raises':
        return `raises ${eventText(effect.event, unsaid)}`
      case 'starts': {
        const { id, src, input } = effect
        const name = nameOf(machine, id, src, to.path)
        // A name of its own does not say what it does.
        return `starts ${called(name.startsWith(src) ? name : `${src} as ${name}`, input, unsaid)}`
      }
      case 'leaves':
        return `leaves ${nameOf(machine, effect.id, effect.src, (from ?? to).path)}`
    }
  }
  return effects.map(effectText)
}

function eventText({ type, ...payload }: AnyEventObject, unsaid: readonly string[]): string {
  return called(type, payload, unsaid)
}

function called(name: string, params: unknown, unsaid: readonly string[]): string {
  if (params === undefined) return name
  const said = valueText(params, unsaid).replace(/^{ (.*) }$/, '$1')
  return said === '' || said === '{}' ? name : `${name}(${said})`
}

function valueText(value: unknown, unsaid: readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map((part) => valueText(part, unsaid)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Object.entries(value)
    .filter(([key, part]) => part !== undefined && !unsaid.includes(key))
    .map(([key, part]) => `${key}: ${valueText(part, unsaid)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
