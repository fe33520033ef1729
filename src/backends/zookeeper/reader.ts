/** A ZooKeeper session for reading alone, made when somebody asks and made anew when it has run out. It creates nothing. */
import { plainError } from '../../model/errors.ts'
import type { BackendEnvironment } from '../port.ts'
import type { ZooKeeperAddress } from './address.ts'
import { ZooKeeperClient } from './client/client.ts'
import { SessionOverError } from './client/errors.ts'
import { silenceFor } from './settings.ts'

const TIMEOUT_MS = 10_000

export class Reader {
  readonly #address: ZooKeeperAddress
  readonly #environment: BackendEnvironment
  #client: ZooKeeperClient | undefined
  #connecting: Promise<ZooKeeperClient> | undefined
  #isClosed = false

  constructor(address: ZooKeeperAddress, environment: BackendEnvironment) {
    this.#address = address
    this.#environment = environment
  }

  client(): Promise<ZooKeeperClient> {
    if (this.#isClosed) return Promise.reject(new SessionOverError('the connection is closed'))
    this.#connecting ??= this.#connect()
    return this.#connecting
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client
    if (client?.isUp) await client.end().catch(() => {})
    await client?.destroy()
  }

  async #connect(): Promise<ZooKeeperClient> {
    const { clock, random, logger } = this.#environment
    const forget = () => {
      if (this.#client !== client) return
      this.#connecting = undefined
      void client.destroy()
    }
    const client = new ZooKeeperClient({
      hosts: this.#address.hosts,
      digest: this.#address.digest,
      timeoutMs: TIMEOUT_MS,
      silenceMs: silenceFor(TIMEOUT_MS),
      clock,
      random,
      onUp: () => {},
      onDown: forget,
      onOver: forget,
      onAnswer: () => {},
      onError: (error) => logger.debug({ err: plainError(error) }, 'A ZooKeeper server cannot be reached.'),
    })
    this.#client = client
    try {
      await client.connect()
      return client
    } catch (error) {
      forget()
      throw error
    }
  }
}
