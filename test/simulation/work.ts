/** Leader work of all kinds, the bad ones included. */
import { FatalWorkError, type Term } from '../../src/index.ts'
import type { Behaviour, Duty } from './plan.ts'

export interface Stagehand {
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A moment at which the work looks at its term. */
  look(): void
  /** Asks for the stop of the task whose work this is. */
  stopTask(): Promise<void>
}

const LOOK_EACH_MS = 500

/** One run. A run on a schedule does less: it ends by itself. */
export async function perform({ work, schedule }: Duty, term: Term, hand: Stagehand): Promise<void> {
  const isScheduled = schedule !== undefined
  switch (work.kind) {
    case 'well-behaved':
      if (isScheduled) await hand.sleep(work.forMs, term.signal)
      else await untilAborted(term, hand)
      break
    case 'slow':
      if (!isScheduled) await untilAborted(term, hand)
      await hand.sleep(work.exitMs / 2)
      hand.look()
      await hand.sleep(work.exitMs / 2)
      break
    case 'stubborn':
      await hand.sleep(work.forMs)
      break
    case 'throwing':
      if (work.afterMs > 0) await hand.sleep(work.afterMs, term.signal)
      throw failure(work)
    case 'never-settling':
      await new Promise(() => {})
      break
    case 'returning':
      await hand.sleep(work.afterMs, term.signal)
      break
    case 'machine':
      throw new Error('A machine is no function.')
    case 'stopping-itself':
      await hand.sleep(work.afterMs, term.signal)
      if (!term.signal.aborted) await hand.stopTask()
      if (!isScheduled) await untilAborted(term, hand)
      break
  }
  hand.look()
}

async function untilAborted(term: Term, hand: Stagehand): Promise<void> {
  while (!term.signal.aborted) {
    hand.look()
    await hand.sleep(LOOK_EACH_MS, term.signal)
  }
}

function failure({ isFatal }: Extract<Behaviour, { kind: 'throwing' }>): Error {
  return isFatal ? new FatalWorkError('This node cannot do it.') : new Error('It did not work.')
}
