/** The package as npm packs and links it: its command runs, its guard and its threads start. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtPackage } from '../../support/built-package.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const built = builtPackage()
/** The project of somebody who has installed it. */
const project = mkdtempSync(join(tmpdir(), 'simba-package-'))
const modules = join(project, 'node_modules')
afterAll(() => rmSync(project, { recursive: true, force: true }))

beforeAll(() => {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project]
  execFileSync('npm', pack, { cwd: built(), stdio: 'pipe' })
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!
  const folder = join(modules, 'simba-xstate')
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', join(project, tarball), '-C', folder, '--strip-components=1'])
  const { dependencies, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), '@photostructure']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, '.bin'))
  for (const [name, path] of Object.entries<string>(bin)) {
    chmodSync(join(folder, path), 0o755)
    symlinkSync(join('..', 'simba-xstate', path), join(modules, '.bin', name))
  }
}, 120_000)

function simba(...words: readonly string[]) {
  const env = {
    ...process.env,
    SIMBA_BACKEND: '',
    XDG_STATE_HOME: project,
    PATH: `${join(modules, '.bin')}:${process.env.PATH}`,
  }
  return spawnSync('simba', words, { cwd: project, env, encoding: 'utf8' })
}

test('the command is found by its name, and knows its version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(simba('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
  const help = simba('help', 'lock')
  expect(help.status).toBe(0)
  expect(help.stdout).toContain('simba lock deploy --timeout 10s -- ./deploy.sh')
})

test('the command runs a command, without anything else being installed or started', () => {
  const { status, stdout } = simba('lock', 'deploy', '--', 'sh', '-c', 'echo "$SIMBA_LEASE"; exit 5')
  expect({ status, stdout }).toEqual({ status: 5, stdout: 'deploy\n' })
})

test('a thread of the package runs a module of the project', () => {
  writeFileSync(join(project, 'work.mjs'), 'export const run = (term) => console.log(term.lease, term.isValid)\n')
  writeFileSync(
    join(project, 'main.mjs'),
    `import { createSimba, workerThread } from 'simba-xstate'
     const simba = createSimba({ backend: 'memory:' })
     simba.on('work.completed', ({ outcome, error }) => {
       console.log(outcome, error ?? '')
       void simba.stop()
     })
     simba.send({ type: 'START' })
     simba.election('ingest').runWhileLeader(workerThread(new URL('./work.mjs', import.meta.url), { export: 'run' }))`,
  )
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], { cwd: project, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'ingest true\nCOMPLETED \n', stderr: '' })
})
