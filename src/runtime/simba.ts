/** `createSimba()`: one client, as a handle around its root actor. */
import {
  type ActorRefFrom,
  createActor,
  type InspectionEvent,
  type Observer,
  type SnapshotFrom,
  type Subscription,
} from 'xstate'
import type { Hint } from '../backends/port.ts'
import type { clientMachine } from '../machines/client.ts'
import { plainError } from '../model/errors.ts'
import type { Logger } from '../model/logger.ts'
import type { Survey } from '../model/survey.ts'
import { abandon } from './abandon.ts'
import { Assignments } from './assignments.ts'
import { Core } from './core.ts'
import { createElection, type Election } from './election.ts'
import { Events, type SimbaEventType, type SimbaListener } from './events.ts'
import { createGroup, type Group, type GroupOptions } from './group.ts'
import { createLock, type Lock } from './lock.ts'
import { LockQueues } from './lockQueues.ts'
import { provideClient } from './provide.ts'
import { type RegisterOptions, type Registration, register } from './register.ts'
import type { Runtime } from './runtime.ts'
import { checkOptions, type Settings, type SimbaOptions } from './settings.ts'
import { type SignalOptions, stopOnSignals } from './signals.ts'
import { Store } from './store.ts'
import { Tasks } from './tasks.ts'
import { Terms } from './terms.ts'

export type SimbaSnapshot = SnapshotFrom<typeof clientMachine>
/** What people send to a client. STOP ends all terms and keeps what was declared; START runs it, with a new session. */
export type SimbaCommand = { readonly type: 'START' } | { readonly type: 'STOP' }

/** So much at once keeps a server busy for some tens of milliseconds. */
const SURVEY_LIMIT = 10_000

export interface Simba extends AsyncDisposable {
  /** The public name of this node. */
  readonly node: string
  /** The root actor. */
  readonly actor: ActorRefFrom<typeof clientMachine>
  send(command: SimbaCommand): void
  subscribe(observer: (snapshot: SimbaSnapshot) => void): Subscription
  getSnapshot(): SimbaSnapshot
  /** Listens to one type of event, or to all with `'*'`. Returns a function that ends it. */
  on<Type extends SimbaEventType | '*'>(type: Type, listener: SimbaListener<Type>): () => void
  /** Leader work, on one node. Throws `INVALID_OPTION` for a name that breaks the rules. */
  election(name: string): Election
  /** Leader work in partitions, spread over the nodes. */
  group(name: string, options: GroupOptions): Group
  /** A section of code that one holder runs at a time. */
  lock(name: string): Lock
  /**
   * Starts what the methods of an object (or of several) declare with the decorators of `simba-xstate/decorators`. Where anything is
   * wrong with them, nothing is started: throws `INVALID_OPTION`, or `ALREADY_STARTED` for a name that is taken, with all mistakes, each
   * with the class, the method and the attribute.
   *
   * @example
   * const reports = simba.register(new Reports())
   * await reports.stop()
   */
  register(objects: object | readonly object[], options?: RegisterOptions): Registration
  /**
   * What an operator wants to know of the namespace: who holds which lease, who waits for it, and the members of the groups. Asks the
   * store, needs no START, and is cut where there are more than 10,000 grants, places in line or memberships (`isWhole` says so).
   * Rejects with `INVALID_OPTION` where a backend of your own has no survey.
   */
  survey(): Promise<Survey>
  /**
   * For a process that is this client's own: the first `SIGTERM` or `SIGINT` stops in handover order and then ends the process with
   * `process.exitCode` or 0; a second one logs what is still waited for; a third one kills what runs in threads and processes of its own
   * and ends the process at once, with 128 and the signal's number. Returns a disposable that ends the listening.
   *
   * @example
   * simba.stopOnSignals()
   * simba.stopOnSignals({ onStopped: () => server.close() })
   */
  stopOnSignals(options?: SignalOptions): Disposable
  /**
   * STOP, then done: resolves when all work has exited (or was out of time), the leases are released and the session is closed.
   * Awaited from inside leader work, when that work was told to end.
   */
  stop(): Promise<void>
}

/**
 * Makes a client in state `idle`. It begins with `send({ type: 'START' })`.
 *
 * Throws `INVALID_OPTION` for options that are not allowed or contradict each other, with the option, its value, and what is allowed.
 *
 * @example
 * const simba = createSimba({ backend: redis('redis://127.0.0.1:6379') })
 * simba.send({ type: 'START' })
 * simba.election('ingest').runWhileLeader(async (term) => { … })
 */
export function createSimba(options: SimbaOptions = {}): Simba {
  return createClient(checkOptions(options))
}

/** A client out of its parts: options that were checked, and what makes a machine that can run out of everything that it needs. */
export function createClient(settings: Settings, provide: typeof provideClient = provideClient): Simba {
  const events = new Events(settings.logger)
  const tasks = new Tasks()
  const runtime: Runtime = {
    settings,
    events,
    store: new Store(settings, events, hear),
    terms: new Terms(),
    tasks,
    locks: new LockQueues(tasks),
    assignments: new Assignments(),
    works: new Map(),
    executions: new Set(),
    observers: new Map(),
  }
  const { leaseDurationMs, renewIntervalMs, backend, logger } = settings
  const root = createActor(
    provide(runtime, () => root.send({ type: 'session.doubted' })),
    {
      id: 'simba',
      input: { leaseDurationMs, renewIntervalMs, pollIntervalMs: backend.pollIntervalMs },
      inspect: settings.inspect && guarded(settings.inspect, logger),
    },
  )
  root.subscribe({ error: (error) => abandon(root, error, runtime) })
  root.start()
  const core = new Core(runtime, root)

  /** Hints only say where to look. */
  function hear(hint: Hint): void {
    if (hint.type === 'lease.freed' || hint.type === 'members.changed') root.send(hint)
    else if (hint.type === 'connected') root.send({ type: 'session.doubted' })
    else if (hint.type === 'session.lost') root.send({ type: 'session.revoked' })
    else logger.debug({}, 'The way to the store is lost.')
  }

  return {
    node: settings.node,
    actor: root,
    send({ type }) {
      // What the machines say to each other has no business here.
      if (type === 'START' || type === 'STOP') core.send({ type })
      else throw new TypeError(`A client takes START and STOP, not ${String(type)}.`)
    },
    subscribe: (observer) => root.subscribe(observer),
    getSnapshot: () => root.getSnapshot(),
    on: (type, listener) => events.on(type, listener),
    election: (name) => createElection(core, name),
    group: (name, groupOptions) => createGroup(core, name, groupOptions),
    lock: (name) => createLock(core, name),
    register: (objects, registerOptions) => register(core, objects, registerOptions),
    stopOnSignals: (signalOptions) => stopOnSignals(core, signalOptions),
    survey: () => runtime.store.survey(SURVEY_LIMIT),
    stop: () => core.stopAll(),
    [Symbol.asyncDispose]: () => core.stopAll(),
  }
}

/** XState would stall the actor that a throwing inspector looks at, for good. */
function guarded(
  inspect: ((event: InspectionEvent) => void) | Observer<InspectionEvent>,
  logger: Logger,
): (event: InspectionEvent) => void {
  return (event) => {
    try {
      if (typeof inspect === 'function') inspect(event)
      else inspect.next?.(event)
    } catch (error) {
      logger.error({ err: plainError(error) }, 'The inspector has failed.')
    }
  }
}
