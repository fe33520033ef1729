/** Leader work that is an XState machine: told by an event that its term ends, it leaves, or it does not listen and is stopped. */
import { type AnyActorLogic, fromCallback, fromPromise, setup } from 'xstate'
import type { Term, TermRevokedEvent, WorkLogicInput } from '../../src/index.ts'
import type { Duty } from './plan.ts'

interface Hand {
  /** A run begins. Returns what is called when nothing is left of it. */
  enter(term: Term): () => void
  sleep(ms: number): Promise<void>
}

export function machineWork({ work, schedule }: Duty, { enter, sleep }: Hand): AnyActorLogic {
  if (work.kind !== 'machine') throw new Error(`${work.kind} work is no machine.`)
  return setup({
    types: { context: {} as WorkLogicInput, input: {} as WorkLogicInput, events: {} as TermRevokedEvent },
    actors: {
      /** Lives as long as the machine. */
      presence: fromCallback<TermRevokedEvent, Term>(({ input }) => enter(input)),
      toil: fromPromise(() => (schedule ? sleep(work.forMs) : new Promise<void>(() => {}))),
      tidyUp: fromPromise(() => sleep(work.exitMs)),
    },
  }).createMachine({
    context: ({ input }) => input,
    invoke: { src: 'presence', input: ({ context }) => context.term },
    initial: 'working',
    states: {
      working: {
        invoke: { src: 'toil', onDone: 'done' },
        on: work.heeds ? { 'term.revoked': 'leaving' } : {},
      },
      leaving: { invoke: { src: 'tidyUp', onDone: 'done' } },
      done: { type: 'final' },
    },
  })
}
