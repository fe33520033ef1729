/** Leader work that methods declare: `simba.register(object)` starts it. The same decorators work as standard and as legacy ones. */
import type { LeaderAttributes, PartitionedAttributes, ScheduledAttributes } from '../runtime/attributes.ts'
import type { Attributes } from '../runtime/declarations.ts'
import { decorate } from './decorate.ts'
import type { DecoratorOf, LeaderMethod, PartitionMethod } from './methods.ts'

export type { LeaderAttributes, PartitionedAttributes, ScheduledAttributes } from '../runtime/attributes.ts'
export type { DecoratorOf, LeaderMethod, PartitionMethod } from './methods.ts'

/**
 * Runs the method on a schedule on the one node that leads the election `name`. It takes nothing, or the `Term`.
 *
 * @example
 * class Reports {
 *   @SimbaScheduled({ name: 'report', fixedRate: '1m', initialDelay: '${report.delay:10s}' })
 *   async report(term: Term) { … }
 * }
 */
export function SimbaScheduled(attributes: ScheduledAttributes): DecoratorOf<LeaderMethod> {
  return decorator({ decorator: 'SimbaScheduled', attributes })
}

/**
 * Runs the method on a schedule for each partition that this node is given of the group. It takes the `Term` and the number of the partition.
 *
 * @example
 * class Billing {
 *   @SimbaPartitioned({ group: 'billing', partitions: '${billing.partitions:16}', fixedDelay: '1m' })
 *   async bill(term: Term, partition: number) { … }
 * }
 */
export function SimbaPartitioned(attributes: PartitionedAttributes): DecoratorOf<PartitionMethod> {
  return decorator({ decorator: 'SimbaPartitioned', attributes })
}

/**
 * Runs the method once in each term of the election `name`. It takes nothing, or the `Term`.
 *
 * @example
 * class Ingest {
 *   @SimbaLeader({ name: 'ingest' })
 *   async run(term: Term) { while (term.isValid) { … } }
 * }
 */
export function SimbaLeader(attributes: LeaderAttributes): DecoratorOf<LeaderMethod> {
  return decorator({ decorator: 'SimbaLeader', attributes })
}

function decorator(attributes: Attributes) {
  return (...args: readonly unknown[]): void => decorate(attributes, args)
}
