/** Every mistake of a declaration is an error at the registration that names class, method and attribute; and nothing is started then. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as decorators from '../../src/decorators/index.ts'
import { type RegisterOptions, SimbaError } from '../../src/index.ts'
import { compiled } from '../support/compile.ts'
import { untilAborted } from '../support/work.ts'
import { type Client, World } from '../support/world.ts'
import { FIXTURES } from './fixtures.ts'
import type * as Private from './wrong-private.ts'

let world: World
let client: Client

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await world.end()
})

function refusal(objects: object, options?: RegisterOptions): SimbaError {
  try {
    client.simba.register(objects, options)
  } catch (error) {
    expect(error).toBeInstanceOf(SimbaError)
    return error as SimbaError
  }
  throw new Error('Nobody refuses it.')
}

const EVERY_SECOND = { fixedRate: '1s' }
const SCHEDULED = { name: 'x', ...EVERY_SECOND }
const PARTITIONED = { group: 'x', partitions: 4, ...EVERY_SECOND }
const ONE_OF = 'takes exactly one of fixedDelay and fixedRate'
const A_TERM = 'is for a method that takes no parameter or a single Term'
const A_PARTITION = 'is for a method that takes a Term and the number of the partition'
const UNCOUNTED = 'not counting a rest or what has a default.'
const NOT_FOR = 'is for public methods of an object, and this is'

describe.each(FIXTURES)('with $mode decorators', ({ doubtful, classes }) => {
  test.each([
    [{ name: 'x' }, `Reports.report: @SimbaScheduled ${ONE_OF}; it has none.`],
    [{ ...SCHEDULED, fixedDelay: '1s' }, `Reports.report: @SimbaScheduled ${ONE_OF}; it has both.`],
    [
      { ...SCHEDULED, fixedRate: '5' },
      'Reports.report: fixedRate is "5"; allowed is a duration from 1 ms to 100 years,',
    ],
    [{ name: 'x', fixedDelay: 0 }, 'Reports.report: fixedDelay is 0; allowed is a duration from 1 ms'],
    [{ name: 'x', fixedDelay: null }, 'Reports.report: fixedDelay is null; allowed is a duration from 1 ms'],
    [{ ...SCHEDULED, initialDelay: -1 }, 'Reports.report: initialDelay is -1; allowed is a duration from 0 ms'],
    [EVERY_SECOND, 'Reports.report: The name of the election is undefined; allowed are 1 to 128 characters'],
    [{ ...SCHEDULED, name: 'a b' }, 'Reports.report: The name of the election is "a b"; allowed are'],
    [
      { ...SCHEDULED, fixRate: 1 },
      "Reports.report: @SimbaScheduled has no option 'fixRate'; allowed are name, fixedDelay,",
    ],
    [undefined, 'Reports.report: The options of @SimbaScheduled are undefined; allowed is an object with name,'],
    [
      { ...SCHEDULED, fixedRate: '${report.every}' },
      'Reports.report: fixedRate: ${report.every} has no value; set report.every or REPORT_EVERY in the environment, or give a default, as in ${report.every:…}.',
    ],
    [{ ...SCHEDULED, fixedRate: '${report.every:5}' }, 'Reports.report: fixedRate is "5"; allowed is a duration'],
    [{ ...SCHEDULED, name: '${report.every' }, 'Reports.report: name: ${report.every has no closing brace.'],
    [{ ...SCHEDULED, initialDelay: '${}' }, 'Reports.report: initialDelay: ${} is no placeholder; a name begins with'],
  ])('@SimbaScheduled(%j) is refused', (attributes, message) => {
    const error = refusal(new (doubtful.makeReports(attributes))())
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(message)
  })

  test.each([
    [{ group: 'x', partitions: 4 }, `Billing.bill: @SimbaPartitioned ${ONE_OF}; it has none.`],
    [{ ...PARTITIONED, fixedDelay: '1s' }, `Billing.bill: @SimbaPartitioned ${ONE_OF}; it has both.`],
    [{ ...PARTITIONED, group: '' }, 'Billing.bill: The name of the group is ""; allowed are'],
    [{ ...PARTITIONED, partitions: 0 }, 'Billing.bill: partitions is 0; allowed is a whole number from 1 to 65536.'],
    [{ ...PARTITIONED, partitions: '1.5' }, 'Billing.bill: partitions is 1.5; allowed is a whole number'],
    [{ ...PARTITIONED, partitions: 'many' }, 'Billing.bill: partitions is many; allowed is a whole number'],
    [{ ...PARTITIONED, partitions: undefined }, 'Billing.bill: partitions is undefined; allowed is a whole number'],
    [{ ...PARTITIONED, balance: 'even' }, "Billing.bill: balance is even; allowed are 'hashed' and 'bounded'."],
    [{ ...PARTITIONED, initialDelay: 'soon' }, 'Billing.bill: initialDelay is "soon"; allowed is a duration'],
    [
      { ...PARTITIONED, name: 'x' },
      "Billing.bill: @SimbaPartitioned has no option 'name'; allowed are group, partitions,",
    ],
    [
      { ...PARTITIONED, partitions: '${billing.partitions}' },
      'Billing.bill: partitions: ${billing.partitions} has no value; set billing.partitions or BILLING_PARTITIONS',
    ],
  ])('@SimbaPartitioned(%j) is refused', (attributes, message) => {
    const error = refusal(new (doubtful.makeBilling(attributes))())
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(message)
  })

  test.each([
    [{}, 'Ingest.run: The name of the election is undefined; allowed are'],
    [{ name: 'x', fixedRate: '1s' }, "Ingest.run: @SimbaLeader has no option 'fixedRate'; allowed are name."],
    [{ name: '${ingest.name}' }, 'Ingest.run: name: ${ingest.name} has no value;'],
  ])('@SimbaLeader(%j) is refused', (attributes, message) => {
    const error = refusal(new (doubtful.makeIngest(attributes))())
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(message)
  })

  test.each([
    ['ScheduledTwo', `ScheduledTwo.report: @SimbaScheduled ${A_TERM}, and this one takes 2, ${UNCOUNTED}`],
    ['LeaderTwo', `LeaderTwo.run: @SimbaLeader ${A_TERM}, and this one takes 2, ${UNCOUNTED}`],
    ['OverriddenWithTwo', `OverriddenWithTwo.run: @SimbaLeader ${A_TERM}, and this one takes 2, ${UNCOUNTED}`],
    ['PartitionedNone', `PartitionedNone.bill: @SimbaPartitioned ${A_PARTITION}, and this one takes 0, ${UNCOUNTED}`],
    ['PartitionedOne', `PartitionedOne.bill: @SimbaPartitioned ${A_PARTITION}, and this one takes 1, ${UNCOUNTED}`],
    [
      'PartitionedDefault',
      `PartitionedDefault.bill: @SimbaPartitioned ${A_PARTITION}, and this one takes 1, ${UNCOUNTED}`,
    ],
    ['PartitionedThree', `PartitionedThree.bill: @SimbaPartitioned ${A_PARTITION}, and this one takes 3, ${UNCOUNTED}`],
    ['WithStatic', `WithStatic.run: @SimbaLeader ${NOT_FOR} a static method.`],
    ['WithField', `WithField.run: @SimbaLeader ${NOT_FOR} a field.`],
    ['WithGetter', `WithGetter.run: @SimbaLeader ${NOT_FOR} an accessor.`],
    ['WithSetter', `WithSetter.run: @SimbaLeader ${NOT_FOR} an accessor.`],
    ['OnClass', `OnClass: @SimbaLeader ${NOT_FOR} a class.`],
    ['Shadowed', 'Shadowed.run: @SimbaLeader is for methods, and the object has 5 in its place.'],
    ['Twice', 'Twice.run: the method has two decorators of simba-xstate; allowed is one.'],
    ['Plain', 'register(): an object of Plain was given, and none of its methods has a decorator of simba-xstate.'],
  ] as const)('%s is refused', (name, message) => {
    const error = refusal(new doubtful[name]())
    expect([error.code, error.message]).toEqual(['INVALID_OPTION', message])
  })

  test.each([
    ['a class', () => doubtful.Plain, 'register(): the class Plain was given; allowed are objects of it.'],
    ['nothing', () => null, 'register(): null was given; allowed are objects.'],
    ['a text', () => 'Reports', 'register(): Reports was given; allowed are objects.'],
  ])('%s is no object with decorated methods', (_, make, message) => {
    expect(refusal(make() as object).message).toBe(message)
  })

  describe('a name is unique on a client:', () => {
    test.each([
      ['SameName', "SameName.other: the name 'x' is taken by the name 'x' of SameName.one."],
      ['SameGroup', "SameGroup.other: the group 'x' is taken by the group 'x' of SameGroup.one."],
      ['OnePartition', "OnePartition.other: the group 'x' is taken by the name 'x.1' of OnePartition.one."],
    ] as const)('among the methods of one object: %s', (name, message) => {
      const error = refusal(new doubtful[name]())
      expect([error.code, error.message]).toEqual(['ALREADY_STARTED', message])
    })

    test('among the objects that are registered together', () => {
      const { Ingest } = classes(() => {})
      const error = refusal([new Ingest(), new Ingest()])
      expect([error.code, error.message]).toEqual([
        'ALREADY_STARTED',
        "Ingest.run: the name 'ingest' is taken by the name 'ingest' of Ingest.run.",
      ])
    })

    test('beside everything else that the client has started', () => {
      const { Billing, Ingest } = classes(() => {})
      client.simba.election('ingest').runWhileLeader(untilAborted)
      client.simba.election('billing.2').runWhileLeader(untilAborted)
      const error = refusal([new Ingest(), new Billing()])
      expect(error.code).toBe('ALREADY_STARTED')
      expect(error.message.split('\n')).toEqual([
        "Ingest.run: 'ingest' cannot be started: this client has started 'ingest' already, and its stop is not complete.",
        "Billing.bill: 'billing' cannot be started: this client has started 'billing.2' already, and its stop is not complete.",
      ])
    })
  })

  test('every value that is missing is told, and nothing that follows from it', () => {
    const error = refusal(new (doubtful.makeReports({ name: '${a}', fixedRate: '${b}', initialDelay: '${c:0s}' }))())
    expect(error.message.split('\n').map((line) => line.split(' has no value')[0])).toEqual([
      'Reports.report: name: ${a}',
      'Reports.report: fixedRate: ${b}',
    ])
  })

  test('all mistakes of all objects are told at once, and nothing of them is started', async () => {
    const { Ingest } = classes(() => {})
    const error = refusal([new Ingest(), new doubtful.SomeRight(), new doubtful.ScheduledTwo()])
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message.split('\n').map((line) => line.slice(0, 40))).toEqual(
      [
        'SomeRight.wrong: fixedRate is "5"; allowed',
        'SomeRight.wrong: The name of the electio',
        'SomeRight.alsoWrong: @SimbaPartitioned t',
        'SomeRight.alsoWrong: partitions is 0; al',
        'ScheduledTwo.report: @SimbaScheduled is ',
      ].map((line) => line.slice(0, 40)),
    )
    await world.pass(1_000)
    expect(client.of('term.started')).toEqual([])
    // Their names are free.
    client.simba.election('right').runWhileLeader(() => {})
    client.simba.register(new Ingest())
  })
})

test('a private method is refused, which only standard decorators can stand at', async () => {
  const { makePrivate } = await compiled<typeof Private>('standard', 'test/decorators/wrong-private.ts')
  const { WrongPrivate } = makePrivate(decorators)
  expect(refusal(new WrongPrivate()).message).toBe(`WrongPrivate.#lead: @SimbaLeader ${NOT_FOR} a private method.`)
})

describe('a resolver', () => {
  const [{ doubtful }] = FIXTURES as [(typeof FIXTURES)[number]]
  const ingest = () => new (doubtful.makeIngest({ name: '${ingest.name}' }))()

  test('that has no value is told which one is missing', () => {
    vi.stubEnv('INGEST_NAME', 'of-the-environment')
    expect(refusal(ingest(), { resolve: () => undefined }).message).toBe(
      'Ingest.run: name: ${ingest.name} has no value; set ingest.name, or give a default, as in ${ingest.name:…}.',
    )
  })

  test('that throws is quoted', () => {
    const error = refusal(ingest(), {
      resolve: (name) => {
        throw new TypeError(`no ${name}`)
      },
    })
    expect(error.message).toBe('Ingest.run: name: ${ingest.name} could not be resolved: no ingest.name.')
    expect((error.cause as SimbaError).cause).toBeInstanceOf(TypeError)
  })

  test('is a function, and the only option there is', () => {
    expect(refusal(ingest(), { resolve: {} as never }).message).toBe(
      'resolve is [object Object]; allowed is a function of a name.',
    )
    expect(refusal(ingest(), { resolver: () => 1 } as never).message).toBe(
      "register() has no option 'resolver'; allowed are resolve.",
    )
  })
})
