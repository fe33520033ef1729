/**
 * One ZooKeeper session over whatever connections it takes: another server is tried when one is lost, and watches are set anew there.
 * A request is sent at once or rejected at once, and never repeated. Nothing keeps the session alive but what is asked of it.
 */
import type { Clock } from '../../../model/clock.ts'
import { type Acl, type Change, type Changed, readChanged, writeChanges } from './changes.ts'
import { LostError, RefusedError, SessionOverError, wasRefused } from './errors.ts'
import { type Host, Hosts } from './hosts.ts'
import type { JuteReader } from './jute-reader.ts'
import type { JuteWriter } from './jute-writer.ts'
import { type Credentials, Link, NO_SESSION } from './link.ts'
import { readStat, type Stat } from './stat.ts'
import { type Watcher, Watches, type WatchKind } from './watches.ts'

export interface ClientOptions {
  readonly hosts: readonly Host[]
  /** Asked of the server, which may decide otherwise. */
  readonly timeoutMs: number
  readonly silenceMs: number
  /** `user:password`. What is created belongs to that user alone. */
  readonly digest?: string | undefined
  readonly clock: Clock
  readonly random: () => number
  /** There is a connection (again). `greetedMs` was read right before the greeting was sent. */
  readonly onUp: (greetedMs: number) => void
  readonly onDown: (error: Error) => void
  /** The server has ended the session, or does not know it. */
  readonly onOver: () => void
  /** Something was answered, on the present connection, to what was sent at `sentMs`. */
  readonly onAnswer: (sentMs: number) => void
  /** An attempt to connect has failed. */
  readonly onError: (error: Error) => void
}

interface Question<A> {
  readonly what: string
  readonly write?: (writer: JuteWriter) => unknown
  readonly read?: (reader: JuteReader) => A
  readonly refused?: (error: Error) => void
  readonly xid?: number
}

const OPERATIONS = {
  exists: 3,
  getData: 4,
  sync: 9,
  ping: 11,
  getChildren: 12,
  multi: 14,
  removeWatches: 18,
  auth: 100,
  setWatches: 101,
  closeSession: -11,
} as const

const PING_XID = -2
const AUTH_XID = -4
const SET_WATCHES_XID = -8
const DATA_WATCH = 2

const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const LEAST_WELCOME_MS = 500

const PUBLIC: Acl = { scheme: 'world', id: 'anyone' }
const CREATOR_ALONE: Acl = { scheme: 'auth', id: '' }

export class ZooKeeperClient {
  readonly #options: ClientOptions
  readonly #hosts: Hosts
  readonly #watches = new Watches()
  readonly #acl: Acl
  #state: 'new' | 'connecting' | 'up' | 'down' | 'over' = 'new'
  #credentials: Credentials = NO_SESSION
  #timeoutMs = 0
  #lastZxid = 0n
  /** The present connection, or the one that is being made. */
  #link: Link | undefined
  #endPause: () => void = () => {}

