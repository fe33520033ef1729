/**
 * `npm run bench`: every benchmark in a process of its own, or those whose names are given, on the built package. Ratios within a run
 * mean more than figures.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { ensureServers } from './servers.ts'

const STORES = [['memory'], ['sqlite'], ['redis'], ['zookeeper']]

const RUNS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  partitions: STORES,
  rebalance: STORES,
}

const all = readdirSync('bench')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
const wanted = process.argv.slice(2)
for (const name of wanted) {
  if (!all.includes(name)) throw new Error(`There is no benchmark '${name}'; there are ${all.join(', ')}.`)
}

ensureServers()
if (spawnSync('npm', ['run', 'build'], { stdio: 'ignore' }).status !== 0)
  throw new Error('The package cannot be built.')
for (const name of wanted.length > 0 ? wanted : all) {
  for (const args of RUNS[name] ?? [[]]) {
    console.log(`\n# ${name} ${args.join(' ')}`)
    const { status } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', `bench/${name}.ts`, ...args], {
      stdio: 'inherit',
      // Without the paths to the source: what is measured is what people install.
      env: { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.build.json' },
    })
    if (status !== 0) process.exitCode = 1
  }
}
