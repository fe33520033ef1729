/** Lets one command at a time at a thing that has several steps to a command. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  get isIdle(): boolean {
    return this.#waiting === 0
  }

  async take<A>(command: () => Promise<A>): Promise<A> {
    this.#waiting += 1
    const turn = this.#last.then(command, command)
    this.#last = turn
    try {
      return await turn
    } finally {
      this.#waiting -= 1
    }
  }
}

/** Commands at a thing of which one's own memory may be wrong: after one whose outcome is unknown, what is really there is read first. */
export class Commands {
  readonly #turns: Turns
  readonly #find: () => Promise<void>
  #memory: 'certain' | 'uncertain' = 'certain'

  constructor(turns: Turns, find: () => Promise<void>) {
    this.#turns = turns
    this.#find = find
  }

  get isCertain(): boolean {
    return this.#memory === 'certain'
  }

  take<A>(command: () => Promise<A>): Promise<A> {
    return this.#turns.take(async () => {
      try {
        if (!this.isCertain) await this.#find()
        this.#memory = 'certain'
        return await command()
      } catch (error) {
        this.#memory = 'uncertain'
        throw error
      }
    })
  }
}
