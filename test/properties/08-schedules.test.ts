/** Promise 8: fixed rates and fixed delays, with runs that overrun and processes that pause. */
import { property } from '../simulation/property.ts'

property(
  'a fixed rate starts on its grid and never twice in a slot, a fixed delay counts from the end of a run',
  { nodes: [1, 2], schedules: 'always', works: ['well-behaved', 'slow', 'throwing', 'stubborn'], mostFaults: 5 },
  80,
)
