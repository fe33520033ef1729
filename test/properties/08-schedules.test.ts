/** Promise 8: fixed rates and fixed delays, with runs that overrun and processes that pause; and rests after fatal failures. */
import { properties } from '../simulation/properties.ts'

properties('08-schedules')
