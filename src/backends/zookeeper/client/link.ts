/**
 * One TCP connection to one server: the greeting with which a session begins or goes on, and then requests, whose answers come in
 * their order. It lives until its first failure, silence included.
 */
import { connect, type Socket } from 'node:net'
import type { Clock } from '../../../model/clock.ts'
import { LostError, RefusedError, SessionOverError } from './errors.ts'
import { Frames } from './frames.ts'
import type { Host } from './hosts.ts'
import { JuteReader } from './jute-reader.ts'
import { JuteWriter } from './jute-writer.ts'

/** What a session is resumed by. All zero where it is to begin. */
export interface Credentials {
  readonly sessionId: bigint
  readonly password: Buffer
}

export const NO_SESSION: Credentials = { sessionId: 0n, password: Buffer.alloc(16) }

export interface Greeting extends Credentials {
  readonly timeoutMs: number
  /** The server refuses who has seen more than it has itself. */
  readonly lastZxid: bigint
}

export interface LinkOptions {
  readonly host: Host
  readonly greeting: Greeting
  /** For the connection and the welcome together. */
  readonly welcomeMs: number
  readonly clock: Clock
  /** Without an answer for this long, while one is owed, the connection is given up. */
  readonly silenceMs: number
  /** What the server tells unasked. */
  readonly onEvent: (event: JuteReader) => void
  /** Once, when the connection is over after it was made; not where it was given up here. */
  readonly onDown: (error: Error) => void
}

export interface Request {
  /** For errors. */
  readonly what: string
  readonly type: number
  readonly write: (writer: JuteWriter) => unknown
  /** Given for the requests that have a fixed one. */
  readonly xid?: number | undefined
  /** Reads the answer before anything that came after it is looked at. `sentMs` was read right before the request was sent. */
  readonly answered: (reader: JuteReader, sentMs: number) => void
  /** A `RefusedError`, or else nobody knows what became of it. */
  readonly failed: (error: Error) => void
}

interface Owed extends Request {
  readonly xid: number
  readonly sentMs: number
}

const EVENT_XID = -1
const LAST_XID = 2 ** 31 - 1

export class Link {
  readonly #options: LinkOptions
  readonly #socket: Socket
  readonly #gone: Promise<void>
  readonly #frames = new Frames()
  readonly #owed: Owed[] = []
  #welcome: ((frame: Buffer) => void) | undefined
  #state: 'dialing' | 'up' | 'over' = 'dialing'
  #xid = 0
  #greetedMs = 0
  #heardMs = 0
  #timer: NodeJS.Timeout | undefined
  #isCorked = false
  #whyNot: (error: Error) => void = () => {}
  #timeoutMs = 0
  #credentials: Credentials = NO_SESSION
  #lastZxid: bigint

  /** Resolves when the server has taken the session up. A server that knows no such session rejects with a `SessionOverError`. */
  static async dial(options: LinkOptions, hold: (link: Link) => void): Promise<Link> {
    const link = new Link(options)
    hold(link)
    await link.#greet()
    return link
  }

  private constructor(options: LinkOptions) {
    this.#options = options
    this.#lastZxid = options.greeting.lastZxid
    this.#socket = connect({ host: options.host.host, port: options.host.port, noDelay: true })
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#down(error))
    this.#gone = new Promise((resolve) => this.#socket.once('close', resolve))
    void this.#gone.then(() => this.#down(new Error('the server has closed the connection')))
  }

  get credentials(): Credentials {
    return this.#credentials
  }

  /** How long the server keeps the session, as it has decided. */
  get timeoutMs(): number {
    return this.#timeoutMs
  }

  /** Read right before the greeting was sent. */
  get greetedMs(): number {
    return this.#greetedMs
  }

  /** The last transaction that the server has told of. */
  get lastZxid(): bigint {
    return this.#lastZxid
  }

