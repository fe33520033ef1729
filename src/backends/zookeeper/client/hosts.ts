/** The servers of an ensemble, and which of them is tried next. */

export interface Host {
  readonly host: string
  readonly port: number
}

export class Hosts {
  readonly #hosts: readonly Host[]
  #next: number

  /** Begins anywhere, so that the clients of an ensemble spread over it. */
  constructor(hosts: readonly Host[], random: () => number) {
    this.#hosts = hosts
    this.#next = Math.floor(random() * hosts.length)
  }

  get count(): number {
    return this.#hosts.length
  }

  next(): Host {
    const host = this.#hosts[this.#next % this.#hosts.length]!
    this.#next += 1
    return host
  }
}
