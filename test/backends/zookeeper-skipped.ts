/** The cases of the contract that ZooKeeper cannot pass, each with the reason. The documents print them. */

const NEXT_EXPIRY =
  'the server ends sessions by itself and tells by watches, so a renewal has nothing to be brought forward to'
const OVERDUE =
  'an offer stands as long as its session; the others look with each renewal, and take what they find free at two looks in a row'
const REAPING = 'the server frees everything of a session at once, so no renewal has anything to reap'
const ANY_REQUEST =
  'any request keeps a ZooKeeper session alive, also the one by which a dying candidate of this case asks for its offer'

export const SKIPPED: Readonly<Record<string, string>> = {
  'a renewal tells when the next other session could run out': NEXT_EXPIRY,
  'an open offer counts for the next expiry': NEXT_EXPIRY,
  'a lone candidate is offered the lease again': NEXT_EXPIRY,
  'an offer that is not taken goes to the next, and who let it lie goes to the end': OVERDUE,
  'an offer stands for a renew interval of whom it is made to': OVERDUE,
  'an offer goes round until somebody takes it': OVERDUE,
  'an overdue offer may move on by the renewal of its own session': OVERDUE,
  'an offer to a session that runs out goes to the next by a renewal by somebody else': ANY_REQUEST,
  'a lease that is offered to a session that has run out goes to whoever campaigns': ANY_REQUEST,
  'a session with many leases is reaped over several renewals, and is dead meanwhile': REAPING,
  'many places in line are given up over several renewals': REAPING,
}
