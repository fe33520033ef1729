/** All groups that a session has to do with. */
import type { Desk } from './desk.ts'
import { Group } from './group.ts'

export class Groups {
  readonly #desk: Desk
  readonly #groups = new Map<string, Group>()

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async with<A>(name: string, command: (group: Group) => Promise<A>): Promise<A> {
    const group = this.#groups.get(name) ?? new Group(this.#desk, name)
    this.#groups.set(name, group)
    try {
      return await command(group)
    } finally {
      if (group.isBlank) this.#groups.delete(name)
    }
  }

  /** Of those that this session has joined. */
  versions(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#groups].flatMap(([name, { version }]) => (version === null ? [] : [[name, version]])),
    )
  }

  mend(): void {
    for (const [name, group] of this.#groups) {
      group.mend()
      if (group.isBlank) this.#groups.delete(name)
    }
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.settled()))
  }
}
