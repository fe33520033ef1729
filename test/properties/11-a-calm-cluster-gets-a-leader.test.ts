/** Promise 11: after any faults, within the bound, for elections and for each partition of a group. */
import { properties } from '../simulation/properties.ts'

properties('11-a-calm-cluster-gets-a-leader')
