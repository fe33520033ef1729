/** The golden logs: each run of a story is compared with its own, or rewrites it where the environment variable SIMBA_STORIES says so. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { LOGS, logFileOf } from './told.ts'

export function checkLog(name: string, log: string): void {
  const file = logFileOf(name)
  const path = join(LOGS, file)
  if (process.env.SIMBA_STORIES === 'rewrite') writeFileSync(path, log)
  const golden = existsSync(path) ? readFileSync(path, 'utf8') : '(This story has no log yet.)'
  expect(
    log,
    `The story goes another way than test/scenarios/logs/${file} tells. Where that is meant, 'npm run stories' rewrites it`,
  ).toBe(golden)
}
