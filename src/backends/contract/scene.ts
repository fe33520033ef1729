/**
 * The stage of a contract case: one fresh namespace, the sessions that play in it, and what the cases ask again and again.
 * Knows the port only. Everything that was opened here is closed when the case is over.
 */
import assert from 'node:assert/strict'
import type { Clock } from '../../model/clock.ts'
import type { BackendEnvironment, Connection, Inbox, SessionOptions, Survey } from '../port.ts'
import type { ContractCase, ContractHarness } from './case.ts'
import { Player } from './player.ts'

const systemClock: Clock = { now: () => performance.now(), wallMs: () => Date.now() }

/** The longest lease duration of any player, in lease durations of the harness. */
export const LONG = 4

/** How often a wait looks before it gives up. */
const LOOKS = 60

/** Makes a contract case from a promise and a play. */
export function contractCase(
  name: string,
  play: (scene: Scene) => Promise<void>,
  needs: Pick<ContractCase, 'needs'> = {},
): ContractCase {
  return {
    name,
    ...needs,
    async run(harness) {
      const scene = new Scene(harness)
      try {
        await scene.awaitGranting()
        await play(scene)
      } finally {
        await scene.end()
      }
    },
  }
}

export class Scene {
  readonly leaseMs: number
  readonly renewMs: number
  /** More than any clock's grain. */
  readonly slackMs: number
  readonly namespace = freshNamespace()
  readonly logged: string[] = []
  readonly #harness: ContractHarness
  readonly #players: Player[] = []
  readonly #connections: Connection[] = []
  #observer: Connection | undefined

  constructor(harness: ContractHarness) {
    this.#harness = harness
    this.leaseMs = harness.leaseDurationMs ?? 1_000
    this.renewMs = Math.floor(this.leaseMs * 0.3)
    this.slackMs = Math.ceil(this.leaseMs / 50)
  }

  /** Whether the store pushes hints. Where it does not, its sessions look. */
  get pushes(): boolean {
    return this.#harness.backend().pollIntervalMs === undefined
  }

  connect(environment: Partial<BackendEnvironment> = {}): Connection {
    const log = (_details: object, message: string) => void this.logged.push(message)
    const connection = this.#harness.backend().connect({
      clock: this.#harness.clock ?? systemClock,
      random: Math.random,
      logger: { debug: log, info: log, warn: log, error: log },
      namespace: this.namespace,
      ...environment,
    })
    this.#connections.push(connection)
    return connection
  }

  /** A session with its own connection, not open yet. */
  backstage(node: string, options: Partial<SessionOptions> & { readonly namespace?: string } = {}): Player {
    const { namespace = this.namespace, ...rest } = options
    const player = new Player(this.connect({ namespace }), {
      node,
      leaseDurationMs: this.leaseMs,
      renewIntervalMs: this.renewMs,
      ...rest,
    })
    this.#players.push(player)
    return player
  }

  /** A session with its own connection, open. */
  async enter(node: string, options: Partial<SessionOptions> & { readonly namespace?: string } = {}): Promise<Player> {
    const player = this.backstage(node, options)
    await player.open()
    return player
  }

  /** Several open sessions that outlive any wait of a case without a renewal. */
  enterLong(...nodes: readonly string[]): Promise<Player[]> {
    return Promise.all(nodes.map((node) => this.enter(node, { leaseDurationMs: LONG * this.leaseMs })))
  }

  /** The holder of a lease as somebody without a session sees it. */
  async leader(lease: string) {
    this.#observer ??= this.connect()
    const [leader] = await this.#observer.leaders([lease])
    return leader ?? null
  }

  /** What an operator sees. */
  async survey(most = 100): Promise<Survey> {
    this.#observer ??= this.connect()
    const survey = await this.#observer.survey?.(most)
    assert.ok(survey, 'the connection has a survey()')
    return survey
  }

  pass(ms: number): Promise<void> {
    return this.#harness.pass(ms)
  }

  /** Lets pass what ends every session of the usual lease duration that does not renew. */
  passLease(): Promise<void> {
    return this.pass(this.leaseMs + this.slackMs)
  }

  /** Lets pass what ends an offer. */
  passOffer(): Promise<void> {
    return this.pass(this.renewMs + this.slackMs)
  }

  /** Waits until `done` holds, for at most half a lease duration. */
  async until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
    for (let look = 0; look < LOOKS; look++) {
      if (await done()) return
      await this.pass(look < 10 ? 0 : this.leaseMs / 100)
    }
    assert.fail(`not within half a lease duration: ${what}`)
  }

  /** The lease is offered to the player: by inbox, and by hint where the store pushes. Forgets the hint. */
  async assertOffered(player: Player, lease: string): Promise<void> {
    const { freed } = await player.inbox()
    assert.ok(freed.includes(lease), `${lease} is offered to ${player.node}; its inbox has ${JSON.stringify(freed)}`)
    if (this.pushes) await this.until(`hint to ${player.node} for ${lease}`, () => player.takeLeaseHint(lease))
  }

  /** The lease is not offered to any of the players, and no hint says so either. Only after somebody else's hint has come. */
  async assertNotOffered(lease: string, ...players: readonly Player[]): Promise<void> {
    for (const player of players) {
      const { freed } = await player.inbox()
      assert.ok(!freed.includes(lease), `${lease} is not offered to ${player.node}`)
      assert.ok(!player.takeLeaseHint(lease), `no hint to ${player.node} for ${lease}`)
    }
  }

  /** The player was told that the group's members changed, where the store pushes. Forgets the hint. */
  async assertToldOfGroup(player: Player, group: string): Promise<void> {
    if (this.pushes) await this.until(`hint to ${player.node} for group ${group}`, () => player.takeGroupHint(group))
  }

  /** Restarts the store and waits until every connection has found it again. */
  async restart(data: 'kept' | 'lost'): Promise<void> {
    assert.ok(this.#harness.restart, 'the harness can restart the store')
    await this.#harness.restart(data)
    for (const connection of this.#connections) {
      await this.until('the store answers again', () =>
        connection.leaders(['any']).then(
          () => true,
          () => false,
        ),
      )
    }
  }

  /** A store that has just been started grants nothing for a while; no case should begin in that while. */
  async awaitGranting(): Promise<void> {
    const probe = await this.enter('probe', { namespace: freshNamespace(), leaseDurationMs: LONG * this.leaseMs })
    await this.winInTime(probe, 'probe')
    await probe.session.close()
  }

  /** Waits for the end of a quarantine, and returns the token of the grant that follows. The others renew meanwhile, too. */
  async winInTime(player: Player, lease: string, ...others: readonly Player[]): Promise<number> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const answer = await player.campaign(lease)
      if (answer.kind === 'granted') return answer.token
      if (answer.kind !== 'quarantined')
        assert.fail(`${player.node} campaigned for ${lease}: ${JSON.stringify(answer)}`)
      await this.passAwake(answer.retryInMs + this.slackMs, player, ...others)
    }
    assert.fail(`${lease} is granted when its quarantine is over`)
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#players.map((player) => player.session.close()))
    await Promise.allSettled(this.#connections.map((connection) => connection.close()))
  }

  /** Lets time pass while these players renew. */
  async passAwake(ms: number, ...players: readonly Player[]): Promise<void> {
    for (let left = ms; left > 0; left -= this.renewMs) {
      await this.pass(Math.min(left, this.renewMs))
      await Promise.all(players.map((player) => player.renew()))
    }
  }
}

/** What an inbox is without anything in it. */
export const EMPTY_INBOX: Inbox = { freed: [], groups: {} }

export function freshNamespace(): string {
  return `contract-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`
}
