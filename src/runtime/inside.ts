/** Which leader work the present code belongs to, through all its awaits: a stop that is awaited from inside must not wait for itself. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A run of leader work, for the code that is part of it. */
interface Run {
  readonly task: string
  /** Resolves when its term is told to end. */
  readonly interrupted: () => Promise<unknown>
}

interface Inside extends Run {
  /** Whose task it is: two clients may have tasks of one name. */
  readonly owner: object
  isSettled: boolean
}

const storage = new AsyncLocalStorage<Inside | undefined>()

/** Runs `start` as part of the run. Returns what it returned, and a function to call when the run has settled. */
export function insideOf<T>(
  owner: object,
  run: Run,
  start: () => T,
): { readonly result: T; readonly settle: () => void } {
  const inside: Inside = { ...run, owner, isSettled: false }
  return {
    result: storage.run(inside, start),
    settle: () => {
      inside.isSettled = true
    },
  }
}

/** Runs what is no part of the work that asked for it, nor anything that follows: timers, calls, whoever listens. */
export function outside<T>(run: () => T): T {
  return storage.getStore() === undefined ? run() : storage.run(undefined, run)
}

/** The unsettled run of one of this owner's tasks that is calling. */
export function callingRun(owner: object): Run | undefined {
  const inside = storage.getStore()
  return inside?.owner === owner && !inside.isSettled ? inside : undefined
}
