/** One declared method of one object: checked whole, every mistake noted, and ready to be started. */
import { groupId } from '../machines/client.ts'
import { checkKeys } from '../model/checkKeys.ts'
import { SimbaError } from '../model/errors.ts'
import type { Schedule } from '../model/schedule.ts'
import type { Core } from './core.ts'
import type { Declaration } from './declarations.ts'
import type { Duration } from './durations.ts'
import { createElection, type Election } from './election.ts'
import { createGroup, type Group, type GroupOptions } from './group.ts'
import { memberName, workOf } from './members.ts'
import type { Mistakes } from './mistakes.ts'
import { fill, type Resolve } from './placeholders.ts'
import { makeSchedule } from './schedules.ts'
import type { GroupTask, Task } from './task.ts'
import type { PartitionFunction, TermFunction } from './work.ts'

/** A method that was registered (`Reports.report`), the name of its election or group, and the task that runs it. */
export type RegisteredMethod =
  | { readonly kind: 'election'; readonly method: string; readonly name: string; readonly task: Task }
  | { readonly kind: 'group'; readonly method: string; readonly name: string; readonly task: GroupTask }

/** What will contend for its leases, whose name and options are checked. `id` is that of its task. */
export type Contender =
  | { readonly kind: 'election'; readonly id: string; readonly election: Election }
  | { readonly kind: 'group'; readonly id: string; readonly group: Group; readonly partitions: number }

export interface Plan {
  readonly method: string
  readonly contender: Contender
  start(): RegisteredMethod
}

type Decorator = Declaration['decorator']
/** The attributes with their placeholders filled in: anything may have come of it. */
type Filled = Readonly<Record<string, unknown>>

const EVERY = ['fixedDelay', 'fixedRate'] as const
const ATTRIBUTES: Readonly<Record<Decorator, readonly string[]>> = {
  SimbaScheduled: ['name', ...EVERY, 'initialDelay'],
  SimbaPartitioned: ['group', 'partitions', 'balance', ...EVERY, 'initialDelay'],
  SimbaLeader: ['name'],
}

/** `undefined` where something is wrong with it. */
export function planOf(
  core: Core,
  object: object,
  declaration: Declaration,
  resolve: Resolve,
  mistakes: Mistakes,
): Plan | undefined {
  const { decorator, attributes, member } = declaration
  const method = memberName(object, member)
  const work = mistakes.of(method, () => workOf(object, declaration))
  const filled = mistakes.of(method, () => {
    checkKeys(`@${decorator}`, attributes, ATTRIBUTES[decorator])
    return fillIn(method, attributes, resolve, mistakes)
  })
  // What is missing for want of a value is not missing for anything else.
  if (!filled) return undefined
  const schedule = decorator === 'SimbaLeader' ? null : mistakes.of(method, () => scheduleOf(decorator, filled))
  const contender = mistakes.of(method, () => contenderOf(core, decorator, filled))
  if (!work || schedule === undefined || !contender) return undefined
  return { method, contender, start: () => start(method, contender, schedule, work) }
}

/** `undefined` where one of them has no value. */
function fillIn(method: string, attributes: object, resolve: Resolve, mistakes: Mistakes): Filled | undefined {
  const filled = Object.entries(attributes).map(([attribute, given]) =>
    mistakes.of(method, () => {
      const value: unknown = typeof given === 'string' ? fill(attribute, given, resolve) : given
      return [attribute, value] as const
    }),
  )
  return filled.every((entry) => entry !== undefined) ? Object.fromEntries(filled) : undefined
}

function scheduleOf(decorator: Decorator, filled: Filled): Schedule {
  const [kind, other] = EVERY.filter((attribute) => filled[attribute] !== undefined)
  if (!kind || other) {
    const has = kind ? 'both' : 'none'
    throw new SimbaError(
      'INVALID_OPTION',
      `@${decorator} takes exactly one of fixedDelay and fixedRate; it has ${has}.`,
    )
  }
  return makeSchedule(kind, kind, filled[kind] as Duration, {
    initialDelay: filled.initialDelay as Duration | undefined,
  })
}

function contenderOf(core: Core, decorator: Decorator, filled: Filled): Contender {
  if (decorator !== 'SimbaPartitioned') {
    const election = createElection(core, filled.name as string)
    return { kind: 'election', id: election.name, election }
  }
  const partitions = countOf(filled.partitions)
  const group = createGroup(core, filled.group as string, {
    partitions,
    balance: filled.balance as GroupOptions['balance'],
  })
  return { kind: 'group', id: groupId(group.name), group, partitions }
}

/** What comes from an environment is a text. Anything but a number in digits is left to be refused. */
function countOf(partitions: unknown): number {
  return (typeof partitions === 'string' && /^\d+$/.test(partitions) ? Number(partitions) : partitions) as number
}

function start(
  method: string,
  contender: Contender,
  schedule: Schedule | null,
  work: PartitionFunction,
): RegisteredMethod {
  if (contender.kind === 'group') {
    const { group } = contender
    const task = schedule ? group.schedule(schedule, work) : group.runWhileLeader(work)
    return { kind: 'group', method, name: group.name, task }
  }
  const { election } = contender
  const task = schedule
    ? election.schedule(schedule, work as TermFunction)
    : election.runWhileLeader(work as TermFunction)
  return { kind: 'election', method, name: election.name, task }
}
