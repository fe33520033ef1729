/**
 * A duel between a store and the model: commands in any order, and then an end in which all lines are taken apart and all sessions run
 * out, so that what was hidden until then comes to light.
 */
import { Arena } from './arena.ts'
import { CLIENTS, type Command, LEASES, type Persistent, type Tempo } from './command.ts'
import type { Contestant } from './contestant.ts'
import type { Pair } from './likeness.ts'
import { closing, type Message, type NumberedCommand, numberedMessage, opening, renewal } from './message.ts'
import type { Player } from './player.ts'

/** More than can be left to end when the commands are over. */
const LAST_ROUNDS = 50

interface Granted {
  readonly player: Player
  readonly lease: string | undefined
  readonly tokens: Pair<number>
}

/** Throws where the store does something else than the model, and tells everything that was done until then. */
export async function duel(contestant: Contestant, tempo: Tempo, commands: readonly Command[]): Promise<void> {
  const arena = new Arena(contestant)
  const play = new Duel(arena, tempo, contestant)
  try {
    await play.begin()
    for (const command of commands) await play.do(command)
    await play.tidyUp()
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    throw new Error(`${what}\nafter\n  ${arena.diary.join('\n  ')}`)
  } finally {
    await arena.end()
  }
}

class Duel {
  readonly #arena: Arena
  readonly #tempo: Tempo
  readonly #contestant: Contestant
  /** The sessions of each client, the present one last. */
  readonly #clients: readonly Player[][] = Array.from({ length: CLIENTS }, () => [])
  readonly #granted: Granted[] = []

  constructor(arena: Arena, tempo: Tempo, contestant: Contestant) {
    this.#arena = arena
    this.#tempo = tempo
    this.#contestant = contestant
  }

  /** Some stores grant nothing while they are young. */
  async begin(): Promise<void> {
    if (!this.#contestant.isServer) return
    await this.#comeAndGo()
    await this.#passToNextEnd()
  }

  async do(command: Command): Promise<void> {
    switch (command.do) {
      case 'open':
        return this.#open(this.#newcomer(command.who, command.leaseMs, command.renewMs), command.delayed)
      case 'reopen':
        return this.#deliverOf(command.who, (player) => opening(player))
      case 'close':
        return this.#deliverOf(command.who, (player) => closing(player))
      case 'renew': {
        const player = await this.#present(command)
        const settled = command.behind === null ? 0 : Math.max(0, player.number - command.behind)
        return this.#deliver(renewal(player, settled, player.epochs.at(command.epoch === 'known' ? -1 : -2) ?? 0))
      }
      case 'campaign':
      case 'withdraw':
      case 'release':
      case 'join':
      case 'leave':
        return this.#send(await this.#present(command), command)
      case 'rally':
        for (let turn = 0; turn < CLIENTS; turn++) {
          const player = await this.#present({ who: (command.who + turn) % CLIENTS, unaware: false })
          for (const lease of command.leases) await this.#send(player, inTime({ do: 'campaign', lease }))
        }
        return
      case 'arrive': {
        const sent = this.#clients[command.who]!.flatMap((player) => player.sent).at(-1 - command.back)
        return sent && this.#deliver(sent)
      }
      case 'pass':
        await this.#arena.pass(command.ms)
        return this.#renewAll(command.awake)
      case 'passToNext':
        await this.#passToNextEnd(command.offset)
        return this.#renewAll(command.awake)
      case 'stepBack':
        if (!this.#contestant.cutsOffers && this.#arena.facts.offers.length > 0) return
        return this.#arena.pass(-command.ms)
      case 'expire': {
        const player = this.#clients[command.who]!.at(-1)
        return player && this.#arena.isLive(player) ? this.#arena.expire(player) : undefined
      }
      case 'stepWall':
        return this.#arena.stepWall(command.ms)
      case 'restart':
        await this.#arena.restart(command.data)
        if (this.#contestant.isServer) await this.#comeAndGo()
        return
    }
  }

  /** Whoever has or wants something gives it up, one by one, and whoever is left runs out, or closes. */
  async tidyUp(): Promise<void> {
    const clerk = this.#outsider('clerk', Math.max(...this.#tempo.leasesMs))
    await this.#open(clerk)
    await this.#deliver(renewal(clerk, 0, 0))
    for (const lease of LEASES) {
      for (let round = 0; round < LAST_ROUNDS; round++) {
        const { holds, offers, places } = this.#arena.facts
        const next = [...holds, ...offers, ...places].find((fact) => fact.lease === lease)
        const player = this.#arena.players.find(({ id }) => id === next?.session)
        if (!player) break
        await this.#send(player, inTime({ do: 'withdraw', lease }))
      }
    }
    for (let round = 0; round < LAST_ROUNDS && this.#arena.facts.sessions.length > 1; round++) {
      if (this.#contestant.expire)
        await this.#deliver(closing(this.#arena.players.find((one) => this.#arena.isLive(one))!))
      else await this.#passToNextEnd()
      await this.#deliver(renewal(clerk, 0, 0))
    }
    await this.#deliver(closing(clerk))
  }

  async #comeAndGo(): Promise<void> {
    const visitor = this.#outsider('visitor', Math.min(...this.#tempo.leasesMs))
    await this.#open(visitor)
    await this.#deliver(closing(visitor))
  }

  /** A session of none of the clients. */
  #outsider(node: string, leaseDurationMs: number): Player {
    return this.#arena.enroll({ node, leaseDurationMs, renewIntervalMs: Math.min(...this.#tempo.renewalsMs) })
  }

  /** The session that the client has, or opens because it has none. */
  async #present({ who, unaware }: Persistent): Promise<Player> {
    const last = this.#clients[who]!.at(-1)
    if (last && (unaware || this.#arena.isLive(last))) return last
    const { leasesMs, renewalsMs } = this.#tempo
    const player = this.#newcomer(who, leasesMs[who % leasesMs.length]!, renewalsMs[who % renewalsMs.length]!)
    await this.#open(player)
    return player
  }

  #newcomer(who: number, leaseDurationMs: number, renewIntervalMs: number): Player {
    const sessions = this.#clients[who]!
    const node = `${'abcd'[who]}${sessions.length + 1}`
    const player = this.#arena.enroll({ node, leaseDurationMs, renewIntervalMs })
    sessions.push(player)
    return player
  }

  #open(player: Player, delayed = false): Promise<void> {
    return this.#dispatch(opening(player), delayed)
  }

  async #renewAll(awake: readonly number[]): Promise<void> {
    for (const who of awake) {
      const player = await this.#present({ who, unaware: false })
      await this.#deliver(renewal(player, 0, player.epochs.at(-1) ?? 0))
    }
  }

