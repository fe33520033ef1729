/** One client's way to an ensemble. Each session has a ZooKeeper session of its own; who only asks borrows one, or has one for reading. */
import type { BackendEnvironment, Connection, Hint, Leader, Session, SessionOptions, Survey } from '../port.ts'
import { makeSessionId } from '../session-id.ts'
import type { ZooKeeperAddress } from './address.ts'
import type { ZooKeeperClient } from './client/client.ts'
import { wasRefused } from './client/errors.ts'
import { inOurWords } from './faults.ts'
import { type Paths, pathsIn } from './paths.ts'
import { Reader } from './reader.ts'
import { readNode, tokenOf } from './records.ts'
import { findRoot } from './root.ts'
import { ZooKeeperSession } from './session.ts'
import { survey } from './survey.ts'

export class ZooKeeperConnection implements Connection {
  readonly #address: ZooKeeperAddress
  readonly #environment: BackendEnvironment
  readonly #paths: Paths
  readonly #sessions = new Set<ZooKeeperSession>()
  readonly #reader: Reader

  constructor(address: ZooKeeperAddress, environment: BackendEnvironment) {
    this.#address = address
    this.#environment = environment
    this.#paths = pathsIn(address.chroot, environment.namespace)
    this.#reader = new Reader(address, environment)
  }

  session(options: SessionOptions, onHint: (hint: Hint) => void): Session {
    for (const session of this.#sessions) if (session.isGone) this.#sessions.delete(session)
    const id = makeSessionId(this.#environment.random)
    const session = new ZooKeeperSession(id, options, this.#address, this.#paths, this.#environment, onHint)
    this.#sessions.add(session)
    return session
  }

  async leaders(leases: readonly string[]): Promise<readonly (Leader | null)[]> {
    try {
      const client = await this.#client()
      // Sent together, and done in this order: what is read is not older than the question.
      const [, base, ...leaders] = await Promise.all([
        client.sync(this.#paths.root),
        findRoot(client, this.#paths),
        ...leases.map((lease) => readLeader(client, this.#paths.holder(lease))),
      ])
      return leaders.map((leader) =>
        leader && base !== null ? { node: leader.node, token: tokenOf(base, leader.mzxid) } : null,
      )
    } catch (error) {
      throw inOurWords(error)
    }
  }

  async survey(most: number): Promise<Survey> {
    try {
      return await survey(await this.#client(), this.#paths, most)
    } catch (error) {
      throw inOurWords(error)
    }
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions]
    this.#sessions.clear()
    await Promise.all([...sessions.map((session) => session.abandon()), this.#reader.close()])
  }

  async #client(): Promise<ZooKeeperClient> {
    for (const { reader } of this.#sessions) if (reader) return reader
    return this.#reader.client()
  }
}

async function readLeader(
  client: ZooKeeperClient,
  path: string,
): Promise<{ readonly node: string; readonly mzxid: bigint } | null> {
  try {
    const { data, stat } = await client.data(path)
    return { node: readNode(data), mzxid: stat.mzxid }
  } catch (error) {
    if (wasRefused(error, 'NoNode')) return null
    throw error
  }
}
