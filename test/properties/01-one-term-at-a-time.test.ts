/** Promise 1: partitions, pauses, sleeps, clock steps, and messages that are lost, late or repeated never make two exclusive terms of a lease. */
import { properties } from '../simulation/properties.ts'

properties('01-one-term-at-a-time')
