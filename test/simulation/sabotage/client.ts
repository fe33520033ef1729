/** Clients that are broken: in their options, in what the runtime gives to the machines, or in the machines themselves. */
import { type AnyStateMachine, StateMachine } from 'xstate'
import type {
  clientMachine,
  cohortMachine,
  electionMachine,
  groupSupervisorMachine,
  observerMachine,
  partitionMachine,
  scheduleLoopMachine,
  sessionMachine,
  termWorkerMachine,
} from '../../../src/machines/index.ts'
import { provideClient } from '../../../src/runtime/provide.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { checkOptions, type Settings, type SimbaOptions } from '../../../src/runtime/settings.ts'
import { createClient, type Simba } from '../../../src/runtime/simba.ts'

interface Machines {
  readonly client: typeof clientMachine
  readonly session: typeof sessionMachine
  readonly groupSupervisor: typeof groupSupervisorMachine
  readonly cohort: typeof cohortMachine
  readonly partition: typeof partitionMachine
  readonly election: typeof electionMachine
  readonly termWorker: typeof termWorkerMachine
  readonly scheduleLoop: typeof scheduleLoopMachine
  readonly observer: typeof observerMachine
}

type Sabotaged = (options: SimbaOptions) => Simba

export interface Breakage {
  readonly options?: (options: SimbaOptions) => SimbaOptions
  readonly settings?: (settings: Settings) => Partial<Settings>
  readonly runtime?: (runtime: Runtime) => Partial<Runtime>
  /** By the id of the machine, wherever it is used. */
  readonly machines?: (runtime: Runtime) => {
    readonly [Id in keyof Machines]?: (machine: Machines[Id]) => AnyStateMachine
  }
}

/** Makes clients as `createSimba` does, but broken. */
export function broken({ options = same, settings, runtime, machines }: Breakage): Sabotaged {
  return (given) => {
    const checked = checkOptions(options(given))
    return createClient({ ...checked, ...settings?.(checked) }, (parts, doubt) => {
      Object.assign(parts, runtime?.(parts))
      const changes = (machines?.(parts) ?? {}) as Readonly<
        Record<string, (machine: AnyStateMachine) => AnyStateMachine>
      >
      return changed(provideClient(parts, doubt), changes) as ReturnType<typeof provideClient>
    })
  }
}

const same = <T>(value: T): T => value

function changed(
  machine: AnyStateMachine,
  changes: Readonly<Record<string, (machine: AnyStateMachine) => AnyStateMachine>>,
): AnyStateMachine {
  const actors = Object.entries(machine.implementations.actors as Readonly<Record<string, unknown>>)
  const children = actors.map(([src, logic]) => [src, isMachine(logic) ? changed(logic, changes) : logic])
  const whole = machine.provide({ actors: Object.fromEntries(children) })
  return changes[machine.id]?.(whole) ?? whole
}

function isMachine(logic: unknown): logic is AnyStateMachine {
  return logic instanceof StateMachine
}

/** A state of a chart, as its machine file writes it. */
export interface Chart {
  states: Record<string, Chart>
  on: Record<string, unknown>
  entry: unknown
  always: unknown
  invoke: Record<string, unknown>
}

/** The machine with another chart; its slots stay filled. `at` finds a state by its path. */
function redrawn(machine: AnyStateMachine, redraw: (at: (path: string) => Chart) => void): AnyStateMachine {
  const config = copied(machine.config) as Chart
  redraw((path) => {
    const found =
      path === '' ? config : path.split('.').reduce<Chart | undefined>((at, name) => at?.states[name], config)
    if (!found) throw new Error(`${machine.id} has no state '${path}'.`)
    return found
  })
  checkNames(config, machine)
  return new StateMachine(config as never, machine.implementations as never)
}

/** What a chart names must be there. XState passes over an action that is not, and so would the breakage. */
function checkNames(chart: unknown, machine: AnyStateMachine): void {
  const slots = { src: 'actors', guard: 'guards', actions: 'actions', entry: 'actions', exit: 'actions' } as const
  if (typeof chart !== 'object' || chart === null) return
  for (const [key, value] of Object.entries(chart)) {
    for (const named of key in slots ? [value].flat() : []) {
      const kind = slots[key as keyof typeof slots]
      const name: unknown = typeof named === 'object' ? named?.type : named
      if (typeof name === 'string' && !(name in machine.implementations[kind]))
        throw new Error(`${machine.id} has no '${name}' among its ${kind}.`)
    }
    checkNames(value, machine)
  }
}

/** Clients in which one machine has another chart. */
export function redrawing(id: keyof Machines): (redraw: (at: (path: string) => Chart) => void) => Sabotaged {
  return (redraw) => broken({ machines: () => ({ [id]: (machine: AnyStateMachine) => redrawn(machine, redraw) }) })
}

/** Clients in which some slots of one machine are filled otherwise. */
export function refilled<Id extends keyof Machines>(id: Id, slots: Parameters<Machines[Id]['provide']>[0]): Sabotaged {
  return broken({ machines: () => ({ [id]: (machine: AnyStateMachine) => machine.provide(slots as never) }) })
}

/** Plain objects and lists are copied; functions and all else are what they were. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copied(part)]))
}

/** The same object with some of its methods in another way. */
export function altered<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(overrides, key)) return overrides[key as keyof T]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
