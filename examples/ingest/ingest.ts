/** The leader work: reads batches from where the leader before got to, and writes them with the fencing token of its term. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Term } from 'simba-xstate'
import type { Parent } from './parent.ts'
import type { Sink } from './sink.ts'
import type { Source } from './source.ts'

export interface IngestParts {
  readonly source: Source
  readonly sink: Sink
  /** How long the work on a batch takes. */
  readonly paceMs: number
  readonly parent: Parent
}

export async function ingest(term: Term, { source, sink, paceMs, parent }: IngestParts): Promise<void> {
  // First the token, then the cursor: from here on the sink refuses all earlier leaders, so nobody else moves the cursor.
  let cursor = sink.claim(term.token)
  parent.tell({ kind: 'resumed', token: term.token, record: cursor.record })

  for (;;) {
    const batch = await source.read(cursor)
    const part = { token: term.token, record: cursor.record, count: batch.lines.length }
    if (part.count === 0) break
    parent.tell({ kind: 'writing', ...part })

    // Stands for the work on a batch. It heeds the signal, so a handover need not wait for it.
    await sleep(paceMs, undefined, { signal: term.signal })

    // True at this moment, and no promise for the next one: a process can be paused between this line and the write. The demo does
    // just that, here, once. What then keeps the late write out is the token, and nothing else can.
    term.ensureValid()
    await parent.mayPause(part)
    cursor = sink.write(batch, term.token)

    parent.tell({ kind: 'written', token: term.token, record: cursor.record })
  }
  parent.tell({ kind: 'done', token: term.token })
}
