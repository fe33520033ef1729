/** A short round of chaos on each store. `npm run chaos` has longer ones. */
import { describe, expect, test } from 'vitest'
import { machineMs } from '../real/orders.ts'
import { LEASE_MS } from './arena.ts'
import { keepEvidence, replay } from './evidence.ts'
import { playRound } from './round.ts'
import { STORES } from './stores/index.ts'
import { summary, table } from './table.ts'

/** How many faults, one after the other; and none begins later than this. */
const FAULTS = 2
const FAULTS_FOR_MS = 60_000

/** The last one has to be recovered from, and everything to be started before and stopped afterwards. */
const LIMIT_MS = 120_000

const missing = (process.env.SIMBA_MISSING_SERVERS ?? '').split(',')

describe.each(Object.values(STORES).flat())('chaos on $name', (kind) => {
  test.skipIf(kind.needs.some((program) => missing.includes(program)))(
    'terms never overlap, tokens grow, writes are in their order, and everything is led again',
    async ({ skip }) => {
      const seed = Number(process.env.SIMBA_SEED ?? Math.floor(Math.random() * 2 ** 31))
      const round = await playRound({
        kind,
        seed,
        steps: FAULTS,
        untilMs: machineMs() + FAULTS_FOR_MS,
      })
      console.info(`${kind.name}, seed ${seed}: ${summary([round])}\n${table([round], LEASE_MS)}`)
      if (round.violations.length > 0) console.error(`${replay(round)}\n${keepEvidence(round)}`)
      expect(round.violations).toEqual([])
      if (round.givenUp) skip(round.givenUp)
      expect(round.recoveries.length).toBeGreaterThan(0)
    },
    LIMIT_MS,
  )
})
