/** Promise 5: for a stop, a step-down, a partition that moves away and a client that stops alike. */
import { properties } from '../simulation/properties.ts'

properties('05-handover-in-order')
