/** The store's side as a checker keeps it: every grant and when it ended, by what was asked of the store and answered. */
import type { CampaignAnswer } from '../../../src/backends/port.ts'
import type { Executed } from '../../../src/testing.ts'

export interface Grant {
  readonly lease: string
  readonly token: number
  readonly session: string
  readonly node: string
  readonly atMs: number
  /** Released, withdrawn, or gone with a session that was closed. A session that ran out is not in this book. */
  isGivenBack: boolean
}

export class StoreBook {
  readonly #byToken = new Map<number, Grant>()
  readonly #lastOf = new Map<string, Grant>()

  /** Returns the grant, where it is one. */
  note({ node, session, method, args, answer }: Executed, atMs: number): Grant | undefined {
    const lease = args[0] as string
    const last = this.#lastOf.get(lease)
    const kind = (answer as { readonly kind?: string } | undefined)?.kind
    if (method === 'campaign' && kind === 'granted') {
      const { token } = answer as Extract<CampaignAnswer, { kind: 'granted' }>
      const grant: Grant = { lease, token, session, node, atMs, isGivenBack: false }
      this.#byToken.set(token, grant)
      this.#lastOf.set(lease, grant)
      return grant
    }
    const givesBack = (method === 'release' && kind === 'released') || (method === 'withdraw' && kind === 'withdrawn')
    if (givesBack && last?.session === session) last.isGivenBack = true
    if (method === 'close') {
      for (const grant of this.#lastOf.values()) if (grant.session === session) grant.isGivenBack = true
    }
    return undefined
  }

  /** The last grant of each lease, where nobody has given it back. */
  open(): readonly Grant[] {
    return [...this.#lastOf.values()].filter(({ isGivenBack }) => !isGivenBack)
  }

  last(lease: string): Grant | undefined {
    return this.#lastOf.get(lease)
  }

  grant(token: number): Grant | undefined {
    return this.#byToken.get(token)
  }
}
