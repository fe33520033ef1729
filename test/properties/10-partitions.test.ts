/** Promise 10: while members come and go, and the nodes disagree about who they are. */
import { properties } from '../simulation/properties.ts'

properties('10-partitions')
