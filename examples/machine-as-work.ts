/**
 * Your own XState machine *is* the leader work: it is started with the term, and told `term.revoked` when it should end.
 * Run with `npx tsx examples/machine-as-work.ts`; two nodes live in this one process, so no server is needed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSimba, type Term, type TermRevokedEvent, type WorkLogicInput } from 'simba-xstate'
import { memory } from 'simba-xstate/memory'
import { fromPromise, setup, stateIn } from 'xstate'

const BATCHES = 6
const began = performance.now()

/** Stands for a database that both nodes write to. */
const written: string[] = []

function tell(who: string, what: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(2)} s  ${who.padEnd(5)}  ${what}`)
}

/** Copies one batch after the other. Whatever happens, a batch that was begun is written to its end. */
const copyMachine = setup({
  types: {
    input: {} as WorkLogicInput,
    context: {} as { readonly term: Term },
    events: {} as TermRevokedEvent,
  },
  actors: {
    writeBatch: fromPromise<void, { readonly term: Term }>(async ({ input: { term } }) => {
      const batch = written.length + 1
      tell('copy', `batch ${batch} begun`)
      await sleep(150)
      written.push(`batch ${batch} by token ${term.token}`)
      tell('copy', `batch ${batch} written`)
    }),
  },
  guards: {
    wasTheLast: () => written.length === BATCHES,
    shouldEnd: stateIn({ writing: 'finishing' }),
  },
}).createMachine({
  id: 'copy',
  context: ({ input: { term } }) => ({ term }),
  initial: 'writing',
  states: {
    writing: {
      invoke: {
        src: 'writeBatch',
        input: ({ context: { term } }) => ({ term }),
        onDone: [
          { guard: 'shouldEnd', target: 'ended' },
          { guard: 'wasTheLast', target: 'ended' },
          { target: 'writing', reenter: true },
        ],
      },
      initial: 'goingOn',
      states: {
        goingOn: {
          on: {
            // The batch belongs to the state around this one, so it is not walked away from. The lease is kept until the machine is
            // in a final state, or the term is out of time.
            'term.revoked': 'finishing',
          },
        },
        finishing: {},
      },
    },
    ended: { type: 'final' },
  },
})

const backend = memory()

function startNode(node: string) {
  const simba = createSimba({ backend, node, leaseDuration: '5s' })
  simba.on('term.started', () => tell(node, 'leads'))
  simba.on('term.revoked', () => tell(node, 'is told to end'))
  simba.on('work.completed', () => tell(node, 'the machine is in its final state'))
  simba.on('handover.completed', ({ workMs }) =>
    tell(node, `lease released, after ${Math.round(workMs)} ms of finishing`),
  )
  simba.send({ type: 'START' })
  return { simba, task: simba.election('copy').runWhileLeader(copyMachine) }
}

const north = startNode('north')
const south = startNode('south')
const copied = new Promise<void>((resolve) => {
  south.simba.on('work.completed', () => resolve())
})

while (written.length < 2) await sleep(10)
await sleep(50)
tell('you', 'stop north in the middle of a batch')
await north.simba.stop()

await copied
await south.simba.stop()
console.log(`\nWritten, each once and in order:\n  ${written.join('\n  ')}`)
