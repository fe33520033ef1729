/** Stops that are forgotten, incomplete, never done, or in the wrong order: each is noticed. */
import { describe } from 'vitest'
import { areNoticed } from '../simulation/sabotage/noticed.ts'
import { stops } from '../simulation/sabotage/stops.ts'

describe('it is noticed that', () => areNoticed(stops))
