/**
 * A store within this process: for tests, for the simulation, and for programs that have but one process.
 * It keeps nothing beyond the process, and nobody outside it sees its leases.
 */
import { checkKeys } from '../../model/checkKeys.ts'
import type { Clock } from '../../model/clock.ts'
import type { Backend, BackendEnvironment, Connection } from '../port.ts'
import { MemoryConnection, Switchboard } from './connection.ts'
import { MemoryStore } from './store.ts'

export interface MemoryOptions {
  /** The store's own time. Default: the clock of the first client that connects. */
  readonly clock?: Clock
}

export interface MemoryBackend extends Backend {
  /** Behaves as a store that has just restarted, with its data or without it. For tests; does nothing before the first client connects. */
  restart(how: { readonly data: 'kept' | 'lost' }): void
}

/**
 * Makes a memory store. Clients that are given the same one contend for the same leases; two of them have nothing in common.
 *
 * @example
 * const backend = memory()
 * const one = createSimba({ backend, node: 'one' })
 * const two = createSimba({ backend, node: 'two' })
 */
export function memory(options: MemoryOptions = {}): MemoryBackend {
  checkKeys('memory()', options, ['clock'])
  const switchboard = new Switchboard()
  let store: MemoryStore | undefined
  return {
    name: 'memory',
    connect(environment: BackendEnvironment): Connection {
      store ??= new MemoryStore(options.clock ?? environment.clock, (namespace, session, hint) =>
        switchboard.push(namespace, session, hint),
      )
      return new MemoryConnection(store, switchboard, environment)
    },
    restart({ data }) {
      store?.restart(data)
    },
  }
}
