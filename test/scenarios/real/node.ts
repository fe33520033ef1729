/**
 * A process with one client, told over its standard input what to do. Writes down each event, and everything else that a judge from
 * outside must know, at the moment at which it happens.
 */
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSimba, fixedDelay, type Simba, type Task, type Term } from 'simba-xstate'
import type { AnyActorRef } from 'xstate'
import { type ClientOrders, machineMs, type Note, type Order, type Validity } from './orders.ts'
import { Sink } from './sink.ts'

/** A process that is stopped or blocked notices it by this timer, if not sooner. */
const PROBE_MS = 20
const STANDSTILL_MS = 250

/** What the client's clock reads besides the machine's. */
let clockLeadMs = performance.now() - machineMs()

function say(what: Note | { readonly type: string }): void {
  process.stdout.write(`${JSON.stringify({ atMs: machineMs(), ...what })}\n`)
}

// XState's development build warns of events that nobody receives any more: a defect of ours, but for the end of a child whose parent
// has learnt of it by another event and has ended, too.
console.warn = (message: string) => {
  if (!message.startsWith('Event "xstate.done.actor.')) say({ type: 'log', level: 'error', message, details: {} })
}

/** Those that were not over when the probe last looked. */
const terms = new Set<Term>()
let simba: Simba | undefined
let cleanUpMs = 0
const tasks = new Map<string, Task>()

/** Where work writes to a sink: one write, and how long it waits before the next one. */
let writing: { readonly write: (term: Term) => void; readonly everyMs: number } | undefined

async function lead(term: Term): Promise<void> {
  terms.add(term)
  if (writing) await writeOn(term, writing)
  await term.revoked
  if (cleanUpMs > 0) await sleep(cleanUpMs)
  say({ type: 'work.left', lease: term.lease, token: term.token })
}

async function writeOn(term: Term, { write, everyMs }: NonNullable<typeof writing>): Promise<void> {
  while (!term.signal.aborted) {
    write(term)
    await sleep(everyMs, undefined, { signal: term.signal }).catch(() => {})
  }
}

function writeTo(path: string, node: string): (term: Term) => void {
  const sink = new Sink(path)
  return (term) => {
    const { lease, token } = term
    const beganMs = machineMs()
    if (term.isValid) say({ type: 'write', lease, token, beganMs, answer: sink.write({ lease, token, node }) })
  }
}

function begin(orders: ClientOrders): void {
  const log = (level: 'warn' | 'error') => (details: object, message: string) => {
    if ('jumpMs' in details) clockLeadMs += Number(details.jumpMs)
    say({ type: 'log', level, message, details })
  }
  let validUntilMs = 0
  cleanUpMs = orders.cleanUpMs
  writing = undefined
  simba = createSimba({
    backend: orders.backend,
    namespace: orders.namespace,
    node: orders.node,
    leaseDuration: orders.leaseDurationMs,
    renewInterval: orders.renewIntervalMs,
    logger: { debug() {}, info() {}, warn: log('warn'), error: log('error') },
    inspect: (event) => {
      if (event.type !== '@xstate.snapshot' || (event.actorRef as AnyActorRef).id !== 'session') return
      const { context } = event.snapshot as unknown as { context: { session: string | null; validUntilMs: number } }
      if (context.session === null || context.validUntilMs === validUntilMs) return
      validUntilMs = context.validUntilMs
      say({ type: 'session.valid', session: context.session, untilMs: validUntilMs - clockLeadMs })
    },
  })
  simba.on('*', say)
  simba.send({ type: 'START' })
  if (orders.sink) {
    const { path, everyMs, schedule } = orders.sink
    writing = { write: writeTo(path, orders.node), everyMs }
    simba.election(schedule).schedule(fixedDelay(everyMs), writing.write)
  }
  contend(orders.elections)
  for (const [group, partitions] of Object.entries(orders.groups)) {
    simba.group(group, { partitions }).runWhileLeader(lead)
  }
}

async function doEverythingElse(client: Simba): Promise<void> {
  client.election('schedule').schedule(fixedDelay(1), () => sleep(1))
  client.election('schedule').observe(() => {})
  const held = await client.lock('lock').acquire()
  held.signal.addEventListener('abort', () => held.release())
  const wait = (timeout: string) => client.lock('lock').acquire({ timeout })
  void Promise.allSettled([wait('1h'), wait('1d')])
}

function contend(leases: readonly string[]): void {
  for (const lease of leases) tasks.set(lease, simba!.election(lease).runWhileLeader(lead))
}

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case 'begin':
      return begin(order.client)
    case 'contend':
      return contend(order.leases)
    case 'retire':
      return tasks.get(order.lease)?.stop()
    case 'step down':
      tasks.get(order.lease)?.actor?.send({ type: 'STEP_DOWN' })
      return
    case 'everything else':
      return doEverythingElse(simba!)
    case 'block':
      return block(order.forMs)
    case 'stop':
      return simba?.stop()
    case 'leave':
      input.close()
      process.stdin.destroy()
      clearInterval(probe)
      return simba?.stop()
  }
}

function block(forMs: number): void {
  const endMs = machineMs() + forMs
  while (machineMs() < endMs);
  tellStandstill()
}

let probedMs = machineMs()

function tellStandstill(): void {
  const forMs = machineMs() - probedMs - PROBE_MS
  // Asked before anything is written.
  const validities = [...terms].map(({ lease, token, isValid }): Validity => ({ lease, token, isValid }))
  if (forMs > STANDSTILL_MS) say({ type: 'stood still', forMs, terms: validities })
  for (const term of terms) if (term.signal.aborted) terms.delete(term)
  probedMs = machineMs()
}

const probe = setInterval(tellStandstill, PROBE_MS)
const input = createInterface({ input: process.stdin })
input.on('line', async (line) => {
  const order: Order = JSON.parse(line)
  await obey(order)
  say({ type: 'done', order: order.do })
})
say({ type: 'ready' })
