/** Keeps the merged log of a round that went wrong, for a person. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Round } from './round.ts'

/** Returns the folder. */
export function keepEvidence({ kind, seed, violations, lines }: Round): string {
  const folder = join('chaos-logs', `${kind}-${seed}`)
  mkdirSync(folder, { recursive: true })
  const sorted = [...lines].sort((a, b) => a.atMs - b.atMs)
  writeFileSync(join(folder, 'log.jsonl'), sorted.map((line) => `${JSON.stringify(line)}\n`).join(''))
  writeFileSync(join(folder, 'violations.txt'), `${violations.join('\n')}\n`)
  return folder
}

export function replay({ kind, seed }: Round): string {
  return `npm run chaos -- --store ${kind} --seed ${seed}`
}