  constructor(options: ClientOptions) {
    this.#options = options
    this.#hosts = new Hosts(options.hosts, options.random)
    this.#acl = options.digest === undefined ? PUBLIC : CREATOR_ALONE
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  /** Nothing more will come of it. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** 0 where there never was a session. */
  get sessionId(): bigint {
    return this.#credentials.sessionId
  }

  /** How long the server keeps the session, as it has decided. */
  get timeoutMs(): number {
    return this.#timeoutMs
  }

  /** The last transaction that is known of. */
  get lastZxid(): bigint {
    return this.#state === 'up' ? this.#link!.lastZxid : this.#lastZxid
  }

  /** Begins the session with the first server that answers; each is tried once. */
  async connect(): Promise<void> {
    if (this.#state !== 'new') throw new LostError('connected before')
    this.#state = 'connecting'
    let failure: unknown
    for (let attempt = 0; attempt < this.#hosts.count && this.#state === 'connecting'; attempt++) {
      try {
        return await this.#dial('soon')
      } catch (error) {
        failure = error
      }
    }
    await this.destroy()
    throw failure
  }

  /** All of the changes, or none. */
  change(...changes: readonly Change[]): Promise<readonly Changed[]> {
    return this.#ask('multi', {
      what: changes.map(({ type }) => type).join(', '),
      write: (writer) => writeChanges(writer, changes, this.#acl),
      read: (reader) => readChanged(reader, changes),
    })
  }

  data(path: string): Promise<{ readonly data: string; readonly stat: Stat }> {
    return this.#ask('getData', {
      what: `data of ${path}`,
      write: (writer) => writer.text(path).bool(false),
      read: (reader) => ({ data: reader.text(), stat: readStat(reader) }),
    })
  }

  /** Whether there is such a node; the watcher is told once of its creation, change or deletion. */
  async exists(path: string, watcher: Watcher): Promise<boolean> {
    try {
      await this.#ask('exists', {
        what: `existence of ${path}`,
        write: (writer) => writer.text(path).bool(true),
        read: () => this.#watches.add('node', path, true, watcher),
        refused: (error) => {
          if (wasRefused(error, 'NoNode')) this.#watches.add('node', path, false, watcher)
        },
      })
      return true
    } catch (error) {
      if (wasRefused(error, 'NoNode')) return false
      throw error
    }
  }

  /** The names of the children; the watcher is told once when one is created or deleted. */
  children(path: string, watcher?: Watcher): Promise<{ readonly names: readonly string[]; readonly stat: Stat }> {
    return this.#ask('getChildren', {
      what: `children of ${path}`,
      write: (writer) => writer.text(path).bool(watcher !== undefined),
      read: (reader) => {
        const names = reader.list(() => reader.text())
        if (watcher) this.#watches.add('children', path, true, watcher)
        return { names, stat: readStat(reader) }
      },
    })
  }

  /** Lets the server catch up with the leader; what is asked after it is at least as young. */
  sync(path: string): Promise<void> {
    return this.#ask('sync', { what: 'sync', write: (writer) => writer.text(path) })
  }

  /** Lets the server, though not the ensemble, know that the session lives. */
  ping(): Promise<void> {
    return this.#ask('ping', { what: 'ping', xid: PING_XID })
  }

  /** The watcher of this path is told nothing any more. */
  unwatch(kind: WatchKind, path: string): void {
    const isForEver = this.#watches.remove(kind, path)
    if (!isForEver || !this.isUp) return
    this.#ask('removeWatches', {
      what: `unwatch ${path}`,
      write: (writer) => writer.text(path).int(DATA_WATCH),
    }).catch(() => {})
  }

  /** Lets go of the connection as after a failure; another one is made. */
  drop(error: Error): void {
    if (this.#state === 'up') this.#link?.drop(error)
  }

  /** Ends the session at the server, with everything ephemeral that it has. */
  async end(): Promise<void> {
    await this.#ask('closeSession', { what: 'close' })
    await this.destroy()
  }

  /** Lets go of the connection for good, and leaves the session to run out. Resolves when no socket is left. */
  async destroy(): Promise<void> {
    this.#state = 'over'
    this.#watches.clear()
    this.#endPause()
    await this.#link?.giveUp()
  }

  #ask<A = void>(operation: keyof typeof OPERATIONS, question: Question<A>): Promise<A> {
    if (this.#state === 'over') return Promise.reject(new SessionOverError('the session is over'))
    if (this.#state !== 'up') return Promise.reject(new LostError('not connected'))
    return this.#askOn(this.#link!, operation, question)
  }

  #askOn<A>(link: Link, operation: keyof typeof OPERATIONS, question: Question<A>): Promise<A> {
    const { what, write = () => {}, read = () => undefined as A, refused, xid } = question
    return new Promise((resolve, reject) => {
      link.ask({
        what,
        type: OPERATIONS[operation],
        write,
        xid,
        answered: (reader, sentMs) => {
          this.#options.onAnswer(sentMs)
          try {
            resolve(read(reader))
          } catch (error) {
            // An answer that cannot be read is a fault of the connection.
            if (!(error instanceof RefusedError)) throw error
            this.#refuse(error, reject)
          }
        },
        failed: (error) => {
          refused?.(error)
          this.#refuse(error, reject)
        },
      })
    })
  }

  /** Says so, and then heeds what it says of the session, whatever was asked. */
  #refuse(error: Error, reject: (error: Error) => void): void {
    if (wasRefused(error, 'SessionExpired')) {
      reject(new SessionOverError('the server has ended the session'))
      this.#onOver()
    } else {
      reject(error)
      // It goes on at another server, where somebody has resumed it with our credentials.
      if (wasRefused(error, 'SessionMoved')) this.drop(error)
    }
  }

  /** Where there are other servers to try, one that is silent should not cost the time for them. */
  async #dial(wanted: 'soon' | 'at all'): Promise<void> {
    const { timeoutMs, silenceMs, clock, digest } = this.#options
    const link = await Link.dial(
      {
        host: this.#hosts.next(),
        greeting: { ...this.#credentials, timeoutMs, lastZxid: this.#lastZxid },
        welcomeMs: wanted === 'soon' ? Math.max(silenceMs / 2, Math.min(silenceMs, LEAST_WELCOME_MS)) : silenceMs,
        clock,
        silenceMs,
        onEvent: (event) => this.#watches.tell(event),
        onDown: (error) => this.#onDown(error),
      },
      (dialing) => {
        this.#link = dialing
      },
    )
    if (this.#state === 'over') throw new SessionOverError('the session is over')
    this.#credentials = link.credentials
    this.#timeoutMs = link.timeoutMs
    this.#state = 'up'
    if (digest !== undefined) this.#authenticate(link, digest)
    for (const write of this.#watches.requests(this.#lastZxid)) {
      this.#askOn(link, 'setWatches', { what: 'watch again', write, xid: SET_WATCHES_XID }).catch(() => {})
    }
    this.#options.onUp(link.greetedMs)
  }

  #authenticate(link: Link, digest: string): void {
    const write = (writer: JuteWriter) => writer.int(0).text('digest').text(digest)
    this.#askOn(link, 'auth', { what: 'authentication', write, xid: AUTH_XID }).catch(this.#options.onError)
  }

  #onDown(error: Error): void {
    if (this.#state !== 'up') return
    this.#lastZxid = this.#link!.lastZxid
    this.#state = 'down'
    this.#options.onDown(error)
    // A server that takes a session up and lets it go again at once would be asked in a circle.
    void this.#reconnect(this.#options.clock.now() - this.#link!.greetedMs < LONGEST_PAUSE_MS)
  }

  #onOver(): void {
    if (this.#state === 'over') return
    void this.destroy()
    this.#options.onOver()
  }

  async #reconnect(isAgain: boolean): Promise<void> {
    if (isAgain) await this.#pauseFor(pauseMs(0, this.#options.random))
    for (let attempt = 0; this.#state === 'down'; attempt++) {
      try {
        return await this.#dial(attempt < this.#hosts.count ? 'soon' : 'at all')
      } catch (error) {
        if (this.#state !== 'down') return
        if (error instanceof SessionOverError) return this.#onOver()
        this.#options.onError(error as Error)
      }
      // Every server is tried once before there is anything to wait for.
      const round = attempt + 1 - this.#hosts.count
      if (round >= 0) await this.#pauseFor(pauseMs(round, this.#options.random))
    }
  }

  #pauseFor(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Spread, so that not all clients come back to a restarted server at the same instant. */
function pauseMs(round: number, random: () => number): number {
  return Math.min(SHORTEST_PAUSE_MS * 2 ** Math.min(round, 5), LONGEST_PAUSE_MS) * (0.5 + random() / 2)
}
