/** Promise 7: work that throws is published as failed, or as cancelled once its term has ended, and nothing else comes of it. */
import { property } from '../simulation/property.ts'

property(
  'work that throws at once, later, fatally or never settles is published as what it is, and harms no term',
  { works: ['throwing', 'never-settling', 'returning', 'stopping-itself'], mostFaults: 6 },
  80,
)
