/** Looks for a plan that breaks a promise, with fast-check, and shrinks what it finds. */
import fc from 'fast-check'
import { describePlan, type Plan } from './plan.ts'
import { plans } from './plans.ts'
import { type Played, play } from './play.ts'
import type { Promised, PromiseFile } from './promises.ts'
import type { Sabotage } from './sabotage/sabotage.ts'

export interface Search {
  readonly file: PromiseFile
  readonly promised: Promised
  readonly seed: number
  readonly runs: number
  /** To one plan among all that follow from the seed. */
  readonly path?: string
  readonly sabotage?: Sabotage
  /** Hears of each plan that was played. */
  readonly onPlayed?: (plan: Plan, story: Played) => void
}

/** A plan that breaks a promise, as small as it could be made. */
export interface Found {
  readonly plan: Plan
  readonly story: Played
  /** What plays exactly this again. */
  readonly command: string
}

export async function search(wanted: Search): Promise<Found | undefined> {
  const { promised, seed, runs, path, sabotage, onPlayed = () => {} } = wanted
  const details = await fc.check(
    fc.asyncProperty(plans(promised.plans), async (plan) => {
      const story = await play(plan, { sabotage, isEnough: (violations) => violations.length > 0 })
      onPlayed(plan, story)
      if (story.violations.length > 0) throw new Error(story.violations.join('\n'))
    }),
    { seed, numRuns: runs, ...(path !== undefined && { path, endOnFailure: true }) },
  )
  if (!details.failed) return undefined
  const [plan] = details.counterexample ?? []
  if (!plan) throw new Error(fc.defaultReportMessage(details))
  return { plan, story: await play(plan, { sabotage }), command: commandOf(wanted, details.counterexamplePath ?? '') }
}

function commandOf({ file, promised, seed, sabotage }: Search, path: string): string {
  const broken = sabotage ? `SIMBA_SABOTAGE='${sabotage.name}' ` : ''
  return `${broken}SIMBA_SEED=${seed} SIMBA_PATH=${path} npx vitest run test/properties/${file}.test.ts -t '${promised.says}'`
}

/** All that there is to say about it. */
export function describeFound({ says }: Promised, { plan, story, command }: Found): string {
  return [
    `${says}: broken.`,
    ...story.violations,
    '',
    describePlan(plan),
    '',
    story.log,
    '',
    'To replay exactly this:',
    command,
  ].join('\n')
}
