/** Where a store meets the model: both are asked the same, and after each question everything that can be seen must look the same in both. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, Hint, SessionOptions } from '../../../src/backends/port.ts'
import { Random } from '../../../src/simulation/random.ts'
import { ModelBackend } from '../model/backend.ts'
import { isLive } from '../model/sessions.ts'
import type { Store } from '../model/store.ts'
import { GROUPS, LEASES } from './command.ts'
import type { Contestant, Listener } from './contestant.ts'
import { type Answer, Likeness, type Pair } from './likeness.ts'
import type { Message } from './message.ts'
import { Player } from './player.ts'

/** More than there ever is: which part is left out of a survey is each store's own affair. */
const SURVEYED = 1_000

/** How often a server is looked for that was restarted. */
const LOOKS = 1_000

const silent = () => {}

export class Arena {
  /** Everything that was done, with the model's answers. */
  readonly diary: string[] = []
  readonly players: Player[] = []
  readonly #contestant: Contestant
  readonly #model: ModelBackend
  readonly #likeness: Likeness
  readonly #connections: readonly Pair<Connection>[]
  /** Begin anew with each session, for some stores draw more of them than others. */
  #randoms: Pair<Random> = [new Random(0), new Random(0)]

  constructor(contestant: Contestant) {
    this.#contestant = contestant
    this.#model = new ModelBackend(contestant.start)
    this.#likeness = new Likeness(contestant)
    // Two, so that sessions do and do not share one.
    this.#connections = [1, 2].map(() => [this.#connect(0), this.#connect(1)])
  }

  /** What the model knows. */
  get facts(): Store {
    return this.#model.facts(this.#contestant.environment.namespace)
  }

  isLive(player: Player): boolean {
    return isLive(this.facts, player.id)
  }

  /** A session that is not open yet. */
  enroll(options: SessionOptions): Player {
    const count = this.players.length
    this.#randoms = [new Random(count), new Random(count)]
    const player = new Player(this.#connections[count % 2]!, options)
    assert.equal(player.sessions[0].id, player.id, 'the id of a session follows from the random numbers')
    this.players.push(player)
    return player
  }

  /** Sends it to both, and returns both answers. */
  async deliver({ player, text, opens, closes, ask }: Message): Promise<Pair<Answer>> {
    if (closes) player.isClosed = true
    let tested = await answerOf(ask(player.sessions[0], 0))
    const isNew = opens && !this.facts.spentIds.includes(player.id)
    for (let look = 0; isNew && tested.kind === 'rejected' && this.#contestant.isServer && look < LOOKS; look++) {
      await sleep(5)
      tested = await answerOf(ask(player.sessions[0], 0))
    }
    // A store may refuse to open a living session again, as long as that changes nothing.
    const isRefused = opens && tested.kind === 'rejected' && this.isLive(player)
    const model = isRefused ? tested : await answerOf(ask(player.sessions[1], 1))
    this.note(`${player.node} ${text} -> ${model.kind === 'rejected' ? 'refused' : JSON.stringify(model)}`)
    this.#likeness.check([tested, model])
    if (model.kind === 'unknown') player.isOver = true
    if (model.epoch !== undefined) player.epochs.push(model.epoch)
    await this.#compareAll()
    return [tested, model]
  }

  /** Time passes for both, or their clocks are set back. */
  async pass(ms: number): Promise<void> {
    this.note(ms < 0 ? `the clock is set back by ${-ms} ms` : `${ms} ms pass`)
    await this.#contestant.pass(ms)
    this.#model.pass(ms)
    await this.#compareAll()
  }

  stepWall(ms: number): void {
    this.note(`the wall clock steps by ${ms} ms`)
    this.#contestant.stepWall(ms)
    this.#model.stepWall(ms)
  }

  async restart(data: 'kept' | 'lost'): Promise<void> {
    this.note(`the store restarts, its data ${data}`)
    await this.#contestant.restart(data)
    for (const [tested] of this.#connections) await answering(tested)
    this.#model.restart(data)
    if (data === 'lost') this.#likeness.forgetVersions()
    await this.#compareAll()
  }

  async expire(player: Player): Promise<void> {
    this.note(`the session of ${player.node} is ended from outside`)
    await this.#contestant.expire?.(listenerOf(player))
    this.#model.expire(this.#contestant.environment.namespace, player.id)
    await this.#compareAll()
  }

  note(what: string): void {
    this.diary.push(what)
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#connections.map(([tested]) => tested.close()))
  }

  /** Inboxes, members, leaders, surveys and hints. */
  async #compareAll(): Promise<void> {
    const [connections] = this.#connections
    const listening = this.players.filter((player) => !player.isClosed && !player.isOver && this.isLive(player))
    await this.#contestant.hear(listening.map(listenerOf))
    const living = this.players.filter((player) => this.isLive(player))
    const [observer] = living
    for (const player of living) await this.#compare(player, 'the inbox', (session) => session.look())
    for (const group of observer ? GROUPS : []) {
      const [tested, model] = await this.#compare(observer!, `the members of ${group}`, (session) =>
        session.members(group),
      )
      // A group without members has no version that a store must remember.
      if (model.members?.length) this.#likeness.checkVersions(group, [tested.version ?? 0, model.version ?? 0])
    }
    this.#likeness.checkLeaders([await connections![0].leaders(LEASES), await connections![1].leaders(LEASES)])
    this.#likeness.checkSurveys([await connections![0].survey!(SURVEYED), await connections![1].survey!(SURVEYED)])
    this.#compareHints(listening)
  }

  async #compare(player: Player, what: string, ask: Message['ask']): Promise<Pair<Answer>> {
    const answers: Pair<Answer> = [
      await answerOf(ask(player.sessions[0], 0)),
      await answerOf(ask(player.sessions[1], 1)),
    ]
    this.#likeness.check(answers, `${what} of ${player.node}`)
    return answers
  }

  #compareHints(listening: readonly Player[]): void {
    for (const player of this.players) {
      const [tested, model] = player.hints.map(namesOf)
      const pushes = this.#contestant.backend.pollIntervalMs === undefined
      if (player.isClosed || listening.includes(player)) {
        assert.deepEqual(tested, pushes ? model : [], `the hints to ${player.node}`)
      }
      for (const hints of player.hints) hints.length = 0
    }
  }

  #connect(side: 0 | 1): Connection {
    const { backend, environment } = this.#contestant
    return [backend, this.#model][side]!.connect({
      ...environment,
      random: () => this.#randoms[side].next(),
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    })
  }
}

function listenerOf({ id, hints, sessions }: Player): Listener {
  return { id, heard: hints[0], look: () => sessions[0].look() }
}

/** What they are about, each once: a store may repeat itself. How the way to it fares is another matter. */
function namesOf(hints: readonly Hint[]): readonly string[] {
  const names = hints.flatMap((hint) => {
    if (hint.type === 'lease.freed') return [`${hint.type} ${hint.lease}`]
    return hint.type === 'members.changed' ? [`${hint.type} ${hint.group}`] : []
  })
  return [...new Set(names)].sort()
}

/** Resolves when the store answers again. */
async function answering(connection: Connection): Promise<void> {
  while ((await answerOf(connection.leaders([]))).kind === 'rejected') await sleep(5)
}

async function answerOf(asked: Promise<unknown>): Promise<Answer> {
  try {
    return ((await asked) as Answer | undefined) ?? {}
  } catch (error) {
    return { kind: 'rejected', why: String(error) }
  }
}
