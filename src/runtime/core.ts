/** A client from inside: what the handles that users get are made of. They keep no state of their own. */
import type { ActorRefFrom, AnyActorRef, AnyMachineSnapshot } from 'xstate'
import { type ClientCommand, type clientMachine, cohortOf, ELECTIONS, type TaskSpec } from '../machines/client.ts'
import type { ChildSpec, cohortMachine } from '../machines/cohort.ts'
import { cohortId } from '../machines/groupSupervisor.ts'
import { callingRun, outside } from './inside.ts'
import type { Runtime } from './runtime.ts'

export class Core {
  readonly runtime: Runtime
  readonly root: ActorRefFrom<typeof clientMachine>

  constructor(runtime: Runtime, root: ActorRefFrom<typeof clientMachine>) {
    this.runtime = runtime
    this.root = root
  }

  send(command: ClientCommand): void {
    outside(() => this.root.send(command))
    // A client that has failed answers nobody: what is declared on it, or waited for, has ended.
    if (this.root.getSnapshot().status === 'error') this.runtime.tasks.endAllBut([])
  }

  /** Starts a task that is a child of the plain supervisor: an election or an observer. Returns what finds its actor. */
  startChild(child: ChildSpec, survives: 'stop' | 'nothing', cleanUp: () => void): () => AnyActorRef | undefined {
    const number = this.runtime.tasks.nextNumber()
    this.start({ kind: 'child', id: child.id, number, child, survives }, cleanUp)
    return () => this.inCohort(ELECTIONS, cohortOf(number), child.id)
  }

  /** The actor that a supervisor's cohort has for a lease, or under another key. */
  inCohort(supervisor: string, cohort: number, id: string): AnyActorRef | undefined {
    const actor = childAt(this.root, supervisor, cohortId(cohort)) as ActorRefFrom<typeof cohortMachine> | undefined
    const child = actor?.getSnapshot().context.children.find(({ spec }) => spec.id === id)
    return child && childAt(actor!, child.place)
  }

  start(task: TaskSpec, cleanUp: () => void): void {
    this.runtime.tasks.declare(task.id, cleanUp)
    this.send({ type: 'task.start', task })
  }

  /** Resolves when the tasks have ended; from inside the work of one of them, when that was told to end. */
  async stop(...ids: readonly string[]): Promise<void> {
    const calling = callingRun(this.runtime)
    const ended = ids.map((id) => this.runtime.tasks.ended(id))
    for (const id of ids) this.send({ type: 'task.stop', id })
    if (calling && ids.includes(calling.task)) await calling.interrupted()
    else await Promise.all(ended)
  }

  /** Resolves when everything has ended and the session is closed; from inside any work of this client, when that was told to end. */
  async stopAll(): Promise<void> {
    const calling = callingRun(this.runtime)
    const stopped = this.runtime.tasks.allEnded()
    this.send({ type: 'STOP' })
    await (calling ? calling.interrupted() : stopped)
  }
}

/** The actor below `root` under these ids, one level each. */
export function childAt(root: AnyActorRef, ...ids: readonly string[]): AnyActorRef | undefined {
  let actor: AnyActorRef | undefined = root
  for (const id of ids) actor = (actor?.getSnapshot() as AnyMachineSnapshot | undefined)?.children[id]
  return actor
}
