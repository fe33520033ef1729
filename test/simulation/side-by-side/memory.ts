/** The memory store as a contestant, on a clock that is moved by hand. */
import { type MemoryBackend, memory } from '../../../src/backends/memory/index.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { HandClock } from '../../support/hand-clock.ts'
import type { Tempo } from './command.ts'
import type { Contestant } from './contestant.ts'

export const memoryTempo: Tempo = {
  leasesMs: [1_000, 1_500, 3_000],
  renewalsMs: [200, 300, 500],
  passesMs: [1, 100, 200, 300, 500, 700, 1_000],
  grainMs: 1,
  canStepWall: true,
  canRestart: true,
}

export function memoryContestant(): Contestant {
  return clockContestant((clock) => memory({ clock }))
}

/** Any store in this process whose time is that of a clock. */
export function clockContestant(make: (clock: Clock) => MemoryBackend): Contestant {
  const clock = new HandClock()
  const backend = make(clock)
  return {
    backend,
    environment: { clock, namespace: 'duel' },
    start: { nowMs: clock.now(), wallMs: clock.wallMs() },
    pass: (ms) => clock.pass(ms),
    stepWall: (ms) => clock.step('wall', ms),
    restart: async (data) => backend.restart({ data }),
    hear: async () => {},
    slackMs: 0,
    tellsExpiries: true,
    cutsOffers: true,
    isServer: false,
  }
}
