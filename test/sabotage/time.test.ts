/** Time that is reckoned wrongly: each is noticed. */
import { describe } from 'vitest'
import { areNoticed } from '../simulation/sabotage/noticed.ts'
import { time } from '../simulation/sabotage/time.ts'

describe('it is noticed that', () => areNoticed(time))
