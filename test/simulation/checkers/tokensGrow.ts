/** Each grant has a greater token than all before it, and each term has the token of one grant to its own node and of no other term. */
import type { Checker } from './checker.ts'

export const tokensGrow: Checker = (cluster, report) => {
  const { book } = cluster
  const started = new Set<number>()
  let last = 0

  return (fact) => {
    if (fact.type === 'executed') {
      const { method, args, answer } = fact.executed
      const { kind, token } = (answer ?? {}) as { readonly kind?: string; readonly token?: number }
      if (method !== 'campaign' || kind !== 'granted' || token === undefined) return
      if (!Number.isSafeInteger(token) || token <= last) report(`The token ${token} of ${args[0]} follows ${last}.`)
      last = token
    }
    if (fact.type === 'term.started') {
      const { lease, token, node } = fact.term
      const grant = book.grant(token)
      if (grant?.lease !== lease || grant.node !== node.name)
        report(`Term ${token} of ${lease} on ${node.name} was not granted to it.`)
      if (started.has(token)) report(`Term ${token} of ${lease} has started twice.`)
      started.add(token)
    }
    if ('run' in fact && fact.run.of.term.token !== fact.run.of.token) report('The token of a term has changed.')
  }
}
