/** Promise 6: what work sees of its term's end, in whatever way the term ends. */
import { property } from '../simulation/property.ts'

property(
  '`signal`, `revoked` and `isValid` tell the same, once, and the clock tells it first',
  { nodes: [1, 3], works: ['well-behaved', 'slow'], schedules: 'never', mostFaults: 12 },
  80,
)
