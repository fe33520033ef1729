/** One round of chaos: a store and nodes of its own, faults by a seed, and a judgement of everything that was logged. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../../src/simulation/random.ts'
import { Cluster } from '../real/cluster.ts'
import { findFaults, type Span } from '../real/judge.ts'
import { type Line, machineMs } from '../real/orders.ts'
import { Pool } from '../real/pool.ts'
import { Sink } from '../real/sink.ts'
import type { Aftermath } from './fault.ts'
import { NODE_FAULTS } from './node-faults.ts'
import { plan, type Step } from './plan.ts'
import { Road } from './road.ts'
import { ROAD_FAULTS } from './road-faults.ts'
import { Stage } from './stage.ts'
import type { ChaosStore, StoreKind } from './stores/store.ts'
import { findWriteFaults } from './writes.ts'

/** Long enough for a busy machine, on which a process now and then stands still for half a second. */
export const LEASE_MS = 2_000
export const RENEW_MS = 500

const ELECTIONS = ['u', 'v', 'w']
const SCHEDULE = 'schedule'
const PARTITIONS = 8
const FEWEST_NODES = 3
const MOST_NODES = 5
const WRITE_EVERY_MS = 100
const CLEAN_UP_MS = 20
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
  readonly lines: readonly Line[]
  readonly terms: number
  readonly writes: { readonly accepted: number; readonly refused: number }
}

export async function playRound(options: RoundOptions): Promise<Round> {
  const { kind, seed } = options
  const folder = mkdtempSync(join(tmpdir(), 'simba-chaos-'))
  const pool = new Pool()
  const chance = new Random(seed).fork('cluster')
  const slots = 'abcdefgh'.slice(0, FEWEST_NODES + Math.floor(chance.next() * (MOST_NODES - FEWEST_NODES + 1)))
  pool.start(slots.length)
  const store = await kind.start()
  const roads = new Map<string, readonly Road[]>()
  for (const [index, slot] of [...slots].entries()) {
    roads.set(slot, await Promise.all(store.ports.map((port) => Road.start(() => port(index)))))
  }
  const sinkPath = join(folder, 'sink.db')
  Sink.create(sinkPath)
  const cluster = new Cluster(pool, {
    backend: (node) => store.url(roads.get(node[0]!)!.map(({ port }) => port)),
    leaseDurationMs: LEASE_MS,
    renewIntervalMs: RENEW_MS,
    elections: ELECTIONS,
    groups: { g: PARTITIONS },
    cleanUpMs: CLEAN_UP_MS,
    sink: { path: sinkPath, everyMs: WRITE_EVERY_MS, schedule: SCHEDULE },
  })
  const stage = new Stage({
    cluster,
    leaseDurationMs: LEASE_MS,
    elections: [...ELECTIONS, SCHEDULE],
    partitions: PARTITIONS,
    roads,
  })
  const recoveries: Recovery[] = []
  const overlaps: Span[] = []
  const violations: string[] = []
  try {
    await stage.populate()
    await stage.recovery(machineMs())
    await playFaults({ ...options, stage, store, recoveries, overlaps })
  } catch (error) {
    violations.push(withoutLog(error))
  }
  // Whatever has gone wrong, what there is of the log is judged, and nothing is left behind.
  for (const clean of [
    () => store.mend(),
    () => cluster.dispose(),
    () => pool.dispose(),
    ...[...roads.values()].flat().map((road) => () => road.dispose()),
    () => store.dispose(),
  ]) {
    await clean().catch((error) => violations.push(withoutLog(error)))
  }
  const sink = new Sink(sinkPath)
  const accepted = sink.read()
  sink.close()
  rmSync(folder, { recursive: true, force: true })
  const { lines } = cluster
  violations.push(
    ...findFaults(lines, { overlaps }),
    ...findWriteFaults({ lines, accepted, killed: stage.killed, overlaps }),
  )
  return {
    kind: kind.name,
    seed,
    recoveries,
    violations,
    lines,
    terms: cluster.reigns.length,
    writes: {
      accepted: accepted.length,
      refused: lines.filter((line) => line.type === 'write' && line.answer === 'refused').length,
    },
  }
}

interface Play extends RoundOptions {
  readonly stage: Stage
  readonly store: ChaosStore
  readonly recoveries: Recovery[]
  readonly overlaps: Span[]
}

async function playFaults({ stage, store, recoveries, overlaps, ...options }: Play): Promise<void> {
  const { seed, steps, untilMs = Number.POSITIVE_INFINITY, onFault } = options
  const faults = [...NODE_FAULTS, ...(store.ports.length > 0 ? ROAD_FAULTS : []), ...store.faults]
  const coming = plan(seed, faults)
  for (let step = 0; step < steps && machineMs() < untilMs; step++) {
    const { faults, draw } = coming.next().value
    const aftermaths = await strike(stage, { faults, draw })
    const ofAll = aftermaths.flatMap((aftermath) => aftermath.overlaps ?? [])
    overlaps.push(...ofAll)
    const sinceMs = Math.max(...aftermaths.map((aftermath) => aftermath.sinceMs))
    const recoveredInMs = await stage.recovery(sinceMs)
    const alone = aftermaths.length === 1 ? aftermaths[0] : undefined
    const recovery = {
      faults: faults.map(({ name }) => name),
      tookMs: alone?.recoveredInMs ?? recoveredInMs,
      isIndulged: ofAll.length > 0,
    }
    recoveries.push(recovery)
    onFault?.(recovery)
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
