/** Whatever several clients ask of it, late and repeated commands included, each store does what the model says. */
import { describe } from 'vitest'
import { duels } from '../simulation/side-by-side/duels.ts'
import { memoryContestant, memoryTempo } from '../simulation/side-by-side/memory.ts'

describe('the memory store does as the model says', () => {
  duels('whatever is asked of it', { tempo: memoryTempo, contestant: memoryContestant, commands: 60, runs: 300 })
})
