/** Which term it is: a lease, and the token of the grant. Everything that a machine says about a term carries this. */

export interface TermKey {
  readonly lease: string
  readonly token: number
  /** Where the lease is a partition's. */
  readonly partition?: number
}

/** The key out of a machine's context, for the params of an effect. */
export function termKey({ context: { lease, token, partition } }: { readonly context: TermKey }): TermKey {
  return partition === undefined ? { lease, token } : { lease, token, partition }
}
