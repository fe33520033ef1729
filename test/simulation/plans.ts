/** fast-check's choice of plans. Simple things come first, so that a failure shrinks towards few nodes, plain work and few faults. */
import fc from 'fast-check'
import type { Weather } from '../../src/testing.ts'
import {
  type Behaviour,
  DRIFT,
  type Duty,
  FAULTY_MS,
  type Fault,
  type FaultKind,
  type NodePlan,
  type Plan,
} from './plan.ts'

export interface PlanChoice {
  /** Default: all kinds. */
  readonly works?: readonly Behaviour['kind'][]
  readonly faults?: readonly FaultKind[]
  /** Default: one to three duties of either kind. */
  readonly duties?: 'elections' | 'groups' | 'any'
  readonly schedules?: 'always' | 'never' | 'any'
  /** Default: 8. */
  readonly mostFaults?: number
  readonly nodes?: readonly [number, number]
}

const ms = (min: number, max: number) => fc.integer({ min, max })
const node = fc.nat(4)
const duty = fc.nat(2)
/** Several faults often come at about the same time, for what comes of one may need another to be seen. */
const MOMENTS_MS = [10_000, 25_000, 40_000]
/** Often at the beginning, too, when every election campaigns and every group forms. */
const atMs = fc.oneof(
  ms(0, FAULTY_MS),
  ms(0, 5_000),
  ms(0, 20),
  fc.tuple(fc.constantFrom(...MOMENTS_MS), ms(0, 2_000)).map(([momentMs, laterMs]) => momentMs + laterMs),
)
/** Short ones, about a lease duration, and longer. */
const forMs = fc.oneof(ms(1, 3_000), ms(3_000, 12_000), ms(12_000, 25_000))
const chance = fc.constantFrom(0, 0.1, 0.3)
/** Bad weather often lasts: long enough for whatever is asked meanwhile to be lost, and a session goes on through most of it. */
const weatherForMs = fc.oneof(forMs, ms(25_000, FAULTY_MS))

const behaviours: { readonly [Kind in Behaviour['kind']]: fc.Arbitrary<Behaviour> } = {
  'well-behaved': fc.record({ kind: fc.constant('well-behaved'), forMs: ms(0, 3_000) }),
  slow: fc.record({ kind: fc.constant('slow'), exitMs: ms(1, 12_000) }),
  stubborn: fc.record({ kind: fc.constant('stubborn'), forMs: ms(1, 40_000) }),
  throwing: fc.record({
    kind: fc.constant('throwing'),
    afterMs: fc.oneof(fc.constant(0), ms(1, 15_000)),
    isFatal: fc.boolean(),
  }),
  'never-settling': fc.record({ kind: fc.constant('never-settling') }),
  returning: fc.record({ kind: fc.constant('returning'), afterMs: ms(0, 5_000) }),
  machine: fc.record({ kind: fc.constant('machine'), forMs: ms(0, 3_000), exitMs: ms(0, 12_000), heeds: fc.boolean() }),
  'stopping-itself': fc.record({ kind: fc.constant('stopping-itself'), afterMs: ms(0, 30_000) }),
}

/** Nothing is lost but hints. */
const hintsFail = fc.record({
  loseHint: fc.constantFrom(0.5, 1),
  repeatHint: chance,
  lateHint: chance,
})
const anyWeather = fc.record({
  delayMs: fc.constantFrom<readonly [number, number]>([0.2, 2], [1, 200], [100, 2_000], [2_000, 4_000]),
  loseRequest: chance,
  loseAnswer: chance,
  repeatRequest: chance,
  lateRequest: chance,
  loseHint: fc.constantFrom(0, 0.5, 1),
  repeatHint: chance,
  lateHint: chance,
})
const weather: fc.Arbitrary<Partial<Weather>> = fc.oneof(
  { weight: 4, arbitrary: anyWeather },
  { weight: 2, arbitrary: hintsFail },
)

