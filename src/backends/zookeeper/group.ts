/**
 * What one session has to do with one group. The members are the children of a node that has their number of partitions for its name, so
 * that there can be no member with another number; and the group's version is the last transaction that has changed these children.
 */
import type { JoinAnswer, LeaveAnswer, Member, MemberEntry, MembersAnswer } from '../port.ts'
import { ANY_VERSION, type Change } from './client/changes.ts'
import { LostError, wasRefused } from './client/errors.ts'
import type { Desk } from './desk.ts'
import { formatMember, readMember } from './records.ts'
import { Commands, Turns } from './turns.ts'

/** Others may join and leave meanwhile. */
const MOST_ATTEMPTS = 10

export class Group {
  readonly #desk: Desk
  readonly #name: string
  readonly #turns = new Turns()
  readonly #commands = new Commands(this.#turns, () => this.#find())
  #entry: MemberEntry | null = null
  #version = 0
  /** The version that this session has made itself: no news. */
  #ownVersion = 0
  /** Nothing is watched that should be. */
  #isLoose = false
  /** Finding out the new version. */
  #looking: Promise<void> = Promise.resolve()

  constructor(desk: Desk, name: string) {
    this.#desk = desk
    this.#name = name
  }

  /** Null where this session is no member. */
  get version(): number | null {
    return this.#entry && this.#version
  }

  /** Whether there is nothing to remember. */
  get isBlank(): boolean {
    return this.#turns.isIdle && !this.#entry && this.#commands.isCertain
  }

  join(entry: MemberEntry): Promise<JoinAnswer> {
    return this.#commands.take(async () => {
      if (this.#entry && isSame(this.#entry, entry)) return { kind: 'joined' }
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const present = this.#entry?.partitions ?? (await this.#readPartitions())
        if (typeof present === 'number' && present !== entry.partitions && (await this.#hasOthers(present))) {
          await this.#exit()
          return { kind: 'mismatch', partitions: present }
        }
        if (await this.#enter(entry, present)) return { kind: 'joined' }
      }
      throw new LostError(`too many join and leave the group ${this.#name} at once`)
    })
  }

