/** Promises 3 and 4: work that is still there when a later term begins sees the end of its own, and nothing of the later one. */
import { property } from '../simulation/property.ts'

property(
  'a run sees the term that it was started in and never a later one, and there is one run in each term',
  {
    duties: 'elections',
    works: ['stubborn', 'never-settling', 'slow', 'returning'],
    faults: ['step-down', 'cut', 'pause', 'restart', 'stop-task', 'stop-client'],
  },
  80,
)
