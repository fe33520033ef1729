/** Leader work for threads of their own, good and bad. What it has to say goes to whoever listens, or into a file. */
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { BroadcastChannel, threadId } from 'node:worker_threads'
import { FatalWorkError, type Term } from 'simba-xstate'
import { machineMs } from './orders.ts'

let runs = 0
const channel = new BroadcastChannel('thread-work')

function say(what: string, facts: Readonly<Record<string, unknown>> = {}): void {
  channel.postMessage({ what, threadId, atMs: machineMs(), ...facts })
}

export default async function polite(term: Term, partition?: number): Promise<void> {
  runs += 1
  const { lease, token, isValid, remainingMs } = term
  say('begins', { lease, token, partition, of: term.partition, isValid, remainingMs, runs })
  const { reason } = await term.revoked
  say('told', { reason, isValid: term.isValid, remainingMs: term.remainingMs, aborted: term.signal.aborted })
  console.log('the last words of a thread')
}

/** Leaves a timer behind. */
export function once(term: Term): void {
  runs += 1
  say('begins', { token: term.token, runs })
  setInterval(() => say('still here'), 20)
}

/** Neither heeds anything nor ever gives the event loop its turn. */
export function stubborn(term: Term): void {
  const file = process.env.THREAD_FILE!
  for (let write = 0; ; write++) {
    appendFileSync(file, `${process.env.THREAD_NODE} ${term.token} ${machineMs()} ${term.isValid}\n`)
    for (const endMs = machineMs() + 2; machineMs() < endMs; );
    if (write === 0) say('begins')
  }
}

/** Busy, but asks. */
export function asking(term: Term): void {
  say('begins', { remainingMs: term.remainingMs })
  while (term.isValid);
  say('out of time', { aborted: term.signal.aborted, reason: term.signal.reason?.reason })
}

export async function fails(): Promise<void> {
  throw Object.assign(new RangeError('no such page'), { code: 'E_PAGE' })
}

export function gives(): never {
  throw new FatalWorkError('the disk is full')
}

export async function crashes(): Promise<void> {
  setTimeout(() => {
    throw new TypeError('from a timer')
  }, 10)
  await sleep(60_000)
}

export async function exits(): Promise<void> {
  process.exit(7)
}

export function devours(): void {
  const eaten: number[][] = []
  for (;;) eaten.push(new Array(100_000).fill(1.5))
}

export const notAFunction = 5
