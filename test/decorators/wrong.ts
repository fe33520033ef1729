/** What the compiler must refuse, in both modes: an error that does not come is an error. */
import type { Term } from 'simba-xstate'
import { SimbaLeader, SimbaPartitioned, SimbaScheduled } from 'simba-xstate/decorators'

export class WrongAttributes {
  // @ts-expect-error: both
  @SimbaScheduled({ name: 'a', fixedRate: '5s', fixedDelay: '5s' })
  both(): void {}

  // @ts-expect-error: neither
  @SimbaScheduled({ name: 'a' })
  neither(): void {}

  // @ts-expect-error: neither
  @SimbaPartitioned({ group: 'a', partitions: 4 })
  partitionedNeither(term: Term, partition: number): unknown {
    return [term, partition]
  }

  // @ts-expect-error: a schedule without a name
  @SimbaScheduled({ fixedRate: 1 })
  nameless(): void {}

  // @ts-expect-error: misspelt
  @SimbaScheduled({ name: 'a', fixRate: 1 })
  misspelt(): void {}

  // @ts-expect-error: a leader has no schedule
  @SimbaLeader({ name: 'a', fixedRate: 1 })
  leader(): void {}

  // @ts-expect-error: no number of partitions
  @SimbaPartitioned({ group: 'a', fixedRate: 1 })
  partitions(term: Term, partition: number): unknown {
    return [term, partition]
  }

  // @ts-expect-error: no such balance
  @SimbaPartitioned({ group: 'a', partitions: 1, fixedRate: 1, balance: 'even' })
  balance(term: Term, partition: number): unknown {
    return [term, partition]
  }
}

export class WrongParameters {
  // @ts-expect-error: two
  @SimbaScheduled({ name: 'a', fixedRate: 1 })
  scheduledTwo(term: Term, partition: number): unknown {
    return [term, partition]
  }

  // @ts-expect-error: not a term
  @SimbaScheduled({ name: 'a', fixedRate: 1 })
  scheduledText(term: string): string {
    return term
  }

  // @ts-expect-error: two
  @SimbaLeader({ name: 'a' })
  leaderTwo(term: Term, text: string): unknown {
    return [term, text]
  }

  // @ts-expect-error: the partition is forgotten
  @SimbaPartitioned({ group: 'a', partitions: 1, fixedRate: 1 })
  partitionedTerm(term: Term): unknown {
    return term
  }

  // @ts-expect-error: none
  @SimbaPartitioned({ group: 'a', partitions: 1, fixedRate: 1 })
  partitionedNone(): void {}

  // @ts-expect-error: the other way round
  @SimbaPartitioned({ group: 'a', partitions: 1, fixedRate: 1 })
  partitionedReversed(partition: number, term: Term): unknown {
    return [term, partition]
  }

  // @ts-expect-error: three
  @SimbaPartitioned({ group: 'a', partitions: 1, fixedRate: 1 })
  partitionedThree(term: Term, partition: number, third: number): unknown {
    return [term, partition, third]
  }
}

// @ts-expect-error: a class
@SimbaLeader({ name: 'a' })
export class WrongPlaces {
  // @ts-expect-error: a field
  @SimbaLeader({ name: 'a' })
  field = 5

  // @ts-expect-error: a field that is a function
  @SimbaLeader({ name: 'a' })
  arrow = async (term: Term) => term

  // @ts-expect-error: an accessor
  @SimbaLeader({ name: 'a' })
  get accessor(): number {
    return 5
  }

  // @ts-expect-error: a decorator that was not called
  @SimbaLeader
  uncalled(): void {}

  // @ts-expect-error: static
  @SimbaLeader({ name: 'a' })
  static method(): void {}
}
