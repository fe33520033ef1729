/** The way of one client to its store, on which a test may lose, delay and repeat what goes there and what comes back. */
import {
  type Backend,
  type Connection,
  type Hint,
  NotSentError,
  type Session,
  type SessionOptions,
} from '../../src/backends/port.ts'
import type { HandTime } from './hand-time.ts'

export type Method = Exclude<keyof Session, 'id'> | 'leaders' | 'survey' | 'disconnect'

/** What becomes of one call. `deliver` brings it to the store. */
export type Fault = (deliver: () => Promise<unknown>) => Promise<unknown>

export interface Call {
  readonly method: Method
  readonly args: readonly unknown[]
}

/** The store refuses to answer, and was not reached. */
export const refused: Fault = () => Promise.reject(new Error('ECONNREFUSED'))
/** As the one before, and the backend knows it for certain. */
export const notSent: Fault = () => Promise.reject(new NotSentError('ECONNREFUSED'))
/** The store does what it was asked; nobody here learns of it. */
export const answerLost: Fault = async (deliver) => {
  await deliver()
  throw new Error('ECONNRESET')
}
/** Nothing arrives, and nothing comes back. */
export const hanging: Fault = () => new Promise(() => {})

interface Trouble {
  readonly fault: Fault
  left: number
}

export class Road {
  readonly backend: Backend
  /** Every call that set out, in order. */
  readonly calls: Call[] = []
  readonly #time: HandTime
  readonly #troubles = new Map<Method, Trouble>()
  #onHint: (hint: Hint) => void = () => {}
  #dropsHints = false

  constructor(backend: Backend, time: HandTime) {
    this.#time = time
    this.backend = { name: backend.name, connect: (environment) => this.#connection(backend.connect(environment)) }
  }

  /** The next `times` calls of the method meet with the fault. */
  trouble(method: Method, fault: Fault, times = Number.POSITIVE_INFINITY): void {
    this.#troubles.set(method, { fault, left: times })
  }

  /** All calls meet with the fault. */
  block(fault: Fault): void {
    const methods: readonly Method[] = [
      ...(['open', 'renew', 'look', 'campaign', 'withdraw', 'release', 'join', 'leave', 'members', 'close'] as const),
      ...(['leaders', 'survey', 'disconnect'] as const),
    ]
    for (const method of methods) this.trouble(method, fault)
  }

  heal(): void {
    this.#troubles.clear()
    this.#dropsHints = false
  }

  dropHints(): void {
    this.#dropsHints = true
  }

  /** The client gets a hint, whether the store has sent it or not. */
  hint(hint: Hint): void {
    this.#onHint(hint)
  }

  /** What the present session hears hints with. */
  listener(): (hint: Hint) => void {
    return this.#onHint
  }

  count(method: Method): number {
    return this.calls.filter((call) => call.method === method).length
  }

  /** The store is reached at once, and its answer takes this long. */
  slowAnswer(ms: number): Fault {
    return async (deliver) => {
      const answer = await deliver()
      await this.#sleep(ms)
      return answer
    }
  }

  /** The store is reached only after this long. */
  slowRequest(ms: number): Fault {
    return async (deliver) => {
      await this.#sleep(ms)
      return deliver()
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#time.setTimer(resolve, ms))
  }

  #connection(connection: Connection): Connection {
    return {
      session: (options, onHint) => this.#session(connection, options, onHint),
      leaders: (leases) => this.#travel('leaders', [leases], () => connection.leaders(leases)),
      survey: (most) => this.#travel('survey', [most], () => connection.survey!(most)),
      close: () => this.#travel('disconnect', [], () => connection.close()),
    }
  }

  #session(connection: Connection, options: SessionOptions, onHint: (hint: Hint) => void): Session {
    this.#onHint = onHint
    const session = connection.session(options, (hint) => {
      if (!this.#dropsHints) onHint(hint)
    })
    return {
      id: session.id,
      open: () => this.#travel('open', [], () => session.open()),
      renew: (request) => this.#travel('renew', [request], () => session.renew(request)),
      look: () => this.#travel('look', [], () => session.look()),
      campaign: (lease, number) => this.#travel('campaign', [lease, number], () => session.campaign(lease, number)),
      withdraw: (lease, number) => this.#travel('withdraw', [lease, number], () => session.withdraw(lease, number)),
      release: (lease, token, number) =>
        this.#travel('release', [lease, token, number], () => session.release(lease, token, number)),
      join: (group, entry, number) =>
        this.#travel('join', [group, entry, number], () => session.join(group, entry, number)),
      leave: (group, number) => this.#travel('leave', [group, number], () => session.leave(group, number)),
      members: (group) => this.#travel('members', [group], () => session.members(group)),
      close: () => this.#travel('close', [], () => session.close()),
    }
  }

  #travel<A>(method: Method, args: readonly unknown[], deliver: () => Promise<A>): Promise<A> {
    this.calls.push({ method, args })
    const trouble = this.#troubles.get(method)
    if (!trouble) return deliver()
    trouble.left -= 1
    if (trouble.left <= 0) this.#troubles.delete(method)
    return trouble.fault(deliver) as Promise<A>
  }
}
