/** Everything that a round is played with: a store, roads to it, nodes, and the sink that they write to. What was opened is closed again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../../src/simulation/random.ts'
import { Cluster } from '../real/cluster.ts'
import { Pool } from '../real/pool.ts'
import { type Accepted, Sink } from '../real/sink.ts'
import { Road } from './road.ts'
import { Stage } from './stage.ts'
import type { ChaosStore, StoreKind } from './stores/store.ts'

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
/** On a machine that is kept busy by several rounds at once, processes take long to start. How long recovery took is for the table to say. */
const PATIENCE_MS = 60_000

export interface Arena {
  readonly store: ChaosStore
  readonly stage: Stage
  /** What the sink has accepted. */
  readonly accepted: () => readonly Accepted[]
}

/** What is to be closed goes onto the stack, so that a failure in between leaves nothing behind. */
export async function openArena(kind: StoreKind, seed: number, close: (() => unknown)[]): Promise<Arena> {
  const folder = mkdtempSync(join(tmpdir(), 'simba-chaos-'))
  close.push(() => rmSync(folder, { recursive: true, force: true }))
  const chance = new Random(seed).fork('cluster')
  const slots = 'abcde'.slice(0, FEWEST_NODES + Math.floor(chance.next() * (MOST_NODES - FEWEST_NODES + 1)))

  const store = await kind.start()
  close.push(() => store.dispose())
  // Closed before the store: no process has its files open by then.
  const pool = new Pool()
  close.push(() => pool.dispose())
  pool.start(slots.length)
  const roads = new Map<string, readonly Road[]>()
  for (const [index, slot] of [...slots].entries()) {
    roads.set(slot, await Promise.all(store.ports.map((port) => Road.start(() => port(index)))))
  }
  for (const road of [...roads.values()].flat()) close.push(() => road.dispose())

  const path = join(folder, 'sink.db')
  Sink.create(path)
  const sink = new Sink(path)
  close.push(() => sink.close())
  const cluster = new Cluster(pool, {
    backend: (node) => store.url(roads.get(node[0]!)!.map(({ port }) => port)),
    leaseDurationMs: LEASE_MS,
    renewIntervalMs: RENEW_MS,
    elections: ELECTIONS,
    groups: { g: PARTITIONS },
    cleanUpMs: CLEAN_UP_MS,
    patienceMs: PATIENCE_MS,
    sink: { path, everyMs: WRITE_EVERY_MS, schedule: SCHEDULE },
  })
  const stage = new Stage({
    cluster,
    leaseDurationMs: LEASE_MS,
    elections: [...ELECTIONS, SCHEDULE],
    partitions: PARTITIONS,
    roads,
  })
  return { store, stage, accepted: () => sink.read() }
}
