/** Promise 5: for a stop, a step-down, a partition that moves away and a client that stops alike. */
import { property } from '../simulation/property.ts'

property(
  'the work is interrupted, then it exits or runs out of time, and only then its lease is released',
  {
    works: ['well-behaved', 'slow', 'stubborn', 'never-settling'],
    faults: ['step-down', 'stop-task', 'stop-client', 'crash', 'weather', 'cut', 'pause'],
    mostFaults: 10,
  },
  100,
)
