/** Promise 1: partitions, pauses, sleeps, clock steps, and messages that are lost, late or repeated never make two exclusive terms of a lease. */
import { property } from '../simulation/property.ts'

property(
  'a lease never has two exclusive terms at once, whatever happens to nodes, clocks and messages',
  {
    nodes: [2, 4],
    duties: 'elections',
    schedules: 'never',
    works: ['well-behaved', 'slow', 'stubborn'],
    mostFaults: 12,
  },
  100,
)
property(
  'a lease never has two exclusive terms at once, though its store freezes, restarts and forgets',
  { nodes: [2, 3], faults: ['freeze', 'restart', 'cut', 'weather', 'pause', 'crash'], mostFaults: 10 },
  60,
)
