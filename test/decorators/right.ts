/** What the compiler must take, in both modes. */
import type { Term } from 'simba-xstate'
import { SimbaLeader, SimbaPartitioned, SimbaScheduled } from 'simba-xstate/decorators'

export class Right {
  @SimbaScheduled({ name: 'scheduled', fixedRate: '5s' })
  async scheduled(term: Term): Promise<number> {
    return term.token
  }

  @SimbaScheduled({ name: 'no-parameter', fixedDelay: 5, initialDelay: '${delay:PT1S}' })
  noParameter(): void {}

  @SimbaLeader({ name: 'leader' })
  async leader(term: Term): Promise<void> {
    await term.revoked
  }

  @SimbaLeader({ name: 'optional' })
  optional(term?: Term): boolean {
    return term?.isValid ?? false
  }

  @SimbaLeader({ name: 'rest' })
  rest(...args: readonly unknown[]): unknown {
    return args
  }

  @SimbaPartitioned({ group: 'partitioned', partitions: '${partitions:16}', fixedRate: 'PT1M', balance: 'bounded' })
  async partitioned(term: Term, partition: number): Promise<readonly number[]> {
    return [term.token, partition]
  }

  @SimbaPartitioned({ group: 'protected', partitions: 4, fixedDelay: 1, balance: '${balance:hashed}' })
  protected inTypeScriptOnly(term: Term, partition: number): unknown {
    return [term, partition]
  }

  @SimbaLeader({ name: 'computed' })
  [Symbol.for('computed')](term: Term): unknown {
    return term
  }
}
