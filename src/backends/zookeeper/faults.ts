/** What goes wrong in the client, in the words of the port. */
import { SimbaError } from '../../model/errors.ts'
import { wasRefused } from './client/errors.ts'

export function inOurWords(thrown: unknown): SimbaError {
  if (thrown instanceof SimbaError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const remedy = wasRefused(thrown, 'NoAuth')
    ? '. Everything that a client creates with a user and a password belongs to that user alone: give all clients the same'
    : ''
  return new SimbaError('BACKEND_UNAVAILABLE', `ZooKeeper: ${message}${remedy}`, { cause: thrown })
}
