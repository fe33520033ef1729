/** One round of chaos: faults by a seed, and a judgement of everything that was logged meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findFaults, type Span } from '../real/judge.ts'
import { type Line, machineMs } from '../real/orders.ts'
import { type Arena, openArena } from './arena.ts'
import type { Aftermath } from './fault.ts'
import { NODE_FAULTS } from './node-faults.ts'
import { plan, type Step } from './plan.ts'
import { ROAD_FAULTS } from './road-faults.ts'
import { RestlessError, type Stage } from './stage.ts'
import type { StoreKind } from './stores/store.ts'
import { findWriteFaults } from './writes.ts'

const LONGEST_CALM_MS = 300

export interface RoundOptions {
  readonly kind: StoreKind
  readonly seed: number
  readonly steps: number
  /** No fault begins after this instant of the machine's clock. */
  readonly untilMs?: number
  readonly onFault?: (fault: Recovery) => void
}

/** What happened at a time, and how long it took to recover from it. */
export interface Recovery {
  readonly faults: readonly string[]
  readonly tookMs: number
  /** For a while, only tokens were promised. */
  readonly isIndulged: boolean
}

export interface Round {
  readonly kind: string
  readonly seed: number
  readonly recoveries: readonly Recovery[]
  /** In plain words. */
  readonly violations: readonly string[]
  /** Why the round was given up, where the machine or the store itself is to blame; what there is was judged all the same. */
  readonly givenUp: string | undefined
  readonly lines: readonly Line[]
  readonly terms: number
  readonly writes: { readonly accepted: number; readonly refused: number }
}

export async function playRound(options: RoundOptions): Promise<Round> {
  const { kind, seed } = options
  const recoveries: Recovery[] = []
  const overlaps: Span[] = []
  const violations: string[] = []
  const stack: (() => unknown)[] = []
  let arena: Arena | undefined
  let givenUp: string | undefined
  try {
    arena = await openArena(kind, seed, stack)
    await arena.stage.populate()
    await arena.stage.recovery(machineMs())
    for await (const recovery of playFaults(arena, options, overlaps)) {
      recoveries.push(recovery)
      options.onFault?.(recovery)
    }
  } catch (error) {
    if (error instanceof RestlessError) givenUp = error.message
    else givenUp = await arena?.store.outage?.()
    if (givenUp === undefined) violations.push(withoutLog(error))
  }
  // Whatever has gone wrong, what there is of the log is judged, and nothing is left behind.
  const attempt = async (act: () => unknown) => {
    try {
      await act()
    } catch (error) {
      violations.push(withoutLog(error))
    }
  }
  await attempt(() => arena?.store.mend())
  await attempt(() => arena?.stage.cluster.dispose())
  const accepted = arena?.accepted() ?? []
  for (const close of stack.reverse()) await attempt(close)

  const lines = arena?.stage.cluster.lines ?? []
  const killed = arena?.stage.killed ?? new Set()
  violations.push(...findFaults(lines, { overlaps }), ...findWriteFaults({ lines, accepted, killed, overlaps }))
  const refused = lines.filter((line) => line.type === 'write' && line.answer === 'refused').length
  const terms = arena?.stage.cluster.reigns.length ?? 0
  const writes = { accepted: accepted.length, refused }
  return { kind: kind.name, seed, recoveries, violations, givenUp, lines, terms, writes }
}

/** Each step's recovery. Notes when terms may overlap. */
async function* playFaults(
  { stage, store }: Arena,
  { seed, steps, untilMs }: RoundOptions,
  overlaps: Span[],
): AsyncGenerator<Recovery> {
  const coming = plan(seed, [...NODE_FAULTS, ...(store.ports.length > 0 ? ROAD_FAULTS : []), ...store.faults])
  for (let step = 0; step < steps && machineMs() < (untilMs ?? Number.POSITIVE_INFINITY); step++) {
    const { faults, draw } = coming.next().value
    const aftermaths = await strike(stage, { faults, draw })
    const spans = aftermaths.flatMap((aftermath) => aftermath.overlaps ?? [])
    overlaps.push(...spans)
    const allMs = await stage.recovery(Math.max(...aftermaths.map(({ sinceMs }) => sinceMs)))
    const alone = aftermaths.length === 1 ? aftermaths[0] : undefined
    yield {
      faults: faults.map(({ name }) => name),
      tookMs: alone?.recoveredInMs ?? allMs,
      isIndulged: spans.length > 0,
    }
    await sleep(draw.next() * LONGEST_CALM_MS)
  }
}

async function strike(stage: Stage, { faults, draw }: Step): Promise<readonly Aftermath[]> {
  // Each of them is over, however the other one ends.
  const outcomes = await Promise.allSettled(faults.map((fault) => fault.act(stage, draw.fork(fault.name))))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** The message of a wait that was in vain ends with the log, which is kept anyhow. */
function withoutLog(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : String(error)
}
