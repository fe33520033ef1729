/** A server that speaks ZooKeeper's protocol and says what a test lets it say: for what no real one would do. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Frames } from '../../src/backends/zookeeper/client/frames.ts'
import { JuteReader } from '../../src/backends/zookeeper/client/jute-reader.ts'
import { JuteWriter } from '../../src/backends/zookeeper/client/jute-writer.ts'

export interface FakeGreeting {
  readonly lastZxid: bigint
  readonly timeoutMs: number
  readonly sessionId: bigint
  readonly password: Buffer
}

export interface FakeRequest {
  readonly xid: number
  readonly type: number
  readonly body: JuteReader
}

export interface FakeManners {
  /** What it says to a greeting; nothing, where it returns null. */
  readonly greet?: (greeting: FakeGreeting, socket: Socket) => Buffer | null
  readonly answer?: (request: FakeRequest, socket: Socket) => Buffer | null
}

export const PASSWORD = Buffer.from('0123456789abcdef')

export const welcome = (sessionId = 7n, timeoutMs = 10_000): Buffer =>
  new JuteWriter().int(0).int(timeoutMs).long(sessionId).bytes(PASSWORD).bool(false).frame()

/** What comes before each answer. */
export const header = (xid: number, zxid = 1n, code = 0): JuteWriter => new JuteWriter().int(xid).long(zxid).int(code)

export class FakeZooKeeper {
  readonly greetings: FakeGreeting[] = []
  readonly requests: Pick<FakeRequest, 'xid' | 'type'>[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  manners: FakeManners

  static async start(manners: FakeManners = {}): Promise<FakeZooKeeper> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FakeZooKeeper(server, manners)
  }

  private constructor(server: Server, manners: FakeManners) {
    this.#server = server
    this.manners = manners
    server.on('connection', (socket) => this.#serve(socket))
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return address.port
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async dispose(): Promise<void> {
    this.hangUp()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    const frames = new Frames()
    let isGreeted = false
    socket.on('data', (chunk) => {
      for (const frame of frames.feed(chunk)) {
        const reply = isGreeted ? this.#hear(frame, socket) : this.#greet(frame, socket)
        isGreeted = true
        if (reply) socket.write(reply)
      }
    })
  }

  #greet(frame: Buffer, socket: Socket): Buffer | null {
    const reader = new JuteReader(frame)
    reader.int()
    const greeting = {
      lastZxid: reader.long(),
      timeoutMs: reader.int(),
      sessionId: reader.long(),
      password: Buffer.from(reader.bytes()),
    }
    this.greetings.push(greeting)
    return this.manners.greet ? this.manners.greet(greeting, socket) : welcome()
  }

  #hear(frame: Buffer, socket: Socket): Buffer | null {
    const body = new JuteReader(frame)
    const request = { xid: body.int(), type: body.int(), body }
    this.requests.push(request)
    return this.manners.answer ? this.manners.answer(request, socket) : header(request.xid).frame()
  }
}
