/** Which term it is: a lease, and the token of the grant. Everything that a machine says about a term carries this. */

export interface TermKey {
  readonly lease: string
  readonly token: number
  /** Where the lease is a partition's. */
  readonly partition?: number
}

/**
 * The key out of a machine's context, for the params of an effect. Where more is told with it, the key comes last: V8 gives each object
 * that begins with a spread a hidden class of its own (in Node 20), and there may be thousands of terms.
 */
export function termKey({ context: { lease, token, partition } }: { readonly context: TermKey }): TermKey {
  return partition === undefined ? { lease, token } : { lease, token, partition }
}
