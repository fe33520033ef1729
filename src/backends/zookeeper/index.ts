/**
 * Sessions and leases in ZooKeeper 3.5 or newer, with a client of our own, so that nothing need be installed. What it promises rests on the
 * ensemble's consensus: what it has confirmed once, it keeps, whichever of its servers fail.
 */
import { checkKeys } from '../../model/checkKeys.ts'
import type { Backend } from '../port.ts'
import { readAddress, type ZooKeeperOptions } from './address.ts'
import { ZooKeeperConnection } from './connection.ts'
import { checkSession } from './settings.ts'

export type { ZooKeeperOptions } from './address.ts'

/**
 * Leases in ZooKeeper.
 *
 * The URL has the servers of the ensemble, and perhaps a path below which everything is kept, a user with a password for digest
 * authentication, and the ensemble's `tickTime` where it is not 2 s. Each client has one session of its own, whose timeout is the lease
 * duration; a server that will not have it (`minSessionTimeout`, `maxSessionTimeout`) is an error.
 *
 * Throws `INVALID_OPTION` for anything that is not understood. `createSimba` throws it for a `renewInterval` of more than half the
 * `leaseDuration` less one tick.
 *
 * @example
 * createSimba({ backend: zookeeper('zookeeper://a:2181,b:2181,c:2181') })
 * createSimba({ backend: zookeeper('zookeeper://a:2181/shop', { username: 'simba', password }) })
 * createSimba({ backend: zookeeper('zookeeper://127.0.0.1:2181', { tickTime: 500 }), leaseDuration: '4s' })
 */
export function zookeeper(url: string, options: ZooKeeperOptions = {}): Backend {
  checkKeys('zookeeper()', options, ['tickTime', 'username', 'password'])
  const address = readAddress(url, options)
  return {
    name: 'zookeeper',
    check: (session) => checkSession(session, address.tickMs),
    connect: (environment) => new ZooKeeperConnection(address, environment),
  }
}
