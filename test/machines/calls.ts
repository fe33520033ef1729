/** Calls and waits that a machine makes, which the test settles by hand: at once, late, or never. */
import { type AnyActorRef, fromCallback, type PromiseActorLogic, type PromiseSnapshot } from 'xstate'
import type { RunSettled, WorkCommand, WorkInput } from '../../src/machines/work.ts'

export interface Call<Output, Input> {
  readonly input: Input
  readonly state: 'open' | 'settled' | 'left'
  /** Does nothing once nobody waits any more. */
  answer(output: Output): void
  fail(error?: Error): void
}

/** All calls of one slot. */
export class Calls<Output, Input> {
  readonly made: Call<Output, Input>[] = []
  readonly logic: PromiseActorLogic<Output, Input>

  constructor() {
    this.logic = settledByHand((call) => this.made.push(call))
  }

  /** Those that wait for an answer. */
  get open(): readonly Call<Output, Input>[] {
    return this.made.filter(({ state }) => state === 'open')
  }

  get last(): Call<Output, Input> {
    const last = this.made.at(-1)
    if (!last) throw new Error('There was no such call.')
    return last
  }

  /** The last one whose input has these parts. */
  of(parts: Partial<Input>): Call<Output, Input> {
    const has = ({ input }: Call<Output, Input>) =>
      Object.entries(parts).every(([key, value]) => input[key as keyof Input] === value)
    const call = this.made.findLast(has)
    if (!call) throw new Error(`There was no call with ${JSON.stringify(parts)}.`)
    return call
  }

  /** Of the one call that is open. */
  answer(output: Output): void {
    this.#only().answer(output)
  }

  fail(message = 'no answer'): void {
    this.#only().fail(new Error(message))
  }

  #only(): Call<Output, Input> {
    const [call, ...others] = this.open
    if (!call || others.length > 0) throw new Error(`${this.open.length} calls are open, not one.`)
    return call
  }
}

type Settled =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'failed'; readonly error: unknown }

function settledByHand<Output, Input>(onCall: (call: Call<Output, Input>) => void): PromiseActorLogic<Output, Input> {
  const states = new WeakMap<AnyActorRef, { state: 'open' | 'settled' | 'left' }>()
  return {
    config: () => Promise.reject(new Error('This logic is not made of a promise.')),
    getInitialSnapshot: (_, input) => ({ status: 'active', output: undefined, error: undefined, input }),
    getPersistedSnapshot: (snapshot) => snapshot,
    start({ input }, { self }) {
      const call = {
        input: input as Input,
        state: 'open' as 'open' | 'settled' | 'left',
        answer: (output: Output) => settle({ type: 'done', output }),
        fail: (error = new Error('no answer')) => settle({ type: 'failed', error }),
      }
      function settle(settled: Settled): void {
        if (call.state === 'open') self.send(settled)
      }
      states.set(self, call)
      onCall(call)
    },
    transition(snapshot, event, { self }): PromiseSnapshot<Output, Input> {
      const call = states.get(self)
      if (snapshot.status !== 'active') return snapshot
      switch (event.type) {
        case 'done':
          call!.state = 'settled'
          return { ...snapshot, status: 'done', output: event.output as Output, input: undefined }
        case 'failed':
          call!.state = 'settled'
          return { ...snapshot, status: 'error', error: event.error, input: undefined }
        case 'xstate.stop':
          if (call) call.state = 'left'
          return { ...snapshot, status: 'stopped', input: undefined }
        default:
          return snapshot
      }
    },
  }
}

export interface Run {
  readonly input: WorkInput
  readonly state: 'running' | 'settled' | 'left'
  /** How often it was told to stop. */
  readonly interrupts: number
  settle(settled?: Partial<RunSettled>): void
}

/** Leader work that ends when the test says so. */
export class Runs {
  readonly made: Run[] = []
  /** From now on, starting a run fails: not the work, but what would run it. */
  isBroken = false
  readonly logic = fromCallback<WorkCommand, WorkInput, RunSettled>(({ input, sendBack, receive }) => {
    if (this.isBroken) throw new Error('This work cannot be run.')
    const run = {
      input,
      state: 'running' as Run['state'],
      interrupts: 0,
      settle(settled: Partial<RunSettled> = {}) {
        if (run.state !== 'running') return
        run.state = 'settled'
        sendBack({ type: 'work.settled', outcome: 'COMPLETED', fatal: false, atMs: 0, ...settled })
      },
    }
    this.made.push(run)
    receive(() => {
      run.interrupts += 1
    })
    return () => {
      if (run.state === 'running') run.state = 'left'
    }
  })

  get last(): Run {
    const last = this.made.at(-1)
    if (!last) throw new Error('Nothing was run.')
    return last
  }
}