  /** Sends at once. */
  ask(request: Request): void {
    if (this.#state === 'up') this.#ask(request)
    else request.failed(new LostError('not connected'))
  }

  #ask(request: Request): void {
    const xid = request.xid ?? this.#nextXid()
    const writer = new JuteWriter().int(xid).int(request.type)
    request.write(writer)
    const sentMs = this.#options.clock.now()
    if (this.#owed.length === 0) this.#heardMs = sentMs
    this.#owed.push({ ...request, xid, sentMs })
    this.#send(writer.frame())
    this.#listenForSilence()
  }

  /** Lets go of the connection without a word; nothing more is heard of it. Resolves when its socket is gone. */
  async giveUp(): Promise<void> {
    this.#end(new Error('the connection was given up'))
    await this.#gone
  }

  /** Lets go of it as after a failure. */
  drop(error: Error): void {
    this.#down(error)
  }

  #greet(): Promise<void> {
    const { greeting, clock, welcomeMs } = this.#options
    return new Promise((resolve, reject) => {
      this.#whyNot = reject
      this.#timer = setTimeout(() => this.#down(new Error(`no welcome within ${welcomeMs} ms`)), welcomeMs)
      this.#welcome = (frame) => {
        this.#takeUp(new JuteReader(frame))
        resolve()
      }
      this.#socket.once('connect', () => {
        const writer = new JuteWriter().int(0).long(greeting.lastZxid).int(greeting.timeoutMs)
        writer.long(greeting.sessionId).bytes(greeting.password).bool(false)
        this.#greetedMs = clock.now()
        this.#send(writer.frame())
      })
    })
  }

  #takeUp(welcome: JuteReader): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    welcome.int()
    this.#timeoutMs = welcome.int()
    this.#credentials = { sessionId: welcome.long(), password: Buffer.from(welcome.bytes()) }
    if (this.#timeoutMs <= 0) throw new SessionOverError('the server does not know the session (any more)')
    this.#state = 'up'
  }

  #read(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.feed(chunk)) {
        if (this.#state === 'over') return
        if (this.#state === 'up') this.#take(frame)
        else this.#welcome?.(frame)
      }
    } catch (error) {
      this.#down(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #take(frame: Buffer): void {
    const reader = new JuteReader(frame)
    const xid = reader.int()
    const zxid = reader.long()
    const code = reader.int()
    if (xid === EVENT_XID) this.#options.onEvent(reader)
    else this.#answer(xid, zxid, code, reader)
  }

  #answer(xid: number, zxid: bigint, code: number, reader: JuteReader): void {
    const owed = this.#owed[0]
    if (owed?.xid !== xid) throw new Error(`an answer to request ${xid} instead of ${owed?.xid}`)
    this.#heardMs = this.#options.clock.now()
    if (zxid > this.#lastZxid) this.#lastZxid = zxid
    // Owed until it was read: an answer that cannot be read is none.
    if (code === 0) owed.answered(reader, owed.sentMs)
    else owed.failed(new RefusedError(code, owed.what))
    this.#owed.shift()
  }

  /** Checked by the clock, and once more after what has arrived was read: after a blocked event loop timers come before data. */
  #listenForSilence(): void {
    if (this.#timer !== undefined || this.#owed.length === 0) return
    this.#timer = setTimeout(() => {
      if (this.#silentForMs() < this.#options.silenceMs) return this.#listenOn()
      setImmediate(() => {
        if (this.#state !== 'up') return
        if (this.#silentForMs() < this.#options.silenceMs) return this.#listenOn()
        this.#down(new Error(`no answer within ${this.#options.silenceMs} ms`))
      })
    }, this.#options.silenceMs - this.#silentForMs())
  }

  #listenOn(): void {
    this.#timer = undefined
    this.#listenForSilence()
  }

  #silentForMs(): number {
    const oldest = this.#owed[0]
    return oldest ? this.#options.clock.now() - Math.max(oldest.sentMs, this.#heardMs) : 0
  }

  #send(frame: Buffer): void {
    // What is asked in one turn of the event loop goes out together.
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    this.#socket.write(frame)
  }

  #nextXid(): number {
    this.#xid = this.#xid === LAST_XID ? 1 : this.#xid + 1
    return this.#xid
  }

  #down(error: Error): void {
    if (this.#state === 'over') return
    const wasUp = this.#state === 'up'
    this.#end(error)
    if (wasUp) this.#options.onDown(error)
  }

  #end(error: Error): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    clearTimeout(this.#timer)
    this.#socket.destroy()
    const { host, port } = this.#options.host
    this.#whyNot(
      error instanceof SessionOverError ? error : new LostError(`${host}:${port}: ${error.message}`, { cause: error }),
    )
    for (const { what, failed } of this.#owed.splice(0)) {
      failed(new LostError(`${error.message}; the outcome of '${what}' is unknown`, { cause: error }))
    }
  }
}