  leave(): Promise<LeaveAnswer> {
    return this.#commands.take(async () => {
      await this.#exit()
      return { kind: 'left' }
    })
  }

  async members(): Promise<MembersAnswer> {
    const { client, token } = this.#desk
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const partitions = this.#entry?.partitions ?? (await this.#readPartitions())
      if (typeof partitions !== 'number') return { kind: 'members', version: 0, members: [] }
      const path = this.#membersPath(partitions)
      try {
        const { names, stat } = await client.children(path)
        const members = await Promise.all(names.map((session) => this.#readMember(path, session)))
        return {
          kind: 'members',
          version: token(stat.pzxid),
          members: members.flatMap((member) => member ?? []).sort((a, b) => (a.session < b.session ? -1 : 1)),
        }
      } catch (error) {
        if (!wasRefused(error, 'NoNode')) throw error
      }
    }
    throw new LostError(`too many join and leave the group ${this.#name} at once`)
  }

  /** The connection is back, or somebody wants to know for certain: watches what should be watched. */
  mend(): void {
    if (this.#isLoose) this.#lookAgain()
  }

  /** Resolves when everything that the server has told so far is understood. */
  settled(): Promise<void> {
    return this.#looking
  }

  /** Reads what this session really has here. */
  async #find(): Promise<void> {
    const { session } = this.#desk
    const partitions = await this.#readPartitions()
    const member =
      typeof partitions === 'number' ? await this.#readMember(this.#membersPath(partitions), session) : null
    this.#entry = member && { partitions: member.partitions, resting: member.resting }
    if (this.#entry) await this.#look()
  }

  /** Returns whether this session is a member with this entry now. Where it is not, things were not as they seemed. */
  async #enter(entry: MemberEntry, present: number | 'none' | 'no group'): Promise<boolean> {
    const { node, session, token } = this.#desk
    const { partitions } = entry
    const group = this.#desk.paths.group(this.#name)
    const path = `${this.#membersPath(partitions)}/${session}`
    const data = formatMember(node, entry)
    const room: readonly Change[] = [container(group), container(this.#membersPath(partitions))]
    const changes: readonly Change[] = [
      ...this.#exiting(),
      ...(present === 'no group' ? room : []),
      // Made anew, and not only filled, so that of two who do this at once one is refused.
      ...(present === 'none' ? [remove(group), ...room] : []),
      ...(typeof present === 'number' && present !== partitions
        ? [remove(this.#membersPath(present)), container(this.#membersPath(partitions))]
        : []),
      { type: 'create', path, data, kind: 'ephemeral' },
      // Of a node that was only created, the server does not tell the transaction.
      { type: 'set', path, data, version: 0 },
    ]
    try {
      const changed = await this.#desk.commit(...changes)
      this.#entry = { partitions, resting: [...entry.resting] }
      this.#ownVersion = token(changed.at(-1)!.stat!.mzxid)
    } catch (error) {
      if (!wasRefused(error, 'NoNode', 'NodeExists', 'NotEmpty')) throw error
      await this.#find()
      return false
    }
    await this.#look()
    return true
  }

  async #exit(): Promise<void> {
    const partitions = this.#entry?.partitions
    if (partitions === undefined) return
    const { client, paths } = this.#desk
    const path = this.#membersPath(partitions)
    client.unwatch('children', path)
    try {
      await this.#desk.commit(...this.#exiting())
    } catch (error) {
      // Deleted by an operator.
      if (!wasRefused(error, 'NoNode')) throw error
    }
    this.#entry = null
    // Refused where somebody is in the group. How many were there a moment ago says nothing: several may leave at once.
    client.change(remove(path), remove(paths.group(this.#name))).catch(() => {})
  }

  #exiting(): readonly Change[] {
    return this.#entry ? [remove(`${this.#membersPath(this.#entry.partitions)}/${this.#desk.session}`)] : []
  }

  async #hasOthers(partitions: number): Promise<boolean> {
    try {
      const { names } = await this.#desk.client.children(this.#membersPath(partitions))
      return names.some((session) => session !== this.#desk.session)
    } catch (error) {
      if (wasRefused(error, 'NoNode')) return false
      throw error
    }
  }

  /** Reads the version, and watches for the next one. */
  async #look(): Promise<void> {
    if (!this.#entry) return
    this.#isLoose = true
    const path = this.#membersPath(this.#entry.partitions)
    const { stat } = await this.#desk.client.children(path, () => this.#lookAgain())
    this.#isLoose = false
    const version = this.#desk.token(stat.pzxid)
    const isNews = version > this.#version && version !== this.#ownVersion
    this.#version = version
    if (isNews) this.#desk.hint({ type: 'members.changed', group: this.#name })
  }

  #lookAgain(): void {
    this.#isLoose = true
    this.#looking = this.#turns.take(() => (this.#isLoose ? this.#look() : Promise.resolve())).catch(() => {})
  }

  /** The number that the present members have, `none` where there was a group, and `no group` where there is none. */
  async #readPartitions(): Promise<number | 'none' | 'no group'> {
    try {
      const { names } = await this.#desk.client.children(this.#desk.paths.group(this.#name))
      return names[0] === undefined ? 'none' : Number(names[0])
    } catch (error) {
      if (wasRefused(error, 'NoNode')) return 'no group'
      throw error
    }
  }

  async #readMember(path: string, session: string): Promise<Member | null> {
    try {
      const { data } = await this.#desk.client.data(`${path}/${session}`)
      return { session, ...readMember(data) }
    } catch (error) {
      if (wasRefused(error, 'NoNode')) return null
      throw error
    }
  }

  #membersPath(partitions: number): string {
    return `${this.#desk.paths.group(this.#name)}/${partitions}`
  }
}

function container(path: string): Change {
  return { type: 'create', path, data: '', kind: 'container' }
}

function remove(path: string): Change {
  return { type: 'delete', path, version: ANY_VERSION }
}

function isSame(one: MemberEntry, other: MemberEntry): boolean {
  return (
    one.partitions === other.partitions &&
    one.resting.length === other.resting.length &&
    one.resting.every((partition, index) => partition === other.resting[index])
  )
}
