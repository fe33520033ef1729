/**
 * The way of one node to one server, over TCP, which can be cut, slow or silent for all connections, those that are made meanwhile included.
 * It neither reads nor changes what passes through.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Condition =
  | { readonly kind: 'open' }
  /** Connections break, and new ones are hung up. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'slow'; readonly lagMs: number }
  /** Half-open: connections stay and can be made, and nothing passes. All of it comes late. */
  | { readonly kind: 'silent' }
  /** Requests pass, and answers come late. */
  | { readonly kind: 'deaf' }

type Direction = 'requests' | 'answers'

const HOST = '127.0.0.1'

export class Road {
  readonly port: number
  readonly #server: Server
  readonly #target: () => number
  readonly #lanes = new Set<Lane>()
  #condition: Condition = { kind: 'open' }

  /** `target` is asked for the server's port with each new connection. */
  static async start(target: () => number): Promise<Road> {
    const server = createServer({ allowHalfOpen: true }).listen(0, HOST)
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return new Road(server, address.port, target)
  }

  private constructor(server: Server, port: number, target: () => number) {
    this.port = port
    this.#server = server
    this.#target = target
    server.on('connection', (client) => this.#link(client))
  }

  become(condition: Condition): void {
    this.#condition = condition
    if (condition.kind === 'cut') this.hangUp()
    for (const lane of this.#lanes) lane.flow()
  }

  /** Breaks the connections that there are. */
  hangUp(): void {
    for (const lane of this.#lanes) lane.destroy()
  }

  async dispose(): Promise<void> {
    this.hangUp()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #link(client: Socket): void {
    if (this.#condition.kind === 'cut') {
      client.destroy()
      return
    }
    const server = connect({ port: this.#target(), host: HOST, allowHalfOpen: true })
    this.#lane(client, server, 'requests')
    this.#lane(server, client, 'answers')
  }

  #lane(from: Socket, to: Socket, direction: Direction): void {
    const lane = new Lane(from, to, () => this.#passes(direction))
    this.#lanes.add(lane)
    from.on('close', () => this.#lanes.delete(lane))
  }

  /** In how many milliseconds a thing that comes now gets through; not at all where that is infinite. */
  #passes(direction: Direction): number {
    const { kind } = this.#condition
    if (kind === 'slow') return this.#condition.lagMs
    const isHeld = kind === 'silent' || (kind === 'deaf' && direction === 'answers')
    return isHeld ? Number.POSITIVE_INFINITY : 0
  }
}

/** Everything that goes one way on one connection, in order, its end included. */
class Lane {
  readonly #from: Socket
  readonly #to: Socket
  readonly #passesInMs: () => number
  readonly #waiting: { readonly pass: () => void; readonly atMs: number }[] = []

  constructor(from: Socket, to: Socket, passesInMs: () => number) {
    this.#from = from
    this.#to = to
    this.#passesInMs = passesInMs
    from.on('data', (chunk) => this.#take(() => to.write(chunk)))
    from.on('end', () => this.#take(() => to.end()))
    // A connection that breaks is no message: the other side learns of it at once.
    from.on('error', () => to.destroy())
    from.on('close', (wasBroken) => wasBroken && to.destroy())
  }

  /** Lets through what may pass now. */
  readonly flow = (): void => {
    if (!Number.isFinite(this.#passesInMs())) return
    while (this.#waiting[0] && this.#waiting[0].atMs <= performance.now()) this.#waiting.shift()!.pass()
    const next = this.#waiting[0]
    if (next) setTimeout(this.flow, Math.ceil(next.atMs - performance.now()))
  }

  destroy(): void {
    this.#from.destroy()
    this.#to.destroy()
  }

  #take(pass: () => void): void {
    const inMs = this.#passesInMs()
    this.#waiting.push({ pass, atMs: performance.now() + (Number.isFinite(inMs) ? inMs : 0) })
    this.flow()
  }
}
