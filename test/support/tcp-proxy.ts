/**
 * A way to a server that can fall silent, or let go later of what it was given: what a network does and a server never shows.
 * It neither reads nor changes what passes through.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

interface Link {
  readonly toServer: Socket
  readonly toClient: Socket
}

export class TcpProxy {
  readonly port: number
  readonly #server: Server
  readonly #links = new Set<Link>()
  #isRefusing = false

  static async start(targetPort: number): Promise<TcpProxy> {
    // Half-open on purpose: what a client sent before it hung up can still be let through.
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return new TcpProxy(server, address.port, targetPort)
  }

  private constructor(server: Server, port: number, targetPort: number) {
    this.port = port
    this.#server = server
    server.on('connection', (toClient) => {
      if (this.#isRefusing) toClient.destroy()
      else this.#link(toClient, connect(targetPort, '127.0.0.1'))
    })
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** From now on, nothing passes on the connections that there are; new ones are not affected. Returns what lets go of it all. */
  hold(): () => void {
    const held = [...this.#links]
    for (const { toServer, toClient } of held) {
      toClient.unpipe(toServer)
      toClient.pause()
      toServer.unpipe(toClient)
      toServer.pause()
    }
    return () => {
      for (const { toServer, toClient } of held) {
        toClient.pipe(toServer)
        toServer.pipe(toClient)
      }
    }
  }

  /** From now on, requests pass on the connections that there are, and their answers do not. Returns what lets go of these. */
  holdAnswers(): () => void {
    const held = [...this.#links]
    for (const { toServer, toClient } of held) {
      toServer.unpipe(toClient)
      toServer.pause()
    }
    return () => {
      for (const { toServer, toClient } of held) toServer.pipe(toClient)
    }
  }

  /** From now on, answers on the connections that there are come so much later. */
  delayAnswers(ms: number): void {
    for (const { toServer, toClient } of this.#links) {
      toServer.unpipe(toClient)
      toServer.on('data', (chunk) => setTimeout(() => toClient.write(chunk), ms)).resume()
    }
  }

  /** Nothing more comes of what the connections that there are have asked. */
  loseAnswers(): void {
    for (const { toServer, toClient } of this.#links) {
      toServer.unpipe(toClient)
      toClient.write = () => true
    }
  }

  /** Whether new connections are hung up at once. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
  }

  async dispose(): Promise<void> {
    for (const { toServer, toClient } of this.#links) {
      toServer.destroy()
      toClient.destroy()
    }
    this.#server.close()
    await once(this.#server, 'close')
  }

  #link(toClient: Socket, toServer: Socket): void {
    const link = { toClient, toServer }
    this.#links.add(link)
    toClient.pipe(toServer)
    toServer.pipe(toClient)
    // A pipe tells of the end of a connection, and not of its failure.
    toClient.on('error', () => toServer.end())
    toServer.on('error', () => toClient.destroy())
    const forget = () => {
      if (toServer.closed && toClient.closed) this.#links.delete(link)
    }
    toServer.on('close', forget)
    toClient.on('close', forget)
  }
}
