/** Promise 3: work that is still there when a later term begins sees the end of its own, and nothing of the later one. */
import { properties } from '../simulation/properties.ts'

properties('03-a-run-keeps-its-own-term')
