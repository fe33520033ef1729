/** What the runtime keeps for the machines, which know all of it by keys only. */
import type { Leader } from '../model/answers.ts'
import type { Assignments } from './assignments.ts'
import type { Events } from './events.ts'
import type { Execution } from './executors/executor.ts'
import type { LockQueues } from './lockQueues.ts'
import type { Settings } from './settings.ts'
import type { Store } from './store.ts'
import type { Tasks } from './tasks.ts'
import type { Terms } from './terms.ts'
import type { PartitionWork, TermWork } from './work.ts'

export interface Runtime {
  readonly settings: Settings
  readonly events: Events
  readonly store: Store
  readonly terms: Terms
  readonly tasks: Tasks
  readonly locks: LockQueues
  readonly assignments: Assignments
  readonly works: Map<string, TermWork | PartitionWork>
  /** Runs in threads and processes of their own. */
  readonly executions: Set<Execution>
  readonly observers: Map<string, (leader: Leader | null) => unknown>
}
