/** Promise 6: what work sees of its term's end, in whatever way the term ends. */
import { properties } from '../simulation/properties.ts'

properties('06-a-revoked-term-is-told')
