/**
 * `npm run soak -- --minutes 10`: goes on with new seeds over the plans of all properties, on all cores, and ends with a report.
 * It fails where a promise was broken, with the seed, the shrunk plan, its log and the command that replays it. `--seed 1` begins elsewhere.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type PromiseFile, promises } from '../test/simulation/promises.ts'
import { Tally } from '../test/simulation/tally.ts'
import type { Job, Outcome } from './soak/worker.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes is ${values.minutes}; allowed is a number above 0.`)

/** Few enough that the end comes on time, and enough that the beginning of a search is nothing. */
const PLANS_AT_A_TIME = 20
const PROGRESS_EACH_MS = 30_000
/** A search that takes longer than this, with all its shrinking, goes round in circles. */
const STUCK_AFTER_MS = 600_000

const endMs = performance.now() + minutes * 60_000
const tally = new Tally()
const violations: string[] = []
const all = (Object.keys(promises) as PromiseFile[]).flatMap((file) =>
  promises[file].map((_, index) => ({ file, index })),
)
/** Others each time, unless one is named: a soak looks where nobody has looked before. */
let seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed)
let jobs = 0

function nextJob(): Job {
  const job = { ...all[jobs % all.length]!, seed, runs: PLANS_AT_A_TIME }
  jobs += 1
  // Every property with one seed, then the next.
  if (jobs % all.length === 0) seed += 1
  return job
}

function run(worker: ChildProcess, job: Job): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const what = `${job.file}, property ${job.index + 1}, seed ${job.seed}`
    const stuck = setTimeout(() => {
      worker.kill('SIGKILL')
      reject(new Error(`No end after ${STUCK_AFTER_MS / 60_000} minutes: ${what}.`))
    }, STUCK_AFTER_MS)
    const died = () => reject(new Error(`A worker died: ${what}.`))
    worker.once('exit', died)
    worker.once('message', (outcome: Outcome) => {
      clearTimeout(stuck)
      worker.off('exit', died)
      resolve(outcome)
    })
    worker.send(job)
  })
}

async function work(): Promise<void> {
  const worker = fork(fileURLToPath(new URL('./soak/worker.ts', import.meta.url)))
  try {
    while (performance.now() < endMs && violations.length === 0) {
      const { numbers, found } = await run(worker, nextJob())
      tally.merge(numbers)
      if (found !== undefined) violations.push(found)
    }
  } catch (error) {
    violations.push(String(error))
  } finally {
    worker.kill()
  }
}

const progress = setInterval(() => {
  const { simulatedMs, plans } = tally.numbers
  const leftS = Math.max(0, Math.round((endMs - performance.now()) / 1_000))
  console.log(`${(simulatedMs / 3_600_000).toFixed(1)} cluster-hours in ${plans} plans, no violation; ${leftS} s to go`)
}, PROGRESS_EACH_MS)

const firstSeed = seed
await Promise.all(Array.from({ length: availableParallelism() }, work))
clearInterval(progress)
console.log(`\n${tally}\nSeeds ${firstSeed} to ${seed}, for ${all.length} properties.`)
for (const violation of violations) console.log(`\n${violation}`)
console.log(`\n${violations.length} violations`)
process.exitCode = violations.length > 0 ? 1 : 0
