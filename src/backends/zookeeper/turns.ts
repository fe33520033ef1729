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
