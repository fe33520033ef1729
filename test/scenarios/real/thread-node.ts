/** A process with one client, whose leader work is a thread that never heeds anything. Ends in handover order when it is told to. */
import { createSimba, workerThread } from 'simba-xstate'

const simba = createSimba({ backend: process.env.THREAD_BACKEND, node: process.env.THREAD_NODE, leaseDuration: '3s' })
simba.on('*', (event) => process.stdout.write(`${JSON.stringify(event)}\n`))
simba.stopOnSignals()
simba.send({ type: 'START' })
simba
  .election('ingest')
  .runWhileLeader(workerThread(new URL('./thread-work.ts', import.meta.url), { export: 'stubborn' }))
