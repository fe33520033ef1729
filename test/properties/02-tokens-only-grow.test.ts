/** Promise 2: across nodes, sessions, and restarts of a store that has lost its data. */
import { property } from '../simulation/property.ts'

property(
  'each term has a greater token than all before it, across crashes and stores that lose their data',
  {
    nodes: [1, 4],
    faults: ['restart', 'crash', 'weather', 'freeze', 'stop-task'],
    works: ['well-behaved', 'returning'],
  },
  80,
)
