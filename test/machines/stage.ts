/**
 * Where one machine runs under a parent that only listens. Whatever happens on it is watched: contexts and events must be plain data,
 * no machine may fail unless the test means it to, and in the end every state must have been reached.
 */
import { isDeepStrictEqual } from 'node:util'
import { afterEach } from 'vitest'
import {
  type Actor,
  type AnyActorRef,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  fromTransition,
  type InputFrom,
  type InspectionEvent,
} from 'xstate'

const reached = new Map<string, Set<string>>()
const stages = new Set<Stage>()

afterEach(() => {
  for (const stage of stages) stage.check()
  stages.clear()
})

export class Stage {
  /** Effects in order, each as its name and its parameters. */
  readonly log: string[] = []
  /** What the machine has told its parent. */
  readonly heard: AnyEventObject[] = []
  readonly #complaints: string[] = []
  readonly #parent = createActor(
    fromTransition((context: undefined, event) => {
      this.heard.push(event)
      return context
    }, undefined),
    { inspect: (event) => this.#watch(event) },
  )

  constructor() {
    stages.add(this)
    this.#parent.start()
  }

  start<Machine extends AnyStateMachine>(machine: Machine, input: InputFrom<Machine>): Actor<Machine> {
    const actor = createActor(machine as AnyStateMachine, { id: machine.id, input, parent: this.#parent })
    actor.start()
    return actor as Actor<Machine>
  }

  /** Slots of effects that only write down that they were used. */
  effects<const Names extends readonly string[]>(...names: Names) {
    const slots = names.map((name) => [
      name,
      (_: unknown, params: unknown) => void this.log.push(written(name, params)),
    ])
    return Object.fromEntries(slots) as Record<Names[number], (args: unknown, params: unknown) => void>
  }

  /** Types of what the parent has heard. */
  get news(): readonly string[] {
    return this.heard.map(({ type }) => type)
  }

  /** Takes what was logged so far out of the log. */
  take(): readonly string[] {
    return this.log.splice(0)
  }

  /** Throws where anything was seen that must not be. */
  check(): void {
    if (this.#complaints.length > 0) throw new Error(this.#complaints.join('\n'))
  }

  #watch(inspected: InspectionEvent): void {
    const { logic } = inspected.actorRef as AnyActorRef & { readonly logic: unknown }
    if (!isMachine(logic)) return
    if (inspected.type === '@xstate.event') this.#watchEvent(inspected.event)
    if (inspected.type === '@xstate.microstep' || inspected.type === '@xstate.snapshot')
      this.#watchSnapshot(logic, inspected.snapshot as AnyMachineSnapshot)
  }

  #watchEvent(event: AnyEventObject): void {
    // XState carries errors as they were thrown; machines keep of them what is plain.
    const { error: _, ...data } = event
    this.#demandPlain(`The event ${event.type}`, event.type.startsWith('xstate.error.') ? data : event)
  }

  #watchSnapshot({ id }: AnyStateMachine, snapshot: AnyMachineSnapshot): void {
    this.#demandPlain(`The context of ${id}`, snapshot.context)
    const states = reached.get(id) ?? new Set()
    reached.set(id, states)
    for (const node of snapshot._nodes) states.add(node.id)
  }

  #demandPlain(what: string, value: unknown): void {
    const copy: unknown = JSON.parse(JSON.stringify(value))
    if (!isDeepStrictEqual(copy, withoutUndefined(value)))
      this.#complaints.push(`${what} is not plain data: ${String(JSON.stringify(value))}`)
  }
}

function isMachine(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && 'root' in logic
}

/** Whom it is about, and then what. */
function written(name: string, params: unknown): string {
  const { session, lease, token, partition, ...others }: Record<string, unknown> = { ...(params as object) }
  const values = [lease, token, partition, session, ...Object.values(others)]
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  return [name, ...values].join(' ')
}

/** JSON has no `undefined`: a property that has it is as good as none. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutUndefined(part)]))
}

function leavesOf(node: AnyStateNode): readonly AnyStateNode[] {
  const children = Object.values(node.states)
  return children.length === 0 ? [node] : children.flatMap(leavesOf)
}

/** The states that no actor of this machine has been in, on any stage. Those that are left at once do not count. */
export function unreached(machine: AnyStateMachine): readonly string[] {
  const isLeftAtOnce = ({ always }: AnyStateNode) => always?.some(({ guard }) => guard === undefined) ?? false
  return leavesOf(machine.root)
    .filter((leaf) => !isLeftAtOnce(leaf))
    .map(({ id }) => id)
    .filter((id) => !reached.get(machine.id)?.has(id))
}

/** What each state has to say to an event, itself or by a state above it; `false` where nobody has an answer. */
function answers(node: AnyStateNode, event: string): boolean {
  for (let at: AnyStateNode | undefined = node; at; at = at.parent) {
    const descriptors = [...at.transitions.keys()]
    if (descriptors.some((descriptor) => matches(descriptor, event))) return true
  }
  return false
}

function matches(descriptor: string, event: string): boolean {
  return descriptor === event || (descriptor.endsWith('.*') && event.startsWith(descriptor.slice(0, -1)))
}

/** Pairs of a state and an event that meet no answer. Of regions that are active at once, one answer is enough. */
export function unanswered({ root }: AnyStateMachine, events: readonly string[]): readonly string[] {
  const regions = root.type === 'parallel' ? Object.values(root.states) : [root]
  const silent = (region: AnyStateNode, event: string) =>
    leavesOf(region).filter((leaf) => leaf.type !== 'final' && !answers(leaf, event))
  return events
    .filter((event) => regions.every((region) => silent(region, event).length > 0))
    .flatMap((event) => regions.flatMap((region) => silent(region, event).map(({ id }) => `${id}: ${event}`)))
}

/** Actors that a state invokes, where their failing would be the machine's. */
export function unhandledFailures(machine: AnyStateMachine): readonly string[] {
  const all = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(all)]
  return all(machine.root).flatMap((node) =>
    node.invoke
      .filter(({ id }) => !leavesOf(node).every((leaf) => answers(leaf, `xstate.error.actor.${id}`)))
      .map(({ src }) => `${node.id} invokes ${String(src)}`),
  )
}