const faults: { readonly [Kind in FaultKind]: fc.Arbitrary<Fault> } = {
  pause: fc.record({ kind: fc.constant('pause'), node, atMs, forMs }),
  sleep: fc.record({ kind: fc.constant('sleep'), node, atMs, forMs: fc.oneof(ms(100, 3_000), ms(3_000, 25_000)) }),
  crash: fc.record({ kind: fc.constant('crash'), node, atMs, forMs }),
  'wall-step': fc.record({
    kind: fc.constant('wall-step'),
    node,
    atMs,
    byMs: fc.oneof(ms(-100, 100), ms(-3_600_000, 3_600_000), ms(-12_000, 12_000)),
  }),
  cut: fc.record({ kind: fc.constant('cut'), node, atMs, forMs, way: fc.constantFrom('both', 'requests', 'answers') }),
  weather: fc.record({ kind: fc.constant('weather'), node, atMs, forMs: weatherForMs, weather }),
  freeze: fc.record({ kind: fc.constant('freeze'), atMs, forMs }),
  restart: fc.record({ kind: fc.constant('restart'), atMs, data: fc.constantFrom('kept', 'lost') }),
  'stop-client': fc.record({ kind: fc.constant('stop-client'), node, atMs, forMs }),
  'stop-task': fc.record({ kind: fc.constant('stop-task'), node, duty, atMs, forMs }),
  'step-down': fc.record({ kind: fc.constant('step-down'), node, duty, atMs }),
  flicker: fc.record({
    kind: fc.constant('flicker'),
    node,
    duty,
    atMs,
    times: ms(2, 6),
    eachMs: fc.oneof(ms(0, 10), ms(0, 2_000)),
  }),
}

/** How often, beside the others: in bad weather something must be asked for, or nothing is lost but renewals. */
const weights: { readonly [Kind in FaultKind]?: number } = {
  weather: 4,
  flicker: 2,
  'stop-task': 2,
  'step-down': 2,
  crash: 2,
}

const schedule = fc.record({
  kind: fc.constantFrom('fixedRate', 'fixedDelay'),
  everyMs: fc.oneof(ms(1_000, 5_000), ms(100, 1_000)),
  initialDelayMs: fc.oneof(fc.constant(0), ms(0, 5_000)),
})

const rate = fc.constantFrom(1, 1 - DRIFT / 2, 1 + DRIFT / 2)
const nodePlan: fc.Arbitrary<NodePlan> = fc.record({
  rate,
  wallMs: fc.constantFrom(1_700_000_000_000, 1_600_000_000_000, 1_800_000_000_000),
})

function duties(choice: PlanChoice): fc.Arbitrary<readonly Duty[]> {
  const kinds = choice.works ?? (Object.keys(behaviours) as Behaviour['kind'][])
  const work = fc.oneof(...kinds.map((kind) => behaviours[kind]))
  const scheduled =
    choice.schedules === 'always'
      ? { schedule }
      : choice.schedules === 'never'
        ? {}
        : { schedule: fc.option(schedule, { nil: undefined, freq: 2 }) }
  const election = fc.record({ work, ...scheduled })
  const group = fc.record({
    work,
    ...scheduled,
    partitions: ms(1, 8),
    balance: fc.constantFrom<'hashed' | 'bounded'>('hashed', 'bounded'),
  })
  const either = { elections: election, groups: group, any: fc.oneof(election, group) }[choice.duties ?? 'any']
  return fc
    .array(either as fc.Arbitrary<Omit<Duty, 'name'>>, { minLength: 1, maxLength: 3 })
    .map((list) => list.map((duty, index) => ({ name: `d${index}`, ...duty })))
}

export function plans(choice: PlanChoice = {}): fc.Arbitrary<Plan> {
  const kinds = choice.faults ?? (Object.keys(faults) as FaultKind[])
  const [minLength, maxLength] = choice.nodes ?? [1, 4]
  return fc.record({
    seed: fc.noShrink(fc.nat()),
    storeRate: rate,
    nodes: fc.array(nodePlan, { minLength, maxLength }),
    duties: duties(choice),
    faults: fc.array(fc.oneof(...kinds.map((kind) => ({ weight: weights[kind] ?? 1, arbitrary: faults[kind] }))), {
      maxLength: choice.mostFaults ?? 8,
      size: 'max',
    }),
  })
}
