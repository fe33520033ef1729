/** When something is wrong with a node, the store, or the way between them, as the plan has it. What people ask for is no trouble. */
import { fairWeather, type Weather } from '../../src/simulation/weather.ts'
import type { Fault, Plan } from './plan.ts'

interface Trouble {
  readonly fromMs: number
  readonly toMs: number
}

export class Troubles {
  /** By node, those of the store included. */
  readonly #ofNode: readonly (readonly Trouble[])[]

  constructor({ nodes, faults }: Plan) {
    this.#ofNode = nodes.map((_, index) =>
      faults
        .filter((fault) => isTrouble(fault) && (!('node' in fault) || fault.node % nodes.length === index))
        .map((fault) => ({ fromMs: fault.atMs, toMs: fault.atMs + ('forMs' in fault ? fault.forMs : 0) })),
    )
  }

  /** Since when nothing is wrong there; Infinity while something is. */
  fairSinceMs(node: number, nowMs: number): number {
    let sinceMs = 0
    for (const { fromMs, toMs } of this.#ofNode[node]!) {
      if (fromMs > nowMs) continue
      if (toMs >= nowMs) return Number.POSITIVE_INFINITY
      sinceMs = Math.max(sinceMs, toMs)
    }
    return sinceMs
  }
}

function isTrouble(fault: Fault): boolean {
  switch (fault.kind) {
    case 'stop-client':
    case 'stop-task':
    case 'step-down':
    case 'flicker':
      return false
    case 'weather':
      return !isOfHintsAlone(fault.weather)
    default:
      return true
  }
}

/** A lost hint is no excuse: it costs no more than a renew interval. */
function isOfHintsAlone(weather: Partial<Weather>): boolean {
  const { loseHint, repeatHint, lateHint } = fairWeather
  const rest = { ...fairWeather, ...weather, loseHint, repeatHint, lateHint }
  return JSON.stringify(rest) === JSON.stringify(fairWeather)
}
