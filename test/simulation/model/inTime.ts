/** The model as the store of a simulated world: its time is that of a clock. */
import type { MemoryBackend } from '../../../src/backends/memory/index.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { ModelBackend, type Rules } from './backend.ts'

/** With some of its commands broken, where given. */
export function modelInTime(clock: Clock, breakage: Partial<Rules> = {}): MemoryBackend {
  const model = new ModelBackend({}, breakage, clock)
  return {
    name: model.name,
    connect: (environment) => model.connect(environment),
    restart({ data }) {
      // The time of the restart counts.
      model.facts('any')
      model.restart(data)
    },
  }
}
