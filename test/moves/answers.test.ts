/** A machine without a handler for an event in one state stalls a handover: every state says what it does with every event. */
import { describe, expect, test } from 'vitest'
import type { AnyStateNode } from 'xstate'
import type { Walk } from '../../scripts/moves/walk.ts'
import { broken } from './broken.ts'
import { linesOf, MACHINES, walkOf } from './graph.ts'

/** Failures that are the parent's: the machine itself fails with them. */
const PASSED_UP: Readonly<Record<string, RegExp>> = {
  // A run that cannot even be run is no outcome of work. The term outlasts its loop.
  scheduleLoop: /^run: failed$/,
  // The client cuts all terms and begins anew.
  groupSupervisor: /^cohort\.\d+: failed$/,
}
const NONE = /^$/

function unanswered(id: string, { moves }: Walk): readonly string[] {
  const passedUp = PASSED_UP[id] ?? NONE
  return linesOf(moves, ({ from, happening: { label }, taken }) => {
    return from !== null && taken[0]!.length === 0 && !passedUp.test(label)
  })
}

/** What comes to one state may come to any: the root answers it, or each state on the way there. */
function silent({ states }: Walk): readonly string[] {
  const { root } = states[0]!.snapshot.machine
  const nodes = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodes)]
  const events = [...new Set(nodes(root).flatMap((node) => [...node.transitions.keys()]))]
  return states
    .filter(({ isOver }) => !isOver)
    .flatMap(({ key, snapshot }) => {
      const active: readonly AnyStateNode[] = snapshot._nodes
      return events
        .filter((event) => !event.startsWith('xstate.'))
        .filter((event) => !active.some((node) => node.transitions.has(event)))
        .map((event) => `${key} | ${event}`)
    })
}

function failing({ moves }: Walk): readonly string[] {
  return [...new Set(moves.flatMap(({ to, happening }) => (to.snapshot.status === 'error' ? [happening.label] : [])))]
}

describe.each(MACHINES)('%s', (id) => {
  test('has an answer to everything that can come, in every state', () => {
    expect(unanswered(id, walkOf(id))).toEqual([])
  })

  test('has an answer to every event that it knows, in every state', () => {
    expect(silent(walkOf(id))).toEqual([])
  })

  test('fails by nothing but the failures that are its parent’s', () => {
    expect(failing(walkOf(id)).filter((label) => !(PASSED_UP[id] ?? NONE).test(label))).toEqual([])
  })
})

describe('these rules notice', () => {
  test('a handler that one state has lost', () => {
    const walked = broken('election', ['on', 'lease.freed'], undefined)
    expect(silent(walked)).toContainEqual(expect.stringMatching(/^unready, .* \| lease\.freed$/))
  })

  test('an invoke that does not handle its failure', () => {
    const walked = broken('election', ['states', 'quarantined', 'invoke', 'onError'], undefined)
    expect(unanswered('election', walked).join()).toContain('quarantined, session: live')
    expect(failing(walked)).toEqual(['pause: failed'])
  })

  test('an end that nobody listens to', () => {
    const walked = broken('observer', ['states', 'waiting', 'invoke', 'onDone'], undefined)
    expect(unanswered('observer', walked).join()).toContain('| pause: over')
  })
})
