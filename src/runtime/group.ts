/** `simba.group(name, { partitions })`: partitions that are spread over the nodes, each run by one of them. */
import { groupId } from '../machines/client.ts'
import { cohortOfPartition, type GroupSpec } from '../machines/groupSupervisor.ts'
import type { Balance } from '../model/assignment/assignment.ts'
import { checkKeys } from '../model/checkKeys.ts'
import { SimbaError } from '../model/errors.ts'
import { checkName, partitionLease } from '../model/names.ts'
import type { Schedule } from '../model/schedule.ts'
import { checkWork } from './checkWork.ts'
import { type Core, childAt } from './core.ts'
import { checkSchedule } from './schedules.ts'
import { type GroupTask, stoppable } from './task.ts'
import type { PartitionWork } from './work.ts'

export interface GroupOptions {
  /** How many partitions there are: 1 to 65,536, the same on all nodes. A node with another number waits for the others to go. */
  readonly partitions: number
  /**
   * `hashed` (the default) moves only what must move when a node comes or goes; `bounded` also caps each node at
   * `ceil(partitions / nodes)`, and moves a little more. The same on all nodes.
   */
  readonly balance?: Balance
}

export interface Group {
  readonly name: string
  /** Runs `work` once in each term of each partition that this node is given. */
  runWhileLeader(work: PartitionWork): GroupTask
  /** Runs `work` on a schedule in each term of each partition that this node is given. */
  schedule(schedule: Schedule, work: PartitionWork): GroupTask
}

const MOST_PARTITIONS = 65_536
const BALANCES: readonly unknown[] = ['hashed', 'bounded'] satisfies readonly Balance[]

export function createGroup(core: Core, name: string, options: GroupOptions): Group {
  const { partitions, balance = 'hashed' } = checkGroup(name, options)
  const { tasks, terms, works, assignments, settings } = core.runtime

  function start(work: PartitionWork, schedule?: Schedule): GroupTask {
    checkWork(work)
    tasks.claimGroup(name, partitions)
    const id = groupId(name)
    works.set(id, work)
    const restMs = settings.leaseDurationMs
    const group: GroupSpec = {
      name,
      partitions,
      work: id,
      schedule,
      balance,
      restMs,
      retryMs: settings.renewIntervalMs,
    }
    core.start({ kind: 'group', id, group }, () => {
      works.delete(id)
      assignments.forget(name)
      tasks.releaseGroup(name)
    })
    const findActor = () => childAt(core.root, id)
    const findPartition = (partition: number) =>
      core.inCohort(id, cohortOfPartition(partition), partitionLease(name, partition))
    const task = stoppable(core, id, findActor)
    return {
      get actor() {
        return task.actor
      },
      partitions: () => [...((findActor()?.getSnapshot().context.mine ?? []) as readonly number[])],
      term: (partition) => terms.of(partitionLease(name, partition)),
      actorOf: findPartition,
      stop: task.stop,
      close: task.close,
      [Symbol.asyncDispose]: task.stop,
    }
  }

  return {
    name,
    runWhileLeader: (work) => start(work),
    schedule: (schedule, work) => start(work, checkSchedule(schedule)),
  }
}

function checkGroup(name: string, options: GroupOptions): GroupOptions {
  checkName('The name of the group', name)
  checkKeys('group()', options, ['partitions', 'balance'])
  const { partitions, balance } = options
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MOST_PARTITIONS) {
    throw new SimbaError(
      'INVALID_OPTION',
      `partitions is ${String(partitions)}; allowed is a whole number from 1 to ${MOST_PARTITIONS}.`,
    )
  }
  if (balance !== undefined && !BALANCES.includes(balance)) {
    throw new SimbaError('INVALID_OPTION', `balance is ${String(balance)}; allowed are 'hashed' and 'bounded'.`)
  }
  checkName('The lease of the last partition', partitionLease(name, partitions - 1))
  return options
}
