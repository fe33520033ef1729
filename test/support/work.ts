/** Leader work as tests need it. */
import type { Term } from '../../src/index.ts'

/** Work that ends when it is told to. */
export function untilAborted(term: Term): Promise<void> {
  return new Promise((resolve) => {
    if (term.signal.aborted) resolve()
    else term.signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Work that ends when the test says so. */
export interface Held<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

export function held<T = void>(): Held<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve, reject }
}
