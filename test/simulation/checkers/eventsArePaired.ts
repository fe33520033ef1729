/** What begins is told once, and so is its end, in order: sessions, terms, runs and handovers. */
import type { SimbaEvent } from '../../../src/index.ts'
import type { SimulatedNode } from '../../../src/testing.ts'
import type { Checker } from './checker.ts'

/** What may be told of one thing next. */
type Steps = Readonly<Record<string, readonly string[]>>

const SESSION: Steps = {
  '': ['session.opened'],
  'session.opened': ['session.suspended', 'session.lost'],
  'session.suspended': ['session.resumed', 'session.lost'],
  'session.resumed': ['session.suspended', 'session.lost'],
  'session.lost': [],
}
const TERM: Steps = {
  '': ['term.started'],
  'term.started': ['term.revoked'],
  'term.revoked': ['term.ended'],
  'term.ended': [],
}
const RUN: Steps = { '': ['work.started'], 'work.started': ['work.completed'], 'work.completed': [] }
const HANDOVER: Steps = {
  '': ['handover.started'],
  'handover.started': ['handover.completed'],
  'handover.completed': [],
}

/** Of what an event tells, and in which steps that goes. */
function lifeOf(event: SimbaEvent): readonly [what: string, steps: Steps] | undefined {
  switch (event.type) {
    case 'session.opened':
    case 'session.suspended':
    case 'session.resumed':
    case 'session.lost':
      return [`session ${event.session}`, SESSION]
    case 'term.started':
    case 'term.revoked':
    case 'term.ended':
      return [`term ${event.token}`, TERM]
    case 'work.started':
    case 'work.completed':
      return [`run ${event.run} of term ${event.token}`, RUN]
    case 'handover.started':
    case 'handover.completed':
      return [`the handover of term ${event.token}`, HANDOVER]
    default:
      return undefined
  }
}

export const eventsArePaired: Checker = (cluster, report) => {
  /** What was told last of each thing, and by which process. */
  const last = new Map<string, { readonly type: string; readonly process: object }>()

  function hear({ process, name }: SimulatedNode, event: SimbaEvent): void {
    const life = lifeOf(event)
    if (!life) return
    const [what, steps] = life
    const before = last.get(what)?.type ?? ''
    if (!steps[before]!.includes(event.type)) report(`${name} tells '${event.type}' of ${what} after '${before}'.`)
    last.set(what, { type: event.type, process })
  }

  return (fact) => {
    if (fact.type === 'published') hear(fact.node, fact.event)
    if (fact.type !== 'end') return
    const { nodes } = cluster.simulation
    const living = new Set<object>(nodes.map(({ process }) => process).filter(({ isCrashed }) => !isCrashed))
    for (const [what, { type, process }] of last) {
      if (!living.has(process)) continue
      if (type === 'term.started' || type === 'term.revoked' || type === 'work.started')
        report(`All have stopped, and the last that was told of ${what} is '${type}'.`)
    }
  }
}
