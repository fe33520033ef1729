/** One session in a contract case, with its hints, its growing numbers, and the answers that most cases expect of it. */
import assert from 'node:assert/strict'
import type {
  CampaignAnswer,
  Connection,
  Hint,
  Inbox,
  JoinAnswer,
  LeaveAnswer,
  Member,
  ReleaseAnswer,
  RenewAnswer,
  Session,
  SessionOptions,
  WithdrawAnswer,
} from '../port.ts'

type Renewed = Extract<RenewAnswer, { readonly kind: 'renewed' }>

export class Player {
  readonly node: string
  readonly session: Session
  readonly connection: Connection
  /** What was pushed about leases and groups; how the way to the store fares is no matter of these cases. */
  readonly hints: Hint[] = []
  #number = 0
  #epoch = 0

  constructor(connection: Connection, options: SessionOptions) {
    this.node = options.node
    this.connection = connection
    this.session = connection.session(options, (hint) => {
      if (hint.type === 'lease.freed' || hint.type === 'members.changed') this.hints.push(hint)
    })
  }

  get id(): string {
    return this.session.id
  }

  /** The epoch that this player last heard of. */
  get epoch(): number {
    return this.#epoch
  }

  async open(): Promise<void> {
    const { epoch } = await this.session.open()
    this.#epoch = epoch
  }

  campaign(lease: string, number = this.next()): Promise<CampaignAnswer> {
    return this.session.campaign(lease, number)
  }

  withdraw(lease: string, number = this.next()): Promise<WithdrawAnswer> {
    return this.session.withdraw(lease, number)
  }

  release(lease: string, token: number, number = this.next()): Promise<ReleaseAnswer> {
    return this.session.release(lease, token, number)
  }

  join(group: string, partitions: number, resting: readonly number[] = [], number = this.next()): Promise<JoinAnswer> {
    return this.session.join(group, { partitions, resting }, number)
  }

  leave(group: string, number = this.next()): Promise<LeaveAnswer> {
    return this.session.leave(group, number)
  }

  /** Renews with the epoch that it last heard of, whatever the answer. */
  async renew(settled = 0): Promise<RenewAnswer> {
    const answer = await this.session.renew({ settled, epoch: this.#epoch })
    if (answer.kind === 'renewed') this.#epoch = answer.epoch
    return answer
  }

  async renewed(settled = 0): Promise<Renewed> {
    const answer = await this.renew(settled)
    if (answer.kind !== 'renewed') assert.fail(`the renewal of ${this.node} was answered with ${answer.kind}`)
    return answer
  }

  async inbox(): Promise<Inbox> {
    const answer = await this.session.look()
    if (answer.kind !== 'inbox') assert.fail(`the look of ${this.node} was answered with ${answer.kind}`)
    return answer.inbox
  }

  /** Campaigns, is granted, and returns the token. */
  async win(lease: string): Promise<number> {
    const answer = await this.campaign(lease)
    if (answer.kind !== 'granted') assert.fail(`${this.node} campaigned for ${lease}: ${JSON.stringify(answer)}`)
    return answer.token
  }

  /** Campaigns, and stands in line behind this holder. */
  async queue(lease: string, holder: string): Promise<void> {
    assert.deepEqual(await this.campaign(lease), { kind: 'held', holder })
  }

  /** Joins and is a member. */
  async enroll(group: string, partitions: number, resting: readonly number[] = []): Promise<void> {
    assert.deepEqual(await this.join(group, partitions, resting), { kind: 'joined' })
  }

  async free(lease: string, token: number): Promise<void> {
    assert.deepEqual(await this.release(lease, token), { kind: 'released' })
  }

  async members(group: string): Promise<{ readonly version: number; readonly members: readonly Member[] }> {
    const answer = await this.session.members(group)
    if (answer.kind !== 'members') assert.fail(`${this.node} asked for members: ${answer.kind}`)
    return answer
  }

  /** Whether a hint for this lease has come. Forgets it. */
  takeLeaseHint(lease: string): boolean {
    return this.#take((hint) => hint.type === 'lease.freed' && hint.lease === lease)
  }

  /** Whether a hint for this group has come. Forgets it. */
  takeGroupHint(group: string): boolean {
    return this.#take((hint) => hint.type === 'members.changed' && hint.group === group)
  }

  /** The next number of this session. */
  next(): number {
    this.#number += 1
    return this.#number
  }

  #take(wanted: (hint: Hint) => boolean): boolean {
    const kept = this.hints.filter((hint) => !wanted(hint))
    const taken = kept.length < this.hints.length
    this.hints.splice(0, this.hints.length, ...kept)
    return taken
  }
}

/** What every call of an unknown session is answered with, `close` and `open` apart. */
export async function assertUnknownToAll(player: Player): Promise<void> {
  const unknown = { kind: 'unknown' }
  assert.deepEqual(await player.renew(), unknown)
  assert.deepEqual(await player.session.look(), unknown)
  assert.deepEqual(await player.campaign('any'), unknown)
  assert.deepEqual(await player.withdraw('any'), unknown)
  assert.deepEqual(await player.release('any', 1), unknown)
  assert.deepEqual(await player.join('any', 4), unknown)
  assert.deepEqual(await player.leave('any'), unknown)
  assert.deepEqual(await player.session.members('any'), unknown)
}
