/**
 * A story's log for people: what happened when and to whom, with names for sessions and numbers for terms. Renewals that went well are
 * counted at the end, and told only where they brought news or came late.
 */
import type { CampaignAnswer, JoinAnswer, MembersAnswer, RenewAnswer } from '../../src/backends/port.ts'
import type { SimbaEvent } from '../../src/index.ts'
import type { Executed, LogLine } from '../../src/testing.ts'
import { TRIP_MS } from './stage.ts'

export interface Tale {
  readonly name: string
  readonly hazards: readonly string[]
  readonly lines: readonly LogLine[]
}

export function chronicle({ name, hazards, lines }: Tale): string {
  const names = new Names()
  const nodes = Math.max(...lines.map(({ who }) => who.length))
  const told = lines.flatMap((line) => {
    const text = tell(line, names)
    return text === undefined ? [] : [`${seconds(line.atMs).padStart(8)}  ${line.who.padEnd(nodes)}  ${text}`]
  })
  return [
    name,
    `Hazard: ${hazards.join('; ')}.`,
    '',
    ...told,
    '',
    'The store has carried out:',
    ...counts(lines),
    '',
  ].join('\n')
}

/** What a client logs, it publishes, too, but for this. */
const ONLY_LOGGED = /^(error|warn: The clock has jumped)/

function tell({ what, atMs, event, executed }: LogLine, names: Names): string | undefined {
  if (executed) return tellCommand(executed, atMs, names)
  if (event) return tellEvent(event, names)
  if (/^(info|warn|error): /.test(what) && !ONLY_LOGGED.test(what)) return undefined
  return what.replace(/^(request|answer) lost: (\w+).*$/, (_, way, method) => `> ${method}: the ${way} is lost`)
}

function tellCommand({ method, args, answer, node, session, sentAtMs }: Executed, atMs: number, names: Names) {
  const isLate = atMs - sentAtMs > TRIP_MS
  const said = answer === undefined && method !== 'close' ? 'refused' : tellAnswer(method, answer, names)
  if (said === undefined && !isLate) return undefined
  const object = method === 'open' || method === 'renew' || method === 'close' ? names.session(node, session) : args[0]
  const late = isLate ? `, sent ${seconds(atMs - sentAtMs)} s ago` : ''
  return `> ${[method, object].join(' ')}: ${said ?? 'renewed'}${late}`
}

/** Nothing where it goes without saying. */
function tellAnswer(method: string, answer: unknown, names: Names): string | undefined {
  switch (method) {
    case 'renew': {
      const renewed = answer as RenewAnswer
      if (renewed.kind === 'unknown') return 'unknown'
      const held = renewed.holds?.map(({ lease, token }) => `${lease} under ${names.term(token)}`)
      if (held) return `the store has restarted, and knows of ${held.length > 0 ? held.join(', ') : 'nothing'}`
      return renewed.inbox.freed.length > 0 ? `offered: ${renewed.inbox.freed.join(', ')}` : undefined
    }
    case 'campaign': {
      const campaigned = answer as CampaignAnswer
      if (campaigned.kind === 'granted') return `granted, ${names.term(campaigned.token)}`
      if (campaigned.kind === 'held') return `held by ${campaigned.holder}`
      if (campaigned.kind === 'quarantined') return `nothing is granted for ${seconds(campaigned.retryInMs)} s`
      return campaigned.kind
    }
    case 'join': {
      const joined = answer as JoinAnswer
      return joined.kind === 'mismatch' ? `the others have ${joined.partitions} partitions` : joined.kind
    }
    case 'members': {
      const seen = answer as MembersAnswer
      return seen.kind === 'members' ? seen.members.map(({ node }) => node).join(', ') : seen.kind
    }
    case 'open':
      return 'opened'
    case 'close':
      return 'closed'
    default:
      return (answer as { readonly kind: string }).kind
  }
}

function tellEvent(event: SimbaEvent, names: Names): string | undefined {
  const term = 'token' in event ? `${names.term(event.token)} of ${event.lease}` : ''
  switch (event.type) {
    case 'session.opened':
      return `${names.known(event.session)} is open`
    case 'session.suspended':
      return `${names.known(event.session)} is in doubt, ${seconds(event.remainingMs)} s are left: ${names.in(event.error.message)}`
    case 'session.resumed':
      return `${names.known(event.session)} is confirmed again`
    case 'session.lost':
      return `${names.known(event.session)} is lost: ${event.reason}`
    case 'session.closed':
      return event.session === null ? 'is closed' : `${names.known(event.session)} is closed`
    case 'term.started':
      return `${term} begins`
    case 'term.revoked':
      return `${term} is revoked: ${event.reason}, ${seconds(event.remainingMs)} s are left`
    case 'term.ended':
      return `${term} has ended: ${event.reason}`
    case 'work.started':
      return `${term}: run ${event.run}`
    case 'work.completed':
      // A run that takes no time is told by its start.
      if (event.outcome === 'COMPLETED' && event.durationMs < 1) return undefined
      return `${term}: run ${event.run} is ${event.outcome} after ${seconds(event.durationMs)} s`
    case 'schedule.skipped':
      return `${term}: ${event.starts} starts are skipped`
    case 'handover.started':
      return undefined
    case 'handover.completed':
      return `${term} is handed over${event.confirmed ? '' : ', unconfirmed'}`
    case 'election.stepped-down':
      return `stays away from ${event.lease} for ${seconds(event.restMs)} s`
    case 'members.changed':
      return undefined
    case 'assignment.changed':
      return `has the partitions ${event.partitions.join(' ') || '(none)'} of ${event.group}`
    case 'group.mismatched':
      return `has ${event.partitions} partitions of ${event.group}, and the others have ${event.living}`
    case 'backend.failing':
      return `the store fails: ${names.in(event.error.message)}`
    case 'backend.recovered':
      return `the store answers again, after ${seconds(event.failedForMs)} s`
  }
}

/** Ids and tokens would say nothing: sessions are counted by node, and terms in the order of their grants. */
class Names {
  readonly #sessions = new Map<string, string>()
  readonly #perNode = new Map<string, number>()
  readonly #terms = new Map<number, string>()

  session(node: string, id: string): string {
    if (!this.#sessions.has(id)) {
      const number = (this.#perNode.get(node) ?? 0) + 1
      this.#perNode.set(node, number)
      this.#sessions.set(id, `session ${node}-${number}`)
    }
    return this.known(id)
  }

  known(id: string): string {
    return this.#sessions.get(id) ?? 'a session'
  }

  /** A message, with names in place of ids. */
  in(message: string): string {
    return message.replaceAll(/session ([0-9a-f]{32})/g, (_, id) => this.known(id))
  }

  term(token: number): string {
    const name = this.#terms.get(token) ?? `term ${this.#terms.size + 1}`
    this.#terms.set(token, name)
    return name
  }
}

function counts(lines: readonly LogLine[]): readonly string[] {
  const byNode = new Map<string, Map<string, number>>()
  for (const { executed } of lines) {
    if (!executed) continue
    const methods = byNode.get(executed.node) ?? new Map<string, number>()
    byNode.set(executed.node, methods.set(executed.method, (methods.get(executed.method) ?? 0) + 1))
  }
  return [...byNode].map(([node, methods]) => {
    const counted = [...methods].sort().map(([method, count]) => `${count} ${method}`)
    return `  ${node}: ${counted.join(', ')}`
  })
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3)
}
