/** Promise 9: a stop at any moment, always asked for twice, from inside the work, and while the store cannot be reached. */
import { properties } from '../simulation/properties.ts'

properties('09-stop-is-complete')
