/**
 * The way between one node and the store, as a backend in front of the store's own. Requests, answers and hints take their time
 * on it, get lost, come twice, late or out of order, as the weather has it and as partitions cut it.
 */
import type { Backend, Connection, Hint, Session } from '../backends/port.ts'
import type { LineSubject, What } from './log.ts'
import type { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { Executed, SimulatedStore } from './store.ts'
import type { VirtualTime } from './virtualTime.ts'
import type { Weather } from './weather.ts'

/** Which way nothing gets through. */
export type Cut = 'none' | 'requests' | 'answers' | 'both'

export interface LinkParts {
  readonly node: string
  readonly time: VirtualTime
  /** The present one: what was sent by an earlier life of the node is answered to nobody. */
  readonly process: () => SimulatedProcess
  readonly store: SimulatedStore
  readonly random: Random
  /** What the weather is like when nobody has set it. */
  readonly weather: Weather
  readonly note: (what: What, subject?: LineSubject) => void
}

/** A request on its way: which session asks for what. */
interface Request {
  readonly session: string
  readonly method: string
  readonly args: readonly unknown[]
}

/** Half of the requests that a cut swallows wait for its end, as in the buffers of a network: they arrive when nobody awaits them. */
const KEPT_IN_BUFFERS = 0.5

export class Link {
  readonly backend: Backend
  readonly #parts: LinkParts
  readonly #underWay = new Set<() => void>()
  readonly #hintListeners = new Set<(hint: Hint) => void>()
  readonly #witnesses = new Set<(executed: Executed) => void>()
  #buffered: (() => void)[] = []
  #weather: Weather
  #cut: Cut = 'none'
  #connections = 0

  constructor(parts: LinkParts) {
    this.#parts = parts
    this.#weather = parts.weather
    const { backend } = parts.store
    parts.store.onRestart(() => this.#reset())
    this.backend = {
      name: 'simulated',
      connect: (environment) => {
        this.#connections += 1
        return this.#connection(backend.connect(environment))
      },
    }
  }

  /** How many connections are open, and how many sessions listen for hints. */
  get inUse(): { readonly connections: number; readonly listeners: number } {
    return { connections: this.#connections, listeners: this.#hintListeners.size }
  }

  /** Hears of each command whose answer has reached the node, right before whoever waits for it does. */
  watch(witness: (executed: Executed) => void): void {
    this.#witnesses.add(witness)
  }

  /** The process is gone, and its connection with it. */
  drop(): void {
    this.#connections = 0
    this.#underWay.clear()
    this.#hintListeners.clear()
  }

  /** What is left out is as it is when nobody sets it. */
  setWeather(weather: Partial<Weather>): void {
    this.#weather = { ...this.#parts.weather, ...weather }
  }

  /** Cuts the way, or makes it whole again; then whoever waits for hints is told that some may have been missed. */
  cut(cut: Cut): void {
    if (cut === this.#cut) return
    this.#cut = cut
    this.#parts.note(cut === 'none' ? 'is connected again' : `is cut off: ${cut}`)
    if (this.#cutsRequests) return
    for (const arrive of this.#buffered.splice(0)) this.#after(this.#delay(), arrive)
    if (cut === 'none') this.#tellAll({ type: 'connected' })
  }

  get #cutsRequests(): boolean {
    return this.#cut === 'requests' || this.#cut === 'both'
  }

  get #cutsAnswers(): boolean {
    return this.#cut === 'answers' || this.#cut === 'both'
  }

  #connection(connection: Connection): Connection {
    return {
      session: (options, onHint) => this.#session(connection, options, onHint),
      leaders: (leases) =>
        this.#travel({ session: '', method: 'leaders', args: leases }, () => connection.leaders(leases)),
      survey: (most) => this.#travel({ session: '', method: 'survey', args: [most] }, () => connection.survey!(most)),
      // Letting go of a connection is the client's own affair.
      close: () => {
        this.#connections -= 1
        return connection.close()
      },
    }
  }

  #session(connection: Connection, options: Parameters<Connection['session']>[0], onHint: (hint: Hint) => void) {
    const process = this.#parts.process()
    const listener = (hint: Hint) => process.enter(() => onHint(hint))
    const session = connection.session(options, (hint) => this.#tell(listener, hint))
    const travel = <A>(method: string, args: readonly unknown[], deliver: () => Promise<A>): Promise<A> =>
      this.#travel({ session: session.id, method, args }, deliver)
    const wrapped: Session = {
      id: session.id,
      open: () => {
        this.#hintListeners.add(listener)
        return travel('open', [], () => session.open())
      },
      renew: (request) => travel('renew', [request.settled, request.epoch], () => session.renew(request)),
      look: () => travel('look', [], () => session.look()),
      campaign: (...args) => travel('campaign', args, () => session.campaign(...args)),
      withdraw: (...args) => travel('withdraw', args, () => session.withdraw(...args)),
      release: (...args) => travel('release', args, () => session.release(...args)),
      join: (...args) => travel('join', args, () => session.join(...args)),
      leave: (...args) => travel('leave', args, () => session.leave(...args)),
      members: (group) => travel('members', [group], () => session.members(group)),
      close: () => {
        this.#hintListeners.delete(listener)
        return travel('close', [], () => session.close())
      },
    }
    return wrapped
  }

  #travel<A>(request: Request, deliver: () => Promise<A>): Promise<A> {
    const { random, store, node, note } = this.#parts
    const process = this.#parts.process()
    const sentAtMs = this.#parts.time.nowMs
    const { loseRequest, noticeLoss, repeatRequest, lateRequest, lateMs } = this.#weather
    return new Promise<A>((resolve, reject) => {
      const broken = () => {
        this.#underWay.delete(broken)
        process.enter(() => reject(new Error('The connection broke.')))
      }
      const lose = (what: 'request' | 'answer') => {
        note(`${what} lost: ${described(request)}`)
        if (random.chance(this.#weather.noticeLoss)) this.#after(this.#delay(), broken)
        else this.#underWay.delete(broken)
      }
      const back = (executed: Executed, settle: () => void) => {
        if (this.#cutsAnswers || random.chance(this.#weather.loseAnswer)) return lose('answer')
        this.#after(this.#delay(), () => {
          // After a reset, the answer is nobody's.
          if (!this.#underWay.delete(broken)) return
          process.enter(() => {
            for (const witness of this.#witnesses) witness(executed)
            settle()
          })
        })
      }
      const carryOut = async (answered: (executed: Executed, settle: () => void) => void) => {
        const witnessed = { ...request, node, sentAtMs }
        try {
          const executed = { ...witnessed, answer: await deliver() }
          note(() => `${described(request)} -> ${JSON.stringify(executed.answer ?? null)}`, { executed })
          store.executed(executed)
          answered(executed, () => resolve(executed.answer))
        } catch (error) {
          const executed = { ...witnessed, answer: undefined }
          note(() => `${described(request)} -> refused`, { executed })
          store.executed(executed)
          answered(executed, () => reject(error))
        }
      }
      const arrive = () => store.reach(() => void carryOut(back))

      this.#underWay.add(broken)
      if (this.#cutsRequests) {
        if (random.chance(KEPT_IN_BUFFERS)) this.#buffered.push(arrive)
        else lose('request')
        return
      }
      if (random.chance(loseRequest)) return lose('request')
      const late = random.chance(lateRequest) ? random.between(lateMs) : 0
      this.#after(this.#delay() + late, arrive)
      if (late > 0 && random.chance(noticeLoss)) this.#after(this.#delay(), broken)
      if (random.chance(repeatRequest)) {
        this.#after(this.#delay() + random.between(lateMs), () => store.reach(() => void carryOut(() => {})))
      }
    })
  }

  /** The store is another process now: everybody who waits for an answer learns that the connection broke. */
  #reset(): void {
    for (const broken of [...this.#underWay]) broken()
    this.#tellAll({ type: 'disconnected' })
    this.#tellAll({ type: 'connected' })
  }

  #tellAll(hint: Hint): void {
    for (const listener of this.#hintListeners) this.#tell(listener, hint)
  }

  #tell(listener: (hint: Hint) => void, hint: Hint): void {
    const { random } = this.#parts
    const { loseHint, repeatHint, lateHint, lateMs } = this.#weather
    if (this.#cutsAnswers || random.chance(loseHint)) return
    const tell = () => listener(hint)
    this.#after(this.#delay() + (random.chance(lateHint) ? random.between(lateMs) : 0), tell)
    if (random.chance(repeatHint)) this.#after(this.#delay() + random.between(lateMs), tell)
  }

  #delay(): number {
    return this.#parts.random.between(this.#weather.delayMs)
  }

  #after(ms: number, callback: () => void): void {
    this.#parts.time.after(ms, callback)
  }
}

function described({ method, args }: Request): string {
  return [method, ...args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)))].join(' ')
}
