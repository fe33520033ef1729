/** Promise 9: a stop at any moment, also twice, from inside the work, and while the store cannot be reached. */
import { property } from '../simulation/property.ts'

property(
  'a stop resolves within its bound and leaves no work, lease, session, timer, connection or listener',
  {
    works: ['well-behaved', 'slow', 'stubborn', 'never-settling', 'stopping-itself'],
    faults: ['stop-client', 'stop-task', 'cut', 'freeze', 'weather', 'pause', 'restart', 'step-down'],
    mostFaults: 10,
  },
  100,
)
