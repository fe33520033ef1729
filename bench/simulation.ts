/** How many seconds of a simulated cluster of three nodes, with faults of all kinds and all checkers watching, pass in one of ours. One process. */
import fc from 'fast-check'
import { plans } from '../test/simulation/plans.ts'
import { play } from '../test/simulation/play.ts'
import { Tally } from '../test/simulation/tally.ts'

const WARM_UP = 20
const PLANS = 200

const chosen = fc.sample(plans({ nodes: [3, 3] }), { seed: 1, numRuns: WARM_UP + PLANS })
for (const plan of chosen.slice(0, WARM_UP)) await play(plan)
const tally = new Tally()
const startCpu = process.cpuUsage()
await tally.time(async () => {
  for (const plan of chosen.slice(WARM_UP)) {
    const story = await play(plan)
    if (story.violations.length > 0) throw new Error(story.violations.join('\n'))
    tally.add(plan, story)
  }
})
const { user, system } = process.cpuUsage(startCpu)
const { simulatedMs, realMs } = tally.numbers
console.table({
  'three nodes': {
    'simulated s': Math.round(simulatedMs / 1_000),
    'real s': Number((realMs / 1_000).toFixed(1)),
    'simulated s per real s': Math.round(simulatedMs / realMs),
    'simulated s per s of cpu': Math.round(simulatedMs / ((user + system) / 1_000)),
  },
})
console.log(String(tally))
