/** Promise 10: while members come and go, and the nodes disagree about who they are. */
import { property } from '../simulation/property.ts'

property(
  'a partition has one term at a time, moves only when a view gives it away, and a group that stops leaves first',
  {
    nodes: [2, 4],
    duties: 'groups',
    works: ['well-behaved', 'slow', 'returning'],
    faults: ['crash', 'stop-client', 'stop-task', 'cut', 'weather', 'pause', 'restart'],
  },
  80,
)
