/** What rounds have shown, as a table in Markdown. */
import type { Recovery, Round } from './round.ts'

const TWO = 'two of them at once'

interface Row {
  readonly fault: string
  readonly recoveries: readonly Recovery[]
}

export function table(rounds: readonly Round[], leaseMs: number): string {
  const recoveries = rounds.flatMap((round) => round.recoveries)
  const alone = recoveries.filter(({ faults }) => faults.length === 1)
  const names = [...new Set(alone.map(({ faults }) => faults[0]!))].sort()
  const rows: readonly Row[] = [
    ...names.map((fault) => ({ fault, recoveries: alone.filter(({ faults }) => faults[0] === fault) })),
    { fault: TWO, recoveries: recoveries.filter(({ faults }) => faults.length > 1) },
  ]
  return [
    '| Fault | Times | Held | Recovery: median | maximum |',
    '| --- | --- | --- | --- | --- |',
    ...rows.filter((row) => row.recoveries.length > 0).map((row) => line(row, leaseMs)),
  ].join('\n')
}

function line({ fault, recoveries }: Row, leaseMs: number): string {
  const tookMs = recoveries.map((recovery) => recovery.tookMs).sort((a, b) => a - b)
  const indulged = recoveries.filter(({ isIndulged }) => isIndulged).length
  const held =
    indulged === 0 ? 'everything' : indulged === recoveries.length ? 'tokens' : `everything; tokens (${indulged})`
  const inLeases = (ms: number) => `${(ms / 1_000).toFixed(1)} s (${(ms / leaseMs).toFixed(1)})`
  const median = inLeases(tookMs[Math.floor((tookMs.length - 1) / 2)]!)
  return `| ${fault} | ${recoveries.length} | ${held} | ${median} | ${inLeases(tookMs.at(-1)!)} |`
}

/** In a line: how much there was to go wrong. */
export function summary(rounds: readonly Round[]): string {
  const sum = (count: (round: Round) => number) => rounds.reduce((total, round) => total + count(round), 0)
  const faults = sum(({ recoveries }) => recoveries.reduce((total, recovery) => total + recovery.faults.length, 0))
  const givenUp = rounds.filter((round) => round.givenUp !== undefined).length
  return (
    `${rounds.length} rounds, ${faults} faults, ${sum(({ terms }) => terms)} terms, ` +
    `${sum(({ writes }) => writes.accepted)} writes accepted, ${sum(({ writes }) => writes.refused)} refused, ` +
    `${sum(({ violations }) => violations.length)} violations` +
    `${givenUp > 0 ? `, ${givenUp} given up` : ''}`
  )
}
