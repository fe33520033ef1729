/**
 * `npm run stories`: plays the stories of test/scenarios and rewrites their logs, to be read as a diff. Arguments are handed to vitest:
 * `-t NAME` rewrites one.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LOGS, logFileOf, storiesTold } from '../test/scenarios/told.ts'

const told = storiesTold()
const sources = new Set(told.map(({ source }) => source))
mkdirSync(LOGS, { recursive: true })
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...sources, ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, SIMBA_STORIES: 'rewrite' } },
)

const logs = new Set(told.map(({ name }) => logFileOf(name)))
for (const file of readdirSync(LOGS).filter((file) => !logs.has(file))) {
  rmSync(join(LOGS, file))
  console.log(`No story has the log ${file} any more: removed.`)
}
console.log("Read what has changed: 'git diff test/scenarios/logs'.")
process.exit(status ?? 1)
