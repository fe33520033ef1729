/**
 * Three processes contend for one leader ingest of real data; the leader is killed, replaced, paused and killed again, and at the end
 * every record must be in the sink exactly once. Run with `npm start`. The part that uses simba-xstate is worker.ts and ingest.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from './audit.ts'
import { Cluster } from './cluster.ts'
import { cities, InputError, textFile } from './input.ts'
import { createNarrator } from './narrator.ts'
import { type Options, parseOptions, USAGE, UsageError } from './options.ts'
import { count, number, Screen } from './screen.ts'
import { playStory } from './story.ts'

const NODES = ['a', 'b', 'c']
/** What a run aims at: enough batches for a story, none too large for memory, and about twelve seconds of reading. */
const BATCHES = 60
const LARGEST_BATCH = 5_000
const LONGEST_PACE_MS = 200

async function main({ file, leaseMs }: Options): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'simba-ingest-'))
  const screen = new Screen()
  let cluster: Cluster | undefined
  // Whatever ends this process, but SIGKILL: no node and no file is left. (A node that loses its parent ends by itself.)
  process.on('exit', () => {
    screen.close()
    cluster?.killAll()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(128 + constants.signals[signal]))

  const input = file === undefined ? cities(folder) : await textFile(file)
  const sink = join(folder, 'sink.db')
  const batchSize = Math.min(LARGEST_BATCH, Math.ceil(input.records / BATCHES))
  const paceMs = Math.min(LONGEST_PACE_MS, Math.round((LONGEST_PACE_MS * BATCHES * batchSize) / input.records))
  cluster = new Cluster(
    { leases: join(folder, 'leases.db'), leaseMs, source: input.path, sink, batchSize, paceMs },
    createNarrator(screen, input.records),
  )
  for (const name of NODES) cluster.start(name)

  const nodes = NODES.map((name) => `${name} (process ${cluster.pid(name)})`).join(', ')
  screen.line()
  screen.line(`  ${screen.paint('bold', 'One ingest, three nodes, one leader at a time')}`)
  screen.line()
  screen.line(`  source  ${count(input.records, 'record')}: ${input.title}`)
  screen.line(`  sink    an SQLite file, which refuses a lower fencing token than the newest`)
  screen.line(`  nodes   ${nodes}`)
  screen.line(`  leases  of ${number(leaseMs)} ms, in another SQLite file`)
  screen.line()

  await playStory(cluster, screen, input.records)
  await Promise.all(NODES.map((name) => cluster.stop(name)))
  screen.close()

  const { records, leaders, faults } = await audit(sink, input)
  screen.line()
  if (faults.length > 0) {
    screen.line(`  ${screen.paint('red', 'FAILED')}  ${faults.join('; ')}.`)
    return false
  }
  screen.line(
    `  ${screen.paint('green', 'CHECKED')}  every record of the source is in the sink exactly once, unchanged: ${number(records)} in all,`,
  )
  screen.line(`           written in ${count(leaders, 'term')}. It took ${number(performance.now() / 1000)} s.`)
  screen.line()
  return true
}

try {
  if (process.platform === 'win32') throw new UsageError('The demo needs SIGSTOP, which Windows does not have.')
  const options = parseOptions(process.argv.slice(2))
  if (options.help) console.log(USAGE)
  else process.exitCode = (await main(options)) ? 0 : 1
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`)
  else if (error instanceof InputError) console.error(error.message)
  else console.error(error)
  process.exit(error instanceof UsageError ? 2 : 1)
}
