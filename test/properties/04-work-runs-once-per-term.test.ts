/** Promise 4: however soon the work is done, and however it ends, it is not run again before the next term. */
import { properties } from '../simulation/properties.ts'

properties('04-work-runs-once-per-term')
