/** What an actor of a machine is called: by its id, or by what it does where XState has made the id. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** `at` is the place from where it is looked at: who waits there needs no further name, nor who alone does this. */
export function nameOf(machine: AnyStateMachine, id: string, src: string, at: string): string {
  const [, state] = /^\d+\.[^.]+\.(.+)$/.exec(id) ?? []
  if (state === undefined) return id
  const isThere = at.split(' + ').some((path) => path === state || path.startsWith(`${state}.`))
  if (isThere || countOf(machine.root, src) === 1) return src
  return `${src} of ${state.startsWith(`${at}.`) ? state.slice(at.length + 1) : state}`
}

/** How many states invoke it. */
function countOf(node: AnyStateNode, src: string): number {
  const below = Object.values(node.states).map((state) => countOf(state, src))
  return node.invoke.filter((invoke) => invoke.src === src).length + below.reduce((sum, count) => sum + count, 0)
}
