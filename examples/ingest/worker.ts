/** One node: a process that stands for election, and ingests while it leads. This is all that a program needs of simba-xstate. */
import { createSimba } from 'simba-xstate'
import { sqlite } from 'simba-xstate/sqlite'
import { ingest } from './ingest.ts'
import type { NodeOptions } from './messages.ts'
import { Parent } from './parent.ts'
import { Sink, StaleTokenError } from './sink.ts'
import { Source } from './source.ts'

const options: NodeOptions = JSON.parse(process.argv[2]!)
const parent = new Parent()
const source = new Source(options.source, options.batchSize)
const sink = new Sink(options.sink)

const simba = createSimba({
  backend: sqlite(options.leases),
  node: options.node,
  leaseDuration: options.leaseMs,
  logger: parent.logger,
})
simba.on('term.started', ({ token }) => parent.tell({ kind: 'leads', token }))
simba.on('handover.completed', ({ token, workMs, releaseMs }) =>
  parent.tell({ kind: 'handedOver', token, workMs, releaseMs }),
)
simba.send({ type: 'START' })

simba.election('ingest').runWhileLeader(async (term) => {
  try {
    await ingest(term, { source, sink, paceMs: options.paceMs, parent })
  } catch (error) {
    if (error instanceof StaleTokenError) parent.tell({ kind: 'refused', ...error.facts })
    throw error
  }
})

process.on('SIGTERM', async () => {
  await simba.stop()
  sink.close()
  await parent.tell({ kind: 'stopped' })
  process.exit()
})
