/**
 * `npm test`: makes sure that the servers are there that the tests start, runs all tests, and ends with what was simulated and with the
 * counts, in plain words.
 * Arguments are handed to vitest.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Tally } from '../test/simulation/tally.ts'
import { ensureServers } from './servers.ts'

const missing = ensureServers()
if (missing.length > 0 && process.env.CI) {
  console.error(`Missing for the tests, and not to be installed here: ${missing.join(', ')}.`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'simba-test-'))
const report = join(folder, 'report.json')
/** What was simulated, by each file that simulates. */
const tallies = join(folder, 'tallies')
mkdirSync(tallies)
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
]
const { status } = spawnSync(process.execPath, [...vitest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, SIMBA_MISSING_SERVERS: missing.join(','), SIMBA_TALLY: tallies },
})

try {
  const counts: {
    numPassedTests: number
    numFailedTests: number
    numPendingTests: number
    numFailedTestSuites: number
  } = JSON.parse(readFileSync(report, 'utf8'))
  // A file that does not even load has no tests to count, and is a failure all the same.
  const failed = Math.max(counts.numFailedTests, counts.numFailedTestSuites > 0 || status !== 0 ? 1 : 0)
  const tally = Tally.collect(tallies)
  if (tally.numbers.plans > 0) console.log(String(tally))
  if (missing.length > 0) console.log(`Skipped for want of ${missing.join(', ')}: install them to run everything.`)
  const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : ''
  console.log(`${counts.numPassedTests} passed, ${failed} failed${skipped}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(status ?? 1)
