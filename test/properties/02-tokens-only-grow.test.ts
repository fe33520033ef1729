/** Promise 2: across nodes, sessions, and restarts of a store that has lost its data. */
import { properties } from '../simulation/properties.ts'

properties('02-tokens-only-grow')
