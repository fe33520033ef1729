/**
 * Your own XState machine invokes an election, and its states follow the terms: standby, primary, draining.
 * Run with `npx tsx examples/invoke-election.ts`; two nodes live in this one process, so no server is needed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSimba, type Simba, type Term, type TermEvent } from 'simba-xstate'
import { memory } from 'simba-xstate/memory'
import { createActor, type SnapshotFrom, sendTo, setup, waitFor } from 'xstate'

/** What runs while this node leads. Told to end, it needs a moment to put things in order. */
async function serve(term: Term): Promise<void> {
  await term.revoked
  await sleep(80)
}

function createService(simba: Simba) {
  return setup({
    types: { events: {} as TermEvent | { type: 'STEP_DOWN' } | { type: 'STOP' } },
    actors: { election: simba.election('service').logic(serve) },
    actions: { tellElection: sendTo('election', ({ event }) => event) },
  }).createMachine({
    id: 'service',
    initial: 'running',
    states: {
      running: {
        invoke: { id: 'election', src: 'election', onDone: 'off', onError: 'broken' },
        on: {
          // Down go the commands. After STOP the actor is done when the work has exited and the lease is released.
          STEP_DOWN: { actions: 'tellElection' },
          STOP: { actions: 'tellElection' },
        },
        initial: 'standby',
        // Up come the facts.
        states: {
          standby: { on: { 'term.started': 'primary' } },
          primary: { on: { 'term.revoked': 'draining' } },
          draining: { on: { 'term.ended': 'standby' } },
        },
      },
      off: { type: 'final' },
      broken: {},
    },
  })
}

const backend = memory()
const began = performance.now()

function tell(node: string, what: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(2)} s  ${node.padEnd(5)}  ${what}`)
}

function startNode(node: string) {
  const quiet = { debug() {}, info() {}, warn() {}, error: console.error }
  const simba = createSimba({ backend, node, leaseDuration: '1s', logger: quiet })
  simba.send({ type: 'START' })
  const service = createActor(createService(simba))
  const stateOf = ({ value }: SnapshotFrom<typeof service>) => (typeof value === 'object' ? value.running : value)
  let last = ''
  service.subscribe((snapshot) => {
    if (stateOf(snapshot) !== last) tell(node, stateOf(snapshot))
    last = stateOf(snapshot)
  })
  service.start()
  const becomes = (state: string) => waitFor(service, (snapshot) => stateOf(snapshot) === state)
  return { simba, service, becomes }
}

const north = startNode('north')
await north.becomes('primary')
const south = startNode('south')

tell('you', 'ask north to step down')
north.service.send({ type: 'STEP_DOWN' })
await south.becomes('primary')

// North has rested for a lease duration, and stands in line again.
await sleep(1_200)
tell('you', 'stop south')
south.service.send({ type: 'STOP' })
await north.becomes('primary')

tell('you', 'stop north')
north.service.send({ type: 'STOP' })
await Promise.all([north.becomes('off'), south.becomes('off')])
await Promise.all([north.simba.stop(), south.simba.stop()])
