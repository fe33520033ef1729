/** Classes that cannot be registered, or only with the right attributes. Imports nothing but types, as classes.ts. */
import type { Term } from 'simba-xstate'
import type * as Decorators from 'simba-xstate/decorators'

/** A decorator that may stand anywhere, with any attributes: what the compiler would refuse is what is wanted here. */
type Loose = (attributes: unknown) => (...args: readonly unknown[]) => never

export function makeDoubtfulClasses({ SimbaLeader, SimbaPartitioned, SimbaScheduled }: typeof Decorators) {
  const scheduled = SimbaScheduled as unknown as Loose
  const partitioned = SimbaPartitioned as unknown as Loose
  const leader = SimbaLeader as unknown as Loose
  const name = { name: 'x' }
  const group = { group: 'x', partitions: 2, fixedRate: '1s' }
  const everySecond = { ...name, fixedRate: '1s' }

  const makeReports = (attributes: unknown) => {
    class Reports {
      @scheduled(attributes)
      report(): void {}
    }
    return Reports
  }

  const makeBilling = (attributes: unknown) => {
    class Billing {
      @partitioned(attributes)
      bill(_term: Term, _partition: number): void {}
    }
    return Billing
  }

  const makeIngest = (attributes: unknown) => {
    class Ingest {
      @leader(attributes)
      run(): void {}
    }
    return Ingest
  }

  class ScheduledTwo {
    @scheduled(everySecond)
    report(_term: Term, _second: number): void {}
  }

  class LeaderTwo {
    @leader(name)
    run(_term: Term, _second: number): void {}
  }

  class PartitionedNone {
    @partitioned(group)
    bill(): void {}
  }

  class PartitionedOne {
    @partitioned(group)
    bill(_term: Term): void {}
  }

  class PartitionedDefault {
    @partitioned(group)
    bill(_term: Term, _partition = 0): void {}
  }

  class PartitionedThree {
    @partitioned(group)
    bill(_term: Term, _partition: number, _third: number): void {}
  }

  class Twice {
    @leader({ name: 'one' })
    @scheduled({ name: 'other', fixedRate: '1s' })
    run(): void {}
  }

  class SameName {
    @leader(name)
    one(): void {}

    @scheduled(everySecond)
    other(): void {}
  }

  class SameGroup {
    @partitioned(group)
    one(_term: Term, _partition: number): void {}

    @partitioned(group)
    other(_term: Term, _partition: number): void {}
  }

  class OnePartition {
    @leader({ name: 'x.1' })
    one(): void {}

    @partitioned(group)
    other(_term: Term, _partition: number): void {}
  }

  class Plain {
    run(): void {}
  }

  class WithStatic {
    @leader(name)
    static run(): void {}

    other(): void {}
  }

  class WithField {
    @leader(name)
    run = (): void => {}
  }

  class WithGetter {
    @leader(name)
    get run(): number {
      return 5
    }
  }

  class WithSetter {
    @leader(name)
    set run(_value: number) {}
  }

  @leader(name)
  class OnClass {}

  class Shadowed {
    constructor() {
      Object.defineProperty(this, 'run', { value: 5 })
    }

    @leader(name)
    run(): void {}
  }

  class WithNone {
    @leader(name)
    run(_term?: Term): void {}
  }

  class OverriddenWithTwo extends WithNone {
    override run(_term?: Term, _second?: number): void {}
  }

  class SomeRight {
    @leader({ name: 'right' })
    right(): void {}

    @scheduled({ name: 'a b', fixedRate: '5', initialDelay: '-1s' })
    wrong(): void {}

    @partitioned({ group: 'g', partitions: 0 })
    alsoWrong(_term: Term, _partition: number): void {}
  }

  return {
    makeReports,
    makeBilling,
    makeIngest,
    ScheduledTwo,
    LeaderTwo,
    PartitionedNone,
    PartitionedOne,
    PartitionedDefault,
    PartitionedThree,
    Twice,
    SameName,
    SameGroup,
    OnePartition,
    Plain,
    WithStatic,
    WithField,
    WithGetter,
    WithSetter,
    OnClass,
    Shadowed,
    OverriddenWithTwo,
    SomeRight,
  }
}
