/**
 * What a machine is walked in: how it may be started, all that can come to it, and which parts of its context decide what it does
 * then. A walk is finite because the rest of the context is left out.
 */
import type { AnyEventObject, AnyStateMachine, ContextFrom, InputFrom, SnapshotFrom } from 'xstate'
import type { Answers } from './inert.ts'
import type { Move } from './walk.ts'

/** A fact of the context, as a word. */
export interface Fact<Context> {
  /** Why it matters. */
  readonly why: string
  /** The keys of the context that it is read from, where that is not its name. */
  readonly from?: readonly (string & keyof Context)[]
  readonly of: (context: Context) => string
}

export interface Happening {
  /** What a reader calls it; unique within a state. */
  readonly label: string
  readonly event: AnyEventObject
  /** What the runtime says to the guards that ask it. */
  readonly answers?: Answers
  /** Goes on when all faults are over: calls are answered, waits end, work exits, children that were told to end do so. */
  readonly isCalm: boolean
  /** The actor of the machine that is over with this. */
  readonly ends?: string
}

/** How an actor that the machine has started may end. */
export interface Ending {
  readonly note: string
  readonly output?: unknown
  readonly error?: Error
  readonly answers?: Answers
  readonly isCalm: boolean
}

export interface Surroundings<Machine extends AnyStateMachine = AnyStateMachine> {
  readonly machine: Machine
  readonly starts: Readonly<Record<string, InputFrom<Machine>>>
  /** The part of the context that decides. */
  readonly facts: Readonly<Record<string, Fact<ContextFrom<Machine>>>>
  /** The rest of the context by what it is about, and why it decides nothing. */
  readonly leftOut: Readonly<Record<string, string>>
  /** Regions of the machine that are facts rather than places. */
  readonly asFacts?: readonly string[]
  /** Guards that ask the runtime, with the usual answer. */
  readonly questions?: Answers
  /** Parameters of effects and events that say nothing that the facts do not say. */
  readonly unsaid: readonly string[]
  comes(snapshot: SnapshotFrom<Machine>): readonly Happening[]
  /** By the name of the actor. */
  readonly ends: Readonly<Record<string, (snapshot: SnapshotFrom<Machine>, id: string) => readonly Ending[]>>
  /** A move as the table tells of it, where a fact says more than a reader can take in. */
  readable?(move: Move): Move
  /** Actors that the machine still has, but that are over. */
  over?(snapshot: SnapshotFrom<Machine>): readonly string[]
}

export type AnySurroundings = Surroundings<AnyStateMachine>

/** A command, or a fact that nobody can count on. */
export function told<Event extends AnyEventObject>(event: Event, note?: string): Happening {
  return { label: labelOf(event.type, note), event, isCalm: false }
}

/** Something that comes once the machine waits for it, whatever else may happen. */
export function comes<Event extends AnyEventObject>(
  event: Event,
  note?: string,
  more: Pick<Happening, 'answers' | 'ends'> = {},
): Happening {
  return { ...told(event, note), isCalm: true, ...more }
}

/** An actor's output, in a store and a world without faults. */
export function answers(note: string, output?: unknown, asked?: Answers): Ending {
  return { note, output, isCalm: true, ...(asked && { answers: asked }) }
}

/** An output that only comes of a fault. */
export function answersOddly(note: string, output: unknown, asked?: Answers): Ending {
  return { ...answers(note, output, asked), isCalm: false }
}

export const FAILS: Ending = { note: 'failed', error: new Error('no answer'), isCalm: false }

/** A wait, which is over or breaks. */
export const wait = () => [answers('over'), FAILS]

export function labelOf(type: string, note?: string): string {
  return note === undefined ? type : `${type}: ${note}`
}
