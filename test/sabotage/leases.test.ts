/** Elections that lose track of what the store has in their name: each is noticed. */
import { describe } from 'vitest'
import { leases } from '../simulation/sabotage/leases.ts'
import { areNoticed } from '../simulation/sabotage/noticed.ts'

describe('it is noticed that', () => areNoticed(leases))
