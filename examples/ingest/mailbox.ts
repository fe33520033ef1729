/** Reports of all nodes, to be awaited in the order of a story. Whoever waits gives up when the nodes have been silent for too long. */
import type { Kind, Letter } from './messages.ts'

interface Waiter {
  readonly kind: Kind
  readonly take: (letter: Letter) => boolean
  readonly reject: (error: Error) => void
}

const LONGEST_SILENCE_MS = 20_000
/** Of each kind. What nobody has asked for by then is old news. */
const MOST_KEPT = 100

export class Mailbox {
  readonly #letters = new Map<Kind, Letter[]>()
  #waiter: Waiter | undefined
  #failure: Error | undefined
  #silence: NodeJS.Timeout | undefined

  put(letter: Letter): void {
    if (this.#waiter?.kind === letter.kind && this.#waiter.take(letter)) {
      this.#endWait()
      return
    }
    if (this.#waiter) this.#endSilence()
    const kept = this.#letters.get(letter.kind) ?? []
    this.#letters.set(letter.kind, kept)
    if (kept.push(letter) > MOST_KEPT) kept.shift()
  }

  /** The story cannot go on. */
  fail(error: Error): void {
    this.#failure ??= error
    this.#waiter?.reject(this.#failure)
    this.#endWait()
  }

  /** The next letter of this kind that matches; those before it are dropped. One at a time may wait. */
  next<K extends Kind>(kind: K, matches: (letter: Letter<K>) => boolean = () => true): Promise<Letter<K>> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure)
      const take = (letter: Letter) => {
        const isIt = matches(letter as Letter<K>)
        if (isIt) resolve(letter as Letter<K>)
        return isIt
      }
      const kept = this.#letters.get(kind) ?? []
      while (kept.length > 0) if (take(kept.shift()!)) return
      this.#waiter = { kind, take, reject }
      this.#endSilence()
    })
  }

  /** One that has come already. */
  find<K extends Kind>(kind: K, matches: (letter: Letter<K>) => boolean): Letter<K> | undefined {
    return (this.#letters.get(kind) as Letter<K>[] | undefined)?.find(matches)
  }

  #endWait(): void {
    clearTimeout(this.#silence)
    this.#waiter = undefined
  }

  #endSilence(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(
      () => this.fail(new Error(`Nothing was heard of the nodes for ${LONGEST_SILENCE_MS / 1000} s.`)),
      LONGEST_SILENCE_MS,
    )
  }
}
