/** The terms in a merged log, with the instants that a judge needs: a process that was stopped logs late, so its deadlines count. */
import type { TermEndReason } from 'simba-xstate'
import type { Line } from './orders.ts'

export interface Reign {
  readonly node: string
  readonly lease: string
  readonly token: number
  readonly session: string
  readonly startedMs: number
  /** The last one that the client relied on; fixed by the revoke. */
  deadlineMs: number
  /** Told to end. */
  revokedMs?: number
  reason?: TermEndReason
  /** The work has come to its end by itself. */
  leftMs?: number
  endedMs?: number
  /** The handover is over; where `isConfirmed`, because the store has confirmed the release. */
  handedOverMs?: number
  isConfirmed?: boolean
}

/** The last instant at which the term could be exclusive, as far as its log knows. */
export function endOf({ endedMs, deadlineMs }: Reign): number {
  return Math.min(endedMs ?? Number.POSITIVE_INFINITY, deadlineMs)
}

/** Of all nodes, by their start. */
export function reignsOf(lines: readonly Line[]): readonly Reign[] {
  const log = new ReignLog()
  for (const line of lines) log.read(line)
  return log.all.sort((a, b) => a.startedMs - b.startedMs)
}

interface Session {
  readonly id: string
  readonly untilMs: number
}

/** Reads lines one by one. Those of one node come in the order in which it wrote them. */
export class ReignLog {
  readonly all: Reign[] = []
  readonly #byTerm = new Map<string, Reign>()
  readonly #byLease = new Map<string, readonly Reign[]>()
  readonly #sessions = new Map<string, Session>()

  of(lease: string): readonly Reign[] {
    return this.#byLease.get(lease) ?? []
  }

  read(line: Line): void {
    const { atMs, node } = line
    switch (line.type) {
      case 'session.valid':
        this.#sessions.set(node, { id: line.session, untilMs: line.untilMs })
        for (const reign of this.all) {
          if (reign.session === line.session && reign.revokedMs === undefined) reign.deadlineMs = line.untilMs
        }
        return
      case 'term.started': {
        const { lease, token } = line
        const { id, untilMs } = this.#sessions.get(node)!
        const reign: Reign = { node, lease, token, session: id, startedMs: atMs, deadlineMs: untilMs }
        this.all.push(reign)
        this.#byTerm.set(key(line), reign)
        this.#byLease.set(lease, [...this.of(lease), reign])
        return
      }
      case 'term.revoked': {
        const reign = this.#find(line)
        // A process that was stopped may say so long after the deadline.
        const deadlineMs = Math.min(reign.deadlineMs, atMs + line.remainingMs)
        Object.assign(reign, { revokedMs: atMs, reason: line.reason, deadlineMs })
        return
      }
      case 'work.left':
        this.#find(line).leftMs = atMs
        return
      case 'term.ended':
        Object.assign(this.#find(line), { endedMs: atMs, reason: line.reason })
        return
      case 'handover.completed':
        Object.assign(this.#find(line), { handedOverMs: atMs, isConfirmed: line.confirmed })
        return
    }
  }

  #find(line: OfTerm): Reign {
    const reign = this.#byTerm.get(key(line))
    if (!reign) throw new Error(`${line.node} tells of term ${line.token} of ${line.lease}, which never started`)
    return reign
  }
}

interface OfTerm {
  readonly node: string
  readonly lease: string
  readonly token: number
}

function key({ node, lease, token }: OfTerm): string {
  return `${node} ${lease} ${token}`
}
