/** `simba.lock(name)`: one section of code instead of a whole reign, bound to a term like everything else. */

import { checkKeys } from '../model/checkKeys.ts'
import { SimbaError } from '../model/errors.ts'
import { checkName } from '../model/names.ts'
import type { Core } from './core.ts'
import { type Duration, toMs } from './durations.ts'
import { startElection } from './election.ts'
import { stoppedWaiting } from './lockQueues.ts'
import type { Term } from './term.ts'

export interface AcquireOptions {
  /** How long to wait at most. At least 1 ms; without it, as long as it takes. */
  readonly timeout?: Duration
}

/** A lock that is held. The term may end before it is released: heed the signal, and pass the token to every write. */
export interface HeldLock extends AsyncDisposable {
  readonly term: Term
  /** The fencing token of the term. */
  readonly token: number
  /** The abort signal of the term. */
  readonly signal: AbortSignal
  /** Gives the lock back. Resolves when the store has confirmed it, or the lock has run out. Twice is as good as once. */
  release(): Promise<void>
}

export interface Lock {
  readonly name: string
  /**
   * Waits for the lock. Those of one client that wait for one lock get it one after the other, in the order in which they asked.
   *
   * Rejects with `ACQUIRE_TIMEOUT` after the timeout, when nothing is left of the attempt in the store, and with `STOPPED` when the
   * client is stopped. Throws `ALREADY_STARTED` while this client runs an election or a group under the same name. On a client that
   * is not running, it waits for START.
   *
   * @example
   * await using held = await simba.lock('invoice-42').acquire({ timeout: '10s' })
   * await book(invoice, { fencingToken: held.token, signal: held.signal })
   */
  acquire(options?: AcquireOptions): Promise<HeldLock>
}

export function createLock(core: Core, name: string): Lock {
  const lease = checkName('The name of the lock', name)
  return {
    name: lease,
    async acquire(options = {}) {
      checkKeys('acquire()', options, ['timeout'])
      const timeoutMs = options.timeout === undefined ? undefined : toMs('timeout', options.timeout, { minMs: 1 })
      const turn = core.runtime.locks.enter(lease)
      const timeout = startTimeout(core, lease, timeoutMs)
      try {
        await Promise.race([turn.come, timeout.passed])
        turn.take()
        return await acquire(core, lease, timeout.passed, turn.leave)
      } catch (error) {
        turn.leave()
        throw error
      } finally {
        timeout.cancel()
      }
    },
  }
}

async function acquire(core: Core, lease: string, timedOut: Promise<never>, leave: () => void): Promise<HeldLock> {
  let grant!: (term: Term) => void
  let release!: () => void
  const granted = new Promise<Term>((resolve) => {
    grant = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let end!: (error: SimbaError) => void
  const ended = new Promise<never>((_, reject) => {
    end = reject
  })
  // Once the lock is held, its end is nobody's failure.
  ended.catch(() => {})
  const task = startElection(core, {
    lease,
    // However the term ends: nobody who has held the lock is given it a second time.
    ends: 'after-term',
    work: (term) => {
      grant(term)
      return released
    },
    onEnd: () => end(stoppedWaiting(lease)),
  })

  try {
    const term = await Promise.race([granted, timedOut, ended])
    const giveBack = async () => {
      release()
      await task.stop()
      leave()
    }
    return { term, token: term.token, signal: term.signal, release: giveBack, [Symbol.asyncDispose]: giveBack }
  } catch (error) {
    release()
    await task.stop()
    throw error
  }
}

function startTimeout({ runtime: { settings } }: Core, lease: string, timeoutMs: number | undefined) {
  let cancel = () => {}
  const passed = new Promise<never>((_, reject) => {
    if (timeoutMs === undefined) return
    cancel = settings.clock.wakeAt(settings.clock.now() + timeoutMs, () =>
      reject(new SimbaError('ACQUIRE_TIMEOUT', `The lock '${lease}' was not acquired within ${timeoutMs} ms.`)),
    )
  })
  passed.catch(() => {})
  return { passed, cancel: () => cancel() }
}
