/** Promise 11: after any faults, within the bound, for elections and for each partition of a group. */
import { property } from '../simulation/property.ts'

property(
  'when the faults end, each lease that somebody wants is led within the bound, and all views agree',
  {
    nodes: [1, 4],
    works: ['well-behaved', 'slow', 'stubborn', 'never-settling', 'returning', 'throwing'],
    mostFaults: 12,
  },
  100,
)
