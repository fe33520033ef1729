/** How the client is, for `@nestjs/terminus`: what a health indicator returns, without knowing that package. */
import { partitionOf } from '../model/names.ts'
import type { Simba } from '../runtime/simba.ts'

export interface SimbaHealth {
  /** `up`: the session is live. `degraded`: it is live still, but the store fails. `down`: there is none, so this node leads nothing. */
  readonly status: 'up' | 'degraded' | 'down'
  readonly node: string
  readonly session: string | null
  /** The elections of this client, without its locks. */
  readonly elections: Readonly<Record<string, 'leading' | 'contending'>>
  /** How many partitions of its groups this node leads. */
  readonly groups: Readonly<Record<string, { readonly partitions: number; readonly leading: number }>>
  /** Since when the store fails, and with what. */
  readonly failing?: { readonly since: string; readonly error: string }
}

export class SimbaHealthIndicator {
  readonly #simba: Simba
  readonly #leading = new Set<string>()
  #session: string | null = null
  #failing: SimbaHealth['failing']

  constructor(simba: Simba) {
    this.#simba = simba
    simba.on('session.opened', ({ session }) => {
      this.#session = session
    })
    for (const type of ['session.lost', 'session.closed'] as const) {
      simba.on(type, () => {
        this.#session = null
      })
    }
    simba.on('term.started', ({ lease }) => this.#leading.add(lease))
    simba.on('term.ended', ({ lease }) => this.#leading.delete(lease))
    simba.on('backend.failing', ({ error }) => {
      this.#failing = { since: new Date().toISOString(), error: error.message }
    })
    simba.on('backend.recovered', () => {
      this.#failing = undefined
    })
  }

  /**
   * For `HealthCheckService.check()`. It asks nobody, and is as fresh as the last renewal.
   *
   * @example
   * health.check([() => simbaHealth.check('simba')])
   */
  check<const Key extends string>(key: Key): Record<Key, SimbaHealth> {
    return { [key]: this.#health() } as Record<Key, SimbaHealth>
  }

  #health(): SimbaHealth {
    const { elections, groups } = this.#declared()
    const isUp = this.#session !== null
    return {
      status: isUp && this.#failing ? 'degraded' : isUp ? 'up' : 'down',
      node: this.#simba.node,
      session: this.#session,
      elections,
      groups,
      ...(this.#failing && { failing: this.#failing }),
    }
  }

  #declared(): Pick<SimbaHealth, 'elections' | 'groups'> {
    const elections: Record<string, 'leading' | 'contending'> = {}
    const groups: Record<string, { partitions: number; leading: number }> = {}
    for (const task of Object.values(this.#simba.getSnapshot().context.tasks)) {
      if (task.kind === 'group') {
        const { name, partitions } = task.group
        groups[name] = { partitions, leading: this.#leadingOf(name, partitions) }
      } else if (task.child.kind === 'election' && task.survives === 'stop') {
        elections[task.id] = this.#leading.has(task.id) ? 'leading' : 'contending'
      }
    }
    return { elections, groups }
  }

  #leadingOf(group: string, partitions: number): number {
    return [...this.#leading].filter((lease) => partitionOf(group, partitions, lease) !== null).length
  }
}