  #send(player: Player, command: NumberedCommand): Promise<void> {
    if (command.do !== 'release') return this.#dispatch(numberedMessage(player, command, [0, 0]), command.delayed)
    const hold = command.token !== 'foreign' && this.#arena.facts.holds.find(({ lease }) => lease === command.lease)
    const releasing = (hold && this.#arena.players.find(({ id }) => id === hold.session)) || player
    const tokens = this.#tokens(command.token, releasing, command.lease)
    return this.#dispatch(numberedMessage(releasing, command, tokens), command.delayed)
  }

  /** Sends it now, or leaves it on its way. */
  async #dispatch(message: Message, delayed: boolean): Promise<void> {
    message.player.sent.push(message)
    if (delayed) this.#arena.note(`${message.player.node} ${message.text}, on its way`)
    else await this.#deliver(message)
  }

  async #deliverOf(who: number, messageOf: (player: Player) => Message): Promise<void> {
    const player = this.#clients[who]!.at(-1)
    if (player) await this.#deliver(messageOf(player))
  }

  async #deliver(message: Message): Promise<void> {
    const [tested, model] = await this.#arena.deliver(message)
    if (tested.token === undefined || model.token === undefined) return
    this.#granted.push({ player: message.player, lease: message.lease, tokens: [tested.token, model.token] })
  }

  /** Of this player's last grant, or of the one before, or of the last one to anybody. 1, which no grant has, where there was none. */
  #tokens(whose: 'own' | 'former' | 'foreign', player: Player, lease: string): Pair<number> {
    const all = this.#granted.filter((granted) => granted.lease === lease)
    const own = all.filter((granted) => granted.player === player)
    const granted = { own: own.at(-1), former: own.at(-2), foreign: all.at(-1) }[whose]
    return granted?.tokens ?? [1, 1]
  }

  /** To where the next session, offer or quarantine ends, give or take some grains of time. */
  async #passToNextEnd(offset = 0): Promise<void> {
    const { nowMs, sessions, offers, restarts } = this.#arena.facts
    const ends = [...sessions.map((fact) => fact.expiresAtMs), ...offers.map((offer) => offer.endsAtMs)]
    if (restarts) ends.push(restarts.quarantineUntilMs)
    const nextMs = Math.min(...ends.filter((end) => end > nowMs))
    const { grainMs } = this.#tempo
    const grains = Math.ceil((nextMs - nowMs) / grainMs) + offset
    if (Number.isFinite(grains) && grains > 0) await this.#arena.pass(grains * grainMs)
  }
}

/** With the number that is due, and at once. */
function inTime(what: { readonly do: 'campaign' | 'withdraw'; readonly lease: string }): NumberedCommand {
  return { ...what, who: 0, shift: 0, delayed: false, unaware: false }
}
