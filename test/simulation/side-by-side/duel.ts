/**
 * A duel between a store and the model: commands in any order, and then an end in which all lines are taken apart and all sessions run
 * out, so that what was hidden until then comes to light.
 */
import type { SessionOptions } from '../../../src/backends/port.ts'
import { Arena } from './arena.ts'
import { CLIENTS, type Command, LEASES, type Tempo } from './command.ts'
import type { Contestant } from './contestant.ts'
import type { Pair } from './likeness.ts'
import type { Message, Player } from './player.ts'

/** More than can be left to end when the commands are over. */
const LAST_ROUNDS = 50

interface Granted {
  readonly player: Player
  readonly lease: string
  readonly tokens: Pair<number>
}

/** Throws where the store does something else than the model, and tells everything that was done until then. */
export async function duel(contestant: Contestant, tempo: Tempo, commands: readonly Command[]): Promise<void> {
  const arena = new Arena(contestant)
  try {
    const play = new Duel(arena, tempo, contestant)
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
  readonly #clients: readonly Player[][]
  readonly #granted: Granted[] = []

  constructor(arena: Arena, tempo: Tempo, contestant: Contestant) {
    this.#arena = arena
    this.#tempo = tempo
    this.#contestant = contestant
    const [leaseDurationMs = 0] = tempo.leasesMs
    const [renewIntervalMs = 0] = tempo.renewalsMs
    this.#clients = Array.from({ length: CLIENTS }, (_, who) => [
      arena.enroll({ node: nameOf(who, 0), leaseDurationMs, renewIntervalMs }),
    ])
  }

  /** Some stores grant nothing while they are young. */
  async begin(): Promise<void> {
    if (!this.#contestant.hasOwnAge) return
    await this.#comeAndGo()
    while (this.#untilNextEnd() > 0) await this.#pass(this.#untilNextEnd())
  }

  async do(command: Command): Promise<void> {
    switch (command.do) {
      case 'open': {
        const sessions = this.#clients[command.who]!
        const options = { node: nameOf(command.who, sessions.length), leaseDurationMs: command.leaseMs, renewIntervalMs: command.renewMs }
        const player = this.#arena.enroll(options)
        sessions.push(player)
        return this.#open(player)
      }
      case 'reopen':
        return this.#arena.reopen(this.#present(command.who))
      case 'renew': {
        const player = this.#present(command.who)
        const settled = command.settled < 0 ? 0 : Math.max(0, player.number - command.settled)
        return this.#renew(player, settled, command.epoch)
      }
      case 'campaign': {
        const { lease } = command
        return this.#send(command, `campaigns for ${lease}`, (number) => (session) => session.campaign(lease, number), lease)
      }
      case 'withdraw': {
        const { lease } = command
        return this.#send(command, `withdraws from ${lease}`, (number) => (session) => session.withdraw(lease, number))
      }
      case 'release': {
        const { lease } = command
        const tokens = this.#tokens(command.token, this.#present(command.who), lease)
        return this.#send(command, `releases ${lease} (${command.token} token)`, (number) => (session, side) =>
          session.release(lease, tokens[side], number),
        )
      }
      case 'join': {
        const { group, partitions, resting } = command
        return this.#send(command, `joins ${group} (${partitions}, resting ${resting})`, (number) => (session) =>
          session.join(group, { partitions, resting }, number),
        )
      }
      case 'leave': {
        const { group } = command
        return this.#send(command, `leaves ${group}`, (number) => (session) => session.leave(group, number))
      }
      case 'close':
        return this.#close(this.#present(command.who))
      case 'arrive': {
        const message = this.#clients[command.who]!.flatMap(({ sent }) => sent).at(-1 - command.back)
        return message && this.#deliver(message)
      }
      case 'pass':
        return this.#pass(command.ms)
      case 'passAwake':
        await this.#pass(command.ms)
        for (let who = 0; who < CLIENTS; who++) await this.#renew(this.#present(who))
        return
      case 'passToNext':
        return this.#pass(this.#untilNextEnd() + command.offsetMs)
      case 'stepBack':
        if (this.#contestant.cutsOffers || this.#arena.facts.offers.length === 0) await this.#arena.pass(-command.ms)
        return
      case 'stepWall':
        return this.#arena.stepWall(command.ms)
      case 'restart':
        await this.#arena.restart(command.data)
        if (this.#contestant.hasOwnAge) await this.#comeAndGo()
        return
    }
  }

  /** Whoever has or wants something gives it up, one by one, and whoever is left runs out. */
  async tidyUp(): Promise<void> {
    const clerk = this.#arena.enroll(this.#clerk)
    await this.#open(clerk)
    await this.#renew(clerk)
    for (const lease of LEASES) {
      for (let round = 0; round < LAST_ROUNDS; round++) {
        const { holds, offers, places } = this.#arena.facts
        const next = [...holds, ...offers, ...places].find((fact) => fact.lease === lease)
        const player = this.#arena.players.find(({ id }) => id === next?.session)
        if (!player) break
        await this.#number(player, 0, `withdraws from ${lease}`, (number) => (session) => session.withdraw(lease, number))
      }
    }
    for (let round = 0; round < LAST_ROUNDS && this.#arena.facts.sessions.length > 1; round++) {
      await this.#pass(this.#untilNextEnd())
      await this.#renew(clerk)
    }
    await this.#close(clerk)
  }

  /** A session so brief that nobody sees it. */
  async #comeAndGo(): Promise<void> {
    const player = this.#arena.enroll(this.#clerk)
    await this.#open(player)
    await this.#close(player)
  }

  get #clerk(): SessionOptions {
    return { node: 'clerk', leaseDurationMs: Math.max(...this.#tempo.leasesMs), renewIntervalMs: Math.min(...this.#tempo.renewalsMs) }
  }

  #open(player: Player): Promise<void> {
    const { leaseDurationMs, renewIntervalMs } = player.options
    return this.#deliver({ player, text: `opens (${leaseDurationMs} ms, ${renewIntervalMs} ms)`, ask: (session) => session.open() })
  }

  #renew(player: Player, settled = 0, epoch: 'known' | 'earlier' = 'known'): Promise<void> {
    const told = player.epochs.at(epoch === 'known' ? -1 : -2) ?? 0
    const text = `renews (settled #${settled}, epoch ${told})`
    return this.#deliver({ player, text, ask: (session) => session.renew({ settled, epoch: told }) })
  }

  #close(player: Player): Promise<void> {
    player.isClosed = true
    return this.#deliver({ player, text: 'closes', ask: (session) => session.close() })
  }

  /** Sends a numbered command now, or leaves it on its way. */
  async #send(
    command: { readonly who: number; readonly shift: number; readonly delayed: boolean },
    text: string,
    ask: (number: number) => Message['ask'],
    lease?: string,
  ): Promise<void> {
    const player = this.#present(command.who)
    const message = this.#numbered(player, command.shift, text, ask, lease)
    if (command.delayed) this.#arena.note(`${player.node} ${message.text}, on its way`)
    else await this.#deliver(message)
  }
}
