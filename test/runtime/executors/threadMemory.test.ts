/** The memory that two threads share about a term: what is read was written together, however the writing goes on meanwhile. */
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { TermEndReason } from '../../../src/index.ts'
import { TermMemory } from '../../../src/runtime/executors/thread/memory.ts'

const REASONS: readonly TermEndReason[] = [
  'stopped',
  'moved',
  'stepped-down',
  'fatal-work',
  'session-lost',
  'expired',
  'forgotten',
  'crashed',
]

/** How many different writings are read, at least. */
const NEWS = 2_000

test('what was written is read, with every reason and without one', () => {
  const memory = new TermMemory()
  const other = new TermMemory(memory.buffer)
  for (const end of [undefined, ...REASONS]) {
    memory.write({ deadline: { atMs: 1.5, leadMs: -2 }, ...(end && { end }) })
    expect(other.read()).toEqual({ count: memory.count, deadline: { atMs: 1.5, leadMs: -2 }, ...(end && { end }) })
  }
})

test('a page is never read half old and half new, while another thread writes as fast as it can', async () => {
  const memory = new TermMemory()
  memory.write({ deadline: { atMs: 0, leadMs: 0 } })
  // The writer's part of the memory, in words of its own: no module can be loaded here without a loader.
  const writer = `
    const { workerData } = require('node:worker_threads')
    const count = new Int32Array(workerData, 0, 1)
    const pages = [0, 1].map((page) => new Float64Array(workerData, 8 + page * 24, 3))
    for (let next = 2; ; next++) {
      const page = pages[next & 1]
      page[0] = next
      page[1] = -next
      page[2] = (next % 8) + 1
      Atomics.store(count, 0, next)
    }`
  const thread = new Worker(writer, { eval: true, workerData: memory.buffer })
  try {
    let last = 0
    let news = 0
    for (let reads = 0; news < NEWS; reads++) {
      const { count, deadline, end } = memory.read()
      if (count < last) throw new Error(`${count} was read after ${last}`)
      const isWhole = deadline.atMs === count && deadline.leadMs === -count && end === REASONS[count % 8]
      if (count > 1 && !isWhole) throw new Error(`${count} has ${JSON.stringify({ deadline, end })}`)
      if (count > last) news += 1
      last = count
      if (reads % 10_000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    await thread.terminate()
  }
})
