/** A machine with one fault, to see that a rule notices it: a copy of the real one in which one part of the chart is another. */
import { type AnyStateMachine, StateMachine } from 'xstate'
import { ALL } from '../../scripts/moves/surroundings/all.ts'
import { type Walk, walk } from '../../scripts/moves/walk.ts'

/** `path` leads through the chart, key by key; a part that is `undefined` is taken out. */
export function broken(id: string, path: readonly string[], part: unknown): Walk {
  const surroundings = ALL[id]!
  const { config, implementations } = surroundings.machine
  const machine = new StateMachine(
    changed(config, path, part) as typeof config,
    implementations as never,
  ) as AnyStateMachine
  return walk({ ...surroundings, machine })
}

function changed(whole: object, [key, ...rest]: readonly string[], part: unknown): object {
  if (key === undefined || !(key in whole || rest.length === 0)) throw new Error(`There is no ${key} in this chart.`)
  const old: unknown = whole[key as keyof typeof whole]
  const fresh = rest.length === 0 ? part : changed(old as object, rest, part)
  if (Array.isArray(whole)) return whole.map((item, index) => (String(index) === key ? fresh : item))
  const { [key]: _, ...others } = whole as Record<string, unknown>
  return fresh === undefined ? others : { ...others, [key]: fresh }
}
