/** What a duel plays: commands of several clients, and what happens to their store, as plain data that can be printed and kept. */
import fc from 'fast-check'

export type Command =
  /** Begins a new session. The one before is left to run out. */
  | ({ readonly do: 'open'; readonly leaseMs: number; readonly renewMs: number; readonly delayed: boolean } & OfClient)
  /** Opens the present session once more: the answer was lost, or so it seems. */
  | ({ readonly do: 'reopen' } & OfClient)
  /** `behind` is how far the settled number is behind the last one; `null` where nothing is settled. */
  | ({ readonly do: 'renew'; readonly behind: number | null; readonly epoch: 'known' | 'earlier' } & Persistent)
  | ({ readonly do: 'campaign' | 'withdraw'; readonly lease: string } & Numbered)
  /** With its own token, the lease is released by whoever holds it, if anybody does. */
  | ({ readonly do: 'release'; readonly lease: string; readonly token: 'own' | 'former' | 'foreign' } & Numbered)
  | ({
      readonly do: 'join'
      readonly group: string
      readonly partitions: number
      readonly resting: readonly number[]
    } & Numbered)
  | ({ readonly do: 'leave'; readonly group: string } & Numbered)
  | ({ readonly do: 'close' } & OfClient)
  /** Something that the client once sent arrives, perhaps again: the last of it for 0, the one before for 1, and so on. */
  | ({ readonly do: 'arrive'; readonly back: number } & OfClient)
  /** All clients campaign for one lease, one after the other. */
  | ({ readonly do: 'rally'; readonly lease: string } & OfClient)
  /** Time passes, after which these clients renew. */
  | { readonly do: 'pass'; readonly ms: number; readonly awake: readonly number[] }
  /** Time passes to where the next session, offer or quarantine ends, or to one grain of time before or after it. */
  | { readonly do: 'passToNext'; readonly offset: number; readonly awake: readonly number[] }
  | { readonly do: 'stepBack'; readonly ms: number }
  | { readonly do: 'stepWall'; readonly ms: number }
  | { readonly do: 'restart'; readonly data: 'kept' | 'lost' }

interface OfClient {
  readonly who: number
}

/** A client whose session is over opens another one first, unless it is unaware of that. */
export interface Persistent extends OfClient {
  readonly unaware: boolean
}

export interface Numbered extends Persistent {
  /** How far the number is from the one that is due: negative for a late command. */
  readonly shift: number
  /** The command is on its way: it arrives later or never. */
  readonly delayed: boolean
}

export const CLIENTS = 4
export const LEASES: readonly string[] = ['x', 'y', 'z']
/** One has the name of a lease, with which it has nothing to do. */
export const GROUPS: readonly string[] = ['g', 'x']

/** The times that suit a store. */
export interface Tempo {
  readonly leasesMs: readonly number[]
  readonly renewalsMs: readonly number[]
  readonly passesMs: readonly number[]
  /** All time that passes is a multiple of this. */
  readonly grainMs: number
  readonly canStepWall: boolean
  /** How often the store restarts among a thousand commands. */
  readonly restarts: number
}

/** Many commands in random order, those most often that bring clients into each other's way. */
export function someCommands(tempo: Tempo, maxLength: number): fc.Arbitrary<readonly Command[]> {
  return fc.array(aCommand(tempo), { maxLength, size: 'max' })
}

function aCommand({ leasesMs, renewalsMs, passesMs, canStepWall, restarts }: Tempo): fc.Arbitrary<Command> {
  const who = fc.nat({ max: CLIENTS - 1 })
  const delayed = often(false, fc.constant(true), 8)
  const persistent = { who, unaware: often(false, fc.constant(true), 4) }
  const numbered = { ...persistent, delayed, shift: often(0, fc.integer({ min: -6, max: 3 })) }
  const lease = fc.constantFrom(...LEASES)
  const group = fc.constantFrom(...GROUPS)
  const ms = fc.constantFrom(...passesMs)
  const everybody = Array.from({ length: CLIENTS }, (_, index) => index)
  const awake = often(everybody, fc.subarray(everybody), 1)
  const partitions = often(4, fc.constant(8), 5)
  const resting = fc.subarray([2, 0])

  return fc.oneof(
    of(40, {
      do: fc.constant('open' as const),
      who,
      leaseMs: fc.constantFrom(...leasesMs),
      renewMs: fc.constantFrom(...renewalsMs),
      delayed,
    }),
    of(10, { do: fc.constant('reopen' as const), who }),
    of(90, {
      do: fc.constant('renew' as const),
      behind: often(null, fc.nat({ max: 5 }), 1),
      epoch: often('known' as const, fc.constant('earlier' as const)),
      ...persistent,
    }),
    of(180, { do: fc.constant('campaign' as const), lease, ...numbered }),
    of(60, { do: fc.constant('rally' as const), lease, who }),
    of(80, { do: fc.constant('withdraw' as const), lease, ...numbered }),
    of(120, {
      do: fc.constant('release' as const),
      lease,
      token: often('own' as const, fc.constantFrom('former' as const, 'foreign' as const)),
      ...numbered,
    }),
    of(100, { do: fc.constant('join' as const), group, partitions, resting, ...numbered }),
    of(40, { do: fc.constant('leave' as const), group, ...numbered }),
    of(40, { do: fc.constant('close' as const), who }),
    of(60, { do: fc.constant('arrive' as const), who, back: fc.nat({ max: 5 }) }),
    of(100, { do: fc.constant('pass' as const), ms, awake }),
    of(60, { do: fc.constant('passToNext' as const), offset: fc.constantFrom(-1, 0, 1), awake }),
    of(20, { do: fc.constant('stepBack' as const), ms }),
    of(canStepWall ? 10 : 0, { do: fc.constant('stepWall' as const), ms: fc.constantFrom(-5_000, 5_000) }),
    of(restarts, { do: fc.constant('restart' as const), data: fc.constantFrom('kept' as const, 'lost' as const) }),
  )
}

function of<T>(weight: number, model: { readonly [Key in keyof T]: fc.Arbitrary<T[Key]> }) {
  return { weight, arbitrary: fc.record(model) as fc.Arbitrary<T> }
}

/** The usual value so many times as often as any other. */
function often<Usual, Other>(usual: Usual, other: fc.Arbitrary<Other>, times = 3): fc.Arbitrary<Usual | Other> {
  return fc.oneof({ weight: times, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}
