/** The SQLite store as a contestant: a namespace of its own in a real file, with the time of the machine moved by hand. */
import { sqlite } from '../../../src/backends/sqlite/index.ts'
import { HandClock } from '../../support/hand-clock.ts'
import type { Tempo } from './command.ts'
import type { Contestant } from './contestant.ts'
import { memoryTempo } from './memory.ts'

/** A file keeps its memory, whatever restarts. */
export const sqliteTempo: Tempo = { ...memoryTempo, canRestart: false }

let namespaces = 0

export function sqliteContestant(file: string): Contestant {
  const clock = new HandClock()
  namespaces += 1
  return {
    backend: sqlite(file, { machineClock: { boot: 'boot', now: () => clock.now() } }),
    environment: { clock, namespace: `duel-${namespaces}` },
    start: { nowMs: clock.now(), wallMs: clock.wallMs() },
    pass: (ms) => clock.pass(ms),
    stepWall: (ms) => clock.step('wall', ms),
    restart: () => Promise.reject(new Error('a file does not restart')),
    hear: async () => {},
    slackMs: 0,
    tellsExpiries: true,
    cutsOffers: false,
    isServer: false,
  }
}
