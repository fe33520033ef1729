/**
 * `npm run chaos -- --minutes N [--store redis|sqlite|zookeeper] [--seed S]`: random faults on real processes and real servers, for so many
 * minutes on each store. A seed plays the one round that it stands for. Ends with 1 where something did not hold.
 */
import { parseArgs } from 'node:util'
import { LEASE_MS, RENEW_MS } from '../test/scenarios/chaos/arena.ts'
import { keepEvidence, replay } from '../test/scenarios/chaos/evidence.ts'
import { playRound, type Round } from '../test/scenarios/chaos/round.ts'
import { STORES } from '../test/scenarios/chaos/stores/index.ts'
import type { StoreKind } from '../test/scenarios/chaos/stores/store.ts'
import { summary, table } from '../test/scenarios/chaos/table.ts'
import { machineMs } from '../test/scenarios/real/orders.ts'
import { ensureServers } from './servers.ts'

const STEPS = 10
const DEFAULT_MINUTES = 1

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, store: { type: 'string' }, seed: { type: 'string' } },
})
const minutes = numberOf('minutes', values.minutes) ?? DEFAULT_MINUTES
const seed = numberOf('seed', values.seed)
const missing = ensureServers()

// What is running is told to end at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

for (const [store, kinds] of Object.entries(storesOf(values.store))) {
  const here = kinds.filter(({ name, needs }) => {
    const lacks = needs.filter((program) => missing.includes(program))
    if (lacks.length > 0) console.log(`${name} is left out for want of ${lacks.join(', ')}.`)
    return lacks.length === 0
  })
  if (here.length > 0) await play(store, here)
}

async function play(store: string, kinds: readonly StoreKind[]): Promise<void> {
  const rounds: Round[] = []
  const untilMs = machineMs() + minutes * 60_000
  do {
    const kind = kinds[rounds.length % kinds.length]!
    rounds.push(
      await playOne(kind, seed ?? Math.floor(Math.random() * 2 ** 31), seed === undefined ? untilMs : undefined),
    )
  } while (seed === undefined ? machineMs() < untilMs : rounds.length < kinds.length)
  console.log(`\n# ${store}: lease ${LEASE_MS} ms, renewed every ${RENEW_MS} ms\n`)
  for (const kind of kinds) {
    const ofKind = rounds.filter((round) => round.kind === kind.name)
    if (ofKind.length > 0) console.log(`${kind.name}: ${summary(ofKind)}\n\n${table(ofKind, LEASE_MS)}\n`)
  }
}

async function playOne(kind: StoreKind, seed: number, untilMs?: number): Promise<Round> {
  console.log(`${kind.name}, seed ${seed}`)
  const round = await playRound({
    kind,
    seed,
    steps: STEPS,
    untilMs,
    onFault: ({ faults, tookMs }) => console.log(`  ${faults.join(' + ')}: ${Math.round(tookMs)} ms`),
  })
  if (round.givenUp) console.log(`  Given up: ${round.givenUp}.`)
  if (round.violations.length > 0) {
    process.exitCode = 1
    for (const violation of round.violations) console.error(`  VIOLATION ${violation}`)
    console.error(`  The log is in ${keepEvidence(round)}. The same faults again: ${replay(round)}`)
  }
  return round
}

/** By the name of a backend, or of one kind of its servers. */
function storesOf(name: string | undefined): typeof STORES {
  if (name === undefined) return STORES
  const found =
    STORES[name] ??
    Object.values(STORES)
      .flat()
      .filter((kind) => kind.name === name)
  if (found.length > 0) return { [name]: found }
  const all = Object.entries(STORES).flatMap(([store, kinds]) => [store, ...kinds.map((kind) => kind.name)])
  throw new Error(`--store ${name}: there are ${[...new Set(all)].join(', ')}`)
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw new Error(`--${option} ${text} is no number`)
}
