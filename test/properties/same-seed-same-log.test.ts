/** What all replaying rests on: a plan and its seed decide every line of the log. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plans } from '../simulation/plans.ts'
import { play } from '../simulation/play.ts'

test('the same plan gives the same log, byte for byte', async () => {
  for (const plan of fc.sample(plans({ mostFaults: 12 }), { seed: 1, numRuns: 10 })) {
    const first = await play(plan)
    const second = await play(plan)
    expect(second.log).toBe(first.log)
    expect(first.log.length).toBeGreaterThan(1_000)
  }
})

test('another seed gives another log', async () => {
  const [plan] = fc.sample(plans(), { seed: 1, numRuns: 1 })
  const [one, other] = [await play(plan!), await play({ ...plan!, seed: plan!.seed + 1 })]
  expect(other.log).not.toBe(one.log)
})
