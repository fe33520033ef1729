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
  /** With its own token, the present one or one before, the lease is released by whoever holds it, if anybody does. */
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
  /** All clients campaign for these leases, one after the other. */
  | ({ readonly do: 'rally'; readonly leases: readonly string[] } & OfClient)
  /** Time passes, after which these clients renew. */
  | { readonly do: 'pass'; readonly ms: number; readonly awake: readonly number[] }
  /** Time passes to where the next session, offer or quarantine ends, or to one grain of time before or after it. */
  | { readonly do: 'passToNext'; readonly offset: number; readonly awake: readonly number[] }
  | { readonly do: 'stepBack'; readonly ms: number }
  /** The present session is ended by somebody else, and its client learns of it. */
  | ({ readonly do: 'expire' } & OfClient)
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
  /** None where nobody can move the store's time: there, sessions end before their time instead. */
  readonly passesMs: readonly number[]
  /** All time that passes is a multiple of this. */
  readonly grainMs: number
  readonly canStepWall: boolean
  readonly canRestart: boolean
}

/** What a duel is mostly about: how many times as often as usual something happens in it. */
type Mood = { readonly [Kind in Command['do']]?: number }

const MOODS: readonly Mood[] = [
  {},
  { campaign: 2, rally: 3, release: 2, withdraw: 2, join: 0, leave: 0 },
  { join: 5, leave: 3, close: 2, campaign: 0.2, rally: 0.2, release: 0.2, withdraw: 0.2 },
  { open: 2, renew: 3, arrive: 4, rally: 0, release: 0.5 },
  { pass: 2, passToNext: 4, stepBack: 8, rally: 3 },
  { restart: 10, pass: 2, passToNext: 2, stepBack: 2 },
]

/** Many commands in random order, those most often that bring clients into each other's way. */
export function someCommands(tempo: Tempo, maxLength: number): fc.Arbitrary<readonly Command[]> {
  return fc.oneof(...MOODS.map((mood) => fc.array(aCommand(tempo, mood), { maxLength, size: 'max' })))
}

function aCommand(
  { leasesMs, renewalsMs, passesMs, canStepWall, canRestart }: Tempo,
  mood: Mood,
): fc.Arbitrary<Command> {
  const who = fc.nat({ max: CLIENTS - 1 })
  const delayed = often(8, false, fc.constant(true))
  const persistent = { who, unaware: often(4, false, fc.constant(true)) }
  const numbered = { ...persistent, delayed, shift: often(3, 0, fc.integer({ min: -6, max: 3 })) }
  const lease = fc.constantFrom(...LEASES)
  const group = fc.constantFrom(...GROUPS)
  const movesTime = passesMs.length > 0
  const ms = fc.constantFrom(...(movesTime ? passesMs : [0]))
  const everybody = Array.from({ length: CLIENTS }, (_, index) => index)
  const awake = fc.oneof(fc.constant([]), fc.subarray(everybody), fc.constant(everybody))
  const leaseMs = fc.constantFrom(...leasesMs)
  const renewMs = fc.constantFrom(...renewalsMs)
  const behind = often(1, null, fc.nat({ max: 5 }))
  const epoch = often(3, 'known' as const, fc.constant('earlier' as const))
  const token = often(3, 'own' as const, fc.constantFrom('former' as const, 'foreign' as const))
  const partitions = often(5, 4, fc.constant(8))
  const resting = fc.subarray([2, 0])
  const data = fc.constantFrom('kept' as const, 'lost' as const)

  /** Of a thousand commands, so many are of this kind. */
  const of = <Kind extends Command['do'], Rest>(
    usually: number,
    kind: Kind,
    rest: { readonly [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
  ) => ({
    weight: Math.round(usually * (mood[kind] ?? 1)),
    arbitrary: fc.record(rest).map((values) => ({ do: kind, ...values })),
  })
  return fc.oneof(
    of(40, 'open', { who, leaseMs, renewMs, delayed }),
    of(10, 'reopen', { who }),
    of(90, 'renew', { behind, epoch, ...persistent }),
    of(180, 'campaign', { lease, ...numbered }),
    of(60, 'rally', { leases: fc.subarray([...LEASES], { minLength: 1 }), who }),
    of(80, 'withdraw', { lease, ...numbered }),
    of(120, 'release', { lease, token, ...numbered }),
    of(100, 'join', { group, partitions, resting, ...numbered }),
    of(40, 'leave', { group, ...numbered }),
    of(40, 'close', { who }),
    of(60, 'arrive', { who, back: fc.nat({ max: 5 }) }),
    of(movesTime ? 90 : 0, 'pass', { ms, awake }),
    of(movesTime ? 60 : 0, 'passToNext', { offset: fc.constantFrom(-1, 0, 1), awake }),
    of(movesTime ? 15 : 0, 'stepBack', { ms }),
    of(canStepWall ? 5 : 0, 'stepWall', { ms: fc.constantFrom(-5_000, 5_000) }),
    of(canRestart ? 15 : 0, 'restart', { data }),
    of(movesTime ? 0 : 60, 'expire', { who }),
  ) as fc.Arbitrary<Command>
}

/** The usual value so many times as often as any other. */
function often<Usual, Other>(times: number, usual: Usual, other: fc.Arbitrary<Other>): fc.Arbitrary<Usual | Other> {
  return fc.oneof({ weight: times, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}
