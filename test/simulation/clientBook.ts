/** The clients' side as somebody keeps it who only hears what they publish: lives, sessions, rests and stops. All instants are in true time. */
import type { SimbaEvent } from '../../src/index.ts'
import type { SimulatedNode } from '../../src/testing.ts'

interface Rest {
  readonly fromMs: number
  readonly untilMs: number
}

export class ClientBook {
  readonly #bornAtMs = new Map<object, number>()
  readonly #sessions = new Map<object, string>()
  readonly #lost = new Set<string>()
  readonly #rests = new Map<string, Rest>()
  readonly #stoppedAtMs = new Map<string, number>()

  /** A client begins, for the first time or again. */
  started({ name, process }: SimulatedNode, nowMs: number): void {
    if (!this.#bornAtMs.has(process)) this.#bornAtMs.set(process, nowMs)
    this.#stoppedAtMs.delete(name)
    for (const key of this.#rests.keys()) if (key.startsWith(`${name} `)) this.#rests.delete(key)
  }

  stopped({ name }: SimulatedNode, nowMs: number): void {
    this.#stoppedAtMs.set(name, nowMs)
  }

  /** A duty is declared anew: its rests are over. */
  engaged({ name }: SimulatedNode, isOfDuty: (lease: string) => boolean): void {
    for (const key of this.#rests.keys()) {
      const [node, lease] = key.split(' ')
      if (node === name && isOfDuty(lease!)) this.#rests.delete(key)
    }
  }

  note({ name, process, clock }: SimulatedNode, event: SimbaEvent, nowMs: number): void {
    switch (event.type) {
      case 'session.opened':
        this.#sessions.set(process, event.session)
        break
      case 'session.lost':
        this.#lost.add(event.session)
        this.#sessions.delete(process)
        break
      case 'session.closed':
        this.#sessions.delete(process)
        break
      case 'election.stepped-down':
        this.#rests.set(`${name} ${event.lease}`, { fromMs: nowMs, untilMs: nowMs + event.restMs / clock.rate })
        break
    }
  }

  /** When the process began. */
  bornAtMs(process: object): number {
    return this.#bornAtMs.get(process) ?? 0
  }

  /** The present session of the process. */
  session(process: object): string | undefined {
    return this.#sessions.get(process)
  }

  isLost(session: string): boolean {
    return this.#lost.has(session)
  }

  /** The last time that the node said it would stay away from the lease. */
  rest(node: string, lease: string): Rest | undefined {
    return this.#rests.get(`${node} ${lease}`)
  }

  isStopped(node: string): boolean {
    return this.#stoppedAtMs.has(node)
  }

  /** Since when the client of the node is stopped; Infinity while it is not. */
  stoppedAtMs(node: string): number {
    return this.#stoppedAtMs.get(node) ?? Number.POSITIVE_INFINITY
  }
}
