/** Somebody who wants to be told. What they throw, at once or later, harms nobody else. */
import { SimbaError } from '../model/errors.ts'

/** Throws `INVALID_OPTION` where the listener is no function. */
export function guardedListener<News>(
  listener: (news: News) => unknown,
  onError: (error: unknown, news: News) => void,
): (news: News) => void {
  if (typeof listener !== 'function')
    throw new SimbaError('INVALID_OPTION', `The listener is ${String(listener)}; allowed is a function.`)
  return (news) => {
    try {
      const result = listener(news)
      if (isThenable(result)) Promise.resolve(result).catch((error) => onError(error, news))
    } catch (error) {
      onError(error, news)
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}
