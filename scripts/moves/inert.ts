/**
 * One step of a machine with nobody around it: actors are not started, effects are not done, and what would have happened is written
 * down in its order. Guards that ask the runtime are answered by the event of the step itself.
 */
import {
  type ActorLogic,
  type AnyActorRef,
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
  fromCallback,
  type Snapshot,
} from 'xstate'

export type Effect =
  | { readonly kind: 'does'; readonly name: string; readonly params: unknown }
  | { readonly kind: 'sends'; readonly to: string; readonly event: AnyEventObject }
  | { readonly kind: 'raises'; readonly event: AnyEventObject }
  | { readonly kind: 'starts'; readonly id: string; readonly src: string; readonly input: unknown }
  | { readonly kind: 'leaves'; readonly id: string; readonly src: string }

/** What the guards of a step that ask the runtime are told, by their names. */
export type Answers = Readonly<Record<string, boolean>>

export interface Step {
  readonly snapshot: AnyMachineSnapshot
  readonly effects: readonly Effect[]
  /** Of each microstep. The first ones are the machine's answer to the event; an empty list is none. */
  readonly taken: readonly (readonly AnyTransitionDefinition[])[]
}

export interface InertMachine {
  readonly machine: AnyStateMachine
  begin(input: unknown): Step
  step(from: AnyMachineSnapshot, event: AnyEventObject, answers?: Answers): Step
}

export function inert(original: AnyStateMachine, questions: Answers): InertMachine {
  let effects: Effect[] = []
  let taken: (readonly AnyTransitionDefinition[])[] = []
  let answers: Answers = {}

  /** In the place of a child: says that it would be started, and with what. */
  const standIn = (src: string): ActorLogic<Snapshot<undefined>, EventObject, unknown> => ({
    transition: (snapshot) => snapshot,
    getInitialSnapshot({ id }, input) {
      effects.push({ kind: 'starts', id, src, input })
      return { status: 'active', output: undefined, error: undefined }
    },
    getPersistedSnapshot: (snapshot) => snapshot,
  })
  const machine = original.provide({
    actors: Object.fromEntries(Object.keys(original.implementations.actors).map((src) => [src, standIn(src)])),
    guards: Object.fromEntries(
      Object.entries(questions).map(([name, usually]) => [name, () => answers[name] ?? usually]),
    ),
  })

  const nobody = fromCallback(() => undefined)
  const parent = createActor(nobody, {
    id: 'parent',
    inspect(inspected) {
      if (inspected.type === '@xstate.microstep') taken.push(inspected._transitions)
    },
  })
  const self = createActor(nobody, { id: machine.id, parent })
  const scope: AnyActorScope = {
    self,
    id: self.id,
    sessionId: self.sessionId,
    system: self.system,
    logger: () => undefined,
    defer: () => undefined,
    emit: () => undefined,
    stopChild: () => undefined,
    actionExecutor({ type, params }) {
      const effect = effectOf(type, params)
      if (effect) effects.push(effect)
    },
  }

  function watched(step: () => unknown): Step {
    effects = []
    taken = []
    const snapshot = step() as AnyMachineSnapshot
    return { snapshot, effects, taken }
  }

  return {
    machine,
    begin: (input) => watched(() => machine.getInitialSnapshot(scope, input as never)),
    step(from, event, told = {}) {
      answers = told
      return watched(() => machine.transition(from, event, scope))
    },
  }
}

/** Of XState's own actions those that others notice. */
function effectOf(type: string, params: unknown): Effect | undefined {
  switch (type) {
    case 'xstate.sendTo': {
      const { to, event } = params as { readonly to: AnyActorRef; readonly event: AnyEventObject }
      return { kind: 'sends', to: to.id, event }
    }
    case 'xstate.raise':
      return { kind: 'raises', event: (params as { readonly event: AnyEventObject }).event }
    case 'xstate.stopChild': {
      const child = params as AnyActorRef | undefined
      return child && { kind: 'leaves', id: child.id, src: String(child.src) }
    }
    // Its actor has said so itself.
    case 'xstate.spawnChild':
      return undefined
    default:
      if (type.startsWith('xstate.')) throw new Error(`An action that the walk does not know: ${type}`)
      return { kind: 'does', name: type, params }
  }
}
