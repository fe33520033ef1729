/** A session as its client sees it: each method is one call on the records. */
import { SimbaError } from '../../model/errors.ts'
import type {
  CampaignAnswer,
  Inbox,
  JoinAnswer,
  LeaveAnswer,
  LookAnswer,
  MemberEntry,
  MembersAnswer,
  OpenAnswer,
  ReleaseAnswer,
  RenewAnswer,
  RenewRequest,
  Session,
  SessionOptions,
  WithdrawAnswer,
} from '../port.ts'
import type { Call } from './call.ts'
import { groupsOf, join, leave, membersOf } from './groups.ts'
import { campaign, grantsOf, offersTo, release, withdraw } from './leases.ts'
import { closeSession, reap } from './reaper.ts'
import type { Records } from './records.ts'
import { admit, extendSession, isOpen, openSession } from './sessions.ts'

/** A file keeps its memory: there is no other epoch. */
const EPOCH = 1

const UNKNOWN = { kind: 'unknown' } as const

export class SqliteSession implements Session {
  readonly id: string
  readonly #options: SessionOptions
  readonly #records: Records
  #state: 'new' | 'open' | 'closed' = 'new'

  constructor(id: string, options: SessionOptions, records: Records) {
    this.id = id
    this.#options = options
    this.#records = records
  }

  async open(): Promise<OpenAnswer> {
    const isOpened =
      this.#state !== 'closed' &&
      (await this.#records.write((call) => openSession(call, this.id, this.#options, this.#state === 'new')))
    if (!isOpened) {
      throw new SimbaError('BACKEND_UNAVAILABLE', `Session ${this.id} is over and cannot be opened again.`)
    }
    if (this.#state === 'new') this.#state = 'open'
    return { epoch: EPOCH }
  }

  renew({ settled, epoch }: RenewRequest): Promise<RenewAnswer> {
    return this.#records.write((call) => {
      if (!isOpen(call, this.id)) return UNKNOWN
      extendSession(call, this.id, settled)
      const nextExpiryInMs = reap(call, this.id)
      const answer = { kind: 'renewed', inbox: this.#inbox(call), nextExpiryInMs, epoch: EPOCH } as const
      return epoch === EPOCH ? answer : { ...answer, holds: grantsOf(call, this.id) }
    })
  }

  look(): Promise<LookAnswer> {
    return this.#records.read((call) => (isOpen(call, this.id) ? { kind: 'inbox', inbox: this.#inbox(call) } : UNKNOWN))
  }

  campaign(lease: string, number: number): Promise<CampaignAnswer> {
    return this.#command('lease', lease, number, (call) => campaign(call, this.id, lease))
  }

  withdraw(lease: string, number: number): Promise<WithdrawAnswer> {
    return this.#command('lease', lease, number, (call) => {
      withdraw(call, this.id, lease)
      return { kind: 'withdrawn' }
    })
  }

  release(lease: string, token: number, number: number): Promise<ReleaseAnswer> {
    return this.#command('lease', lease, number, (call) => release(call, this.id, lease, token))
  }

  join(group: string, entry: MemberEntry, number: number): Promise<JoinAnswer> {
    return this.#command('group', group, number, (call) => join(call, this.id, group, entry))
  }

  leave(group: string, number: number): Promise<LeaveAnswer> {
    return this.#command('group', group, number, (call) => {
      leave(call, this.id, group)
      return { kind: 'left' }
    })
  }

  members(group: string): Promise<MembersAnswer> {
    return this.#records.read((call) =>
      isOpen(call, this.id) ? { kind: 'members', ...membersOf(call, group) } : UNKNOWN,
    )
  }

  close(): Promise<void> {
    this.#state = 'closed'
    return this.#records.write((call) => closeSession(call, this.id))
  }

  #command<Answer>(
    kind: 'lease' | 'group',
    name: string,
    number: number,
    effect: (call: Call) => Answer,
  ): Promise<Answer | { readonly kind: 'stale' | 'unknown' }> {
    return this.#records.write((call) => {
      const admission = admit(call, this.id, kind, name, number)
      return admission === 'admitted' ? effect(call) : { kind: admission }
    })
  }

  #inbox(call: Call): Inbox {
    return { freed: offersTo(call, this.id), groups: groupsOf(call, this.id) }
  }
}
