/** A failure can be replayed by the one command that it prints: in a new process, under another locale and time zone, to the same log. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Broken on purpose, so that there is a failure: quickly found, and not at the first moment. */
const SABOTAGE = 'renewals go on extending the deadline of a handover'
const FILE = 'test/properties/05-handover-in-order.test.ts'

interface Failure {
  /** From what is broken to the end of the log. */
  readonly story: string
  readonly command: string
}

/** Runs a command that fails, with nothing of this process around it. */
function failureOf(command: string, environment: Readonly<Record<string, string>>): Failure {
  const { PATH = '', HOME = '' } = process.env
  const { stdout, stderr, status } = spawnSync('sh', ['-c', command], {
    env: { PATH, HOME, NO_COLOR: '1', ...environment },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const output = stdout + stderr
  const [, story, printed] = /^.*?([^\n]*: broken\.\n.*?)To replay exactly this:\n([^\n]+)\n/s.exec(output) ?? []
  if (status === 0 || story === undefined || printed === undefined)
    throw new Error(`It did not fail as it should:\n${output}`)
  return { story, command: printed.trim() }
}

test('the command that a failure prints replays exactly it, on any machine', { timeout: 600_000 }, () => {
  const first = failureOf(`npx vitest run ${FILE}`, { SIMBA_SABOTAGE: SABOTAGE, SIMBA_RUNS: '20' })
  expect(first.command).toContain(`SIMBA_SABOTAGE='${SABOTAGE}'`)
  expect(first.story.split('\n').length).toBeGreaterThan(20)
  const second = failureOf(first.command, { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Auckland', SIMBA_SEED: '7' })
  expect(second).toEqual(first)
})
