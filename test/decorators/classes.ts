/**
 * Classes with decorated methods, made by whichever compiler compiles this file: it imports nothing but types, so that what it becomes
 * runs anywhere, with the decorators that it is given.
 */
import type { Term } from 'simba-xstate'
import type * as Decorators from 'simba-xstate/decorators'

/** Told of each run: the method, and what it was called with. */
export type Tell = (method: string, self: object, ...args: readonly unknown[]) => unknown

/** A decorator that puts a function without parameters in the place of the method, as those for tracing do. For both modes. */
function traced(tell: Tell) {
  return (...args: readonly unknown[]): never => {
    const [target, , descriptor] = args as readonly [AnyMethod, unknown, PropertyDescriptor | undefined]
    const method: AnyMethod = descriptor?.value ?? target
    const wrapper = function (this: object, ...given: readonly unknown[]) {
      tell('trace', this)
      return method.call(this, ...given)
    }
    return (descriptor ? { ...descriptor, value: wrapper } : wrapper) as never
  }
}

type AnyMethod = (this: object, ...args: readonly unknown[]) => unknown

export function makeClasses({ SimbaLeader, SimbaPartitioned, SimbaScheduled }: typeof Decorators, tell: Tell) {
  class Reports {
    readonly title = 'the report'

    @SimbaScheduled({ name: 'report', fixedRate: '10s', initialDelay: '1s' })
    async report(term: Term): Promise<unknown> {
      return tell('report', this, term)
    }

    @SimbaScheduled({ name: 'cleanup', fixedDelay: 'PT1M' })
    cleanup(...args: readonly unknown[]): unknown {
      return tell('cleanup', this, ...args)
    }
  }

  class Billing {
    @SimbaPartitioned({ group: 'billing', partitions: '${billing.partitions:3}', fixedRate: '${billing.every:10s}' })
    async bill(term: Term, partition: number): Promise<unknown> {
      return tell('bill', this, term, partition)
    }
  }

  class Ingest {
    @SimbaLeader({ name: '${ingest.name:ingest}' })
    async run(term: Term): Promise<unknown> {
      return tell('run', this, term)
    }
  }

  class Base {
    @SimbaLeader({ name: 'inherited' })
    inherited(term: Term): unknown {
      return tell('Base.inherited', this, term)
    }

    @SimbaLeader({ name: 'overridden' })
    overridden(term: Term): unknown {
      return tell('Base.overridden', this, term)
    }

    @SimbaLeader({ name: 'declared-by-base' })
    declaredAnew(term: Term): unknown {
      return tell('Base.declaredAnew', this, term)
    }
  }

  class Derived extends Base {
    override overridden(term: Term): unknown {
      tell('Derived.overridden', this, term)
      return super.overridden(term)
    }

    @SimbaLeader({ name: 'declared-by-derived' })
    override declaredAnew(term: Term): unknown {
      return tell('Derived.declaredAnew', this, term)
    }

    @SimbaLeader({ name: 'added' })
    added(term: Term): unknown {
      return tell('Derived.added', this, term)
    }
  }

  const Traced = traced(tell)

  class Unusual {
    @Traced
    @SimbaLeader({ name: 'traced-outside' })
    tracedOutside(term: Term): unknown {
      return tell('tracedOutside', this, term)
    }

    @SimbaLeader({ name: 'traced-inside' })
    @Traced
    tracedInside(term: Term): unknown {
      return tell('tracedInside', this, term)
    }

    @Traced
    @SimbaPartitioned({ group: 'traced-partition', partitions: 1, fixedRate: '1h' })
    tracedPartition(term: Term, partition: number): unknown {
      return tell('tracedPartition', this, term, partition)
    }

    @SimbaLeader({ name: 'symbol' })
    [Symbol.for('symbol')](term: Term): unknown {
      return tell('symbol', this, term)
    }

    @SimbaLeader({ name: 'protected' })
    protected inTypeScriptOnly(term: Term): unknown {
      return tell('protected', this, term)
    }

    @SimbaScheduled({ name: 'with-default', fixedRate: '1h' })
    withDefault(term: Term, second = 'default'): unknown {
      return tell('with-default', this, term, second)
    }
  }

  return { Reports, Billing, Ingest, Base, Derived, Unusual }
}
