/** Which leader work the present code belongs to, through all its awaits: a stop that is awaited from inside must not wait for itself. */
import { AsyncLocalStorage } from 'node:async_hooks'

interface Inside {
  /** Whose task it is: two clients may have tasks of one name. */
  readonly owner: object
  readonly task: string
  isSettled: boolean
}

const storage = new AsyncLocalStorage<Inside | undefined>()

/** Runs `start` as part of the task's work. Returns what it returned, and a function to call when the run has settled. */
export function insideOf<T>(
  owner: object,
  task: string,
  start: () => T,
): { readonly result: T; readonly settle: () => void } {
  const inside: Inside = { owner, task, isSettled: false }
  return {
    result: storage.run(inside, start),
    settle: () => {
      inside.isSettled = true
    },
  }
}

/** Runs what is no part of the work that asked for it, nor anything that follows: timers, calls, whoever listens. */
export function outside<T>(run: () => T): T {
  return storage.run(undefined, run)
}

/** The task of this owner whose unsettled work is calling. */
export function callingTask(owner: object): string | undefined {
  const inside = storage.getStore()
  return inside?.owner === owner && !inside.isSettled ? inside.task : undefined
}
