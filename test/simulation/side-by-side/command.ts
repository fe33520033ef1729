/** What a duel plays: commands of several clients and what happens to their store, as plain data, so that a failure can be printed and kept. */
import fc from 'fast-check'

export type Command =
  /** A client begins a new session. The one before, if any, is left to run out. */
  | { readonly do: 'open'; readonly who: number; readonly leaseMs: number; readonly renewMs: number }
  /** The answer to the opening was lost, or so it seems. */
  | { readonly do: 'reopen'; readonly who: number }
  /** `settled` is how far behind the last number; -1 for nothing settled. */
  | { readonly do: 'renew'; readonly who: number; readonly settled: number; readonly epoch: 'known' | 'earlier' }
  | ({ readonly do: 'campaign' | 'withdraw'; readonly lease: string } & Numbered)
  | ({ readonly do: 'release'; readonly lease: string; readonly token: 'own' | 'former' | 'foreign' } & Numbered)
  | ({ readonly do: 'join'; readonly group: string; readonly partitions: number; readonly resting: number[] } & Numbered)
  | ({ readonly do: 'leave'; readonly group: string } & Numbered)
  | { readonly do: 'close'; readonly who: number }
  /** A command that this client once sent arrives (again): the last one for 0, the one before for 1, and so on. */
  | { readonly do: 'arrive'; readonly who: number; readonly back: number }
  | { readonly do: 'pass'; readonly ms: number }
  /** Time passes while all clients renew. */
  | { readonly do: 'passAwake'; readonly ms: number }
  /** Time passes to where the next session, offer or quarantine ends, or to just before or after it. */
  | { readonly do: 'passToNext'; readonly offsetMs: number }
  | { readonly do: 'stepBack'; readonly ms: number }
  | { readonly do: 'stepWall'; readonly ms: number }
  | { readonly do: 'restart'; readonly data: 'kept' | 'lost' }

interface Numbered {
  readonly who: number
  /** How far the number is from the one that is due: negative for a late command. */
  readonly shift: number
  /** The command is on its way: it arrives later or never. */
  readonly delayed: boolean
}

export const CLIENTS = 4
export const LEASES: readonly string[] = ['x', 'y']
/** One has the name of a lease, with which it has nothing to do. */
export const GROUPS: readonly string[] = ['g', 'x']

/** The times that suit a store. */
export interface Tempo {
  readonly leasesMs: readonly number[]
  readonly renewalsMs: readonly number[]
  readonly passesMs: readonly number[]
  /** The least time that may pass; the ends of sessions and offers may fall in between. */
  readonly grainMs: number
  readonly canStepWall: boolean
  /** How often the store restarts among a thousand commands. */
  readonly restarts: number
}

/** Many commands in random order, those most often that bring clients into each other's way. */
export function someCommands(tempo: Tempo, maxLength: number): fc.Arbitrary<readonly Command[]> {
  return fc.array(aCommand(tempo), { maxLength, size: 'max' })
}

function aCommand({ leasesMs, renewalsMs, passesMs, grainMs, canStepWall, restarts }: Tempo): fc.Arbitrary<Command> {
  const who = fc.nat({ max: CLIENTS - 1 })
  const numbered = {
    who,
    shift: often(0, fc.integer({ min: -6, max: 3 })),
    delayed: often(false, fc.boolean()),
  }
  const lease = fc.constantFrom(...LEASES)
  const group = fc.constantFrom(...GROUPS)
  const ms = fc.constantFrom(...passesMs)
  const is = <const Do extends Command['do']>(name: Do) => fc.constant(name)
  const mixed: readonly (readonly [number, fc.Arbitrary<Command>])[] = [
    [60, fc.record({ do: is('open'), who, leaseMs: fc.constantFrom(...leasesMs), renewMs: fc.constantFrom(...renewalsMs) })],
    [15, fc.record({ do: is('reopen'), who })],
    [90, fc.record({ do: is('renew'), who, settled: often(-1, fc.nat({ max: 5 })), epoch: often('known', fc.constantFrom('earlier')) })],
    [220, fc.record({ do: is('campaign'), lease, ...numbered })],
    [70, fc.record({ do: is('withdraw'), lease, ...numbered })],
    [110, fc.record({ do: is('release'), lease, token: often('own', fc.constantFrom('former', 'foreign')), ...numbered })],
    [90, fc.record({ do: is('join'), group, partitions: often(4, fc.constantFrom(4, 8)), resting: fc.subarray([2, 0], { maxLength: 2 }), ...numbered })],
    [40, fc.record({ do: is('leave'), group, ...numbered })],
    [40, fc.record({ do: is('close'), who })],
    [60, fc.record({ do: is('arrive'), who, back: fc.nat({ max: 5 }) })],
    [60, fc.record({ do: is('pass'), ms })],
    [60, fc.record({ do: is('passAwake'), ms })],
    [60, fc.record({ do: is('passToNext'), offsetMs: fc.constantFrom(-grainMs, 0, grainMs) })],
    [15, fc.record({ do: is('stepBack'), ms })],
    [canStepWall ? 10 : 0, fc.record({ do: is('stepWall'), ms: fc.constantFrom(-5_000, 5_000) })],
    [restarts, fc.record({ do: is('restart'), data: fc.constantFrom('kept', 'lost') })],
  ]
  return fc.oneof(...mixed.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

/** The usual value three times out of four. */
function often<const Usual, const Other>(usual: Usual, other: fc.Arbitrary<Other>): fc.Arbitrary<Usual | Other> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}
