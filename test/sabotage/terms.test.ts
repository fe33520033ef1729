/** Terms that end in the wrong order, too late, or unheard: each is noticed. */
import { describe } from 'vitest'
import { areNoticed } from '../simulation/sabotage/noticed.ts'
import { terms } from '../simulation/sabotage/terms.ts'

describe('it is noticed that', () => areNoticed(terms))
