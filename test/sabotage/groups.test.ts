/** Groups whose members disagree, or do not hear of each other: each is noticed. */
import { describe } from 'vitest'
import { groups } from '../simulation/sabotage/groups.ts'
import { areNoticed } from '../simulation/sabotage/noticed.ts'

describe('it is noticed that', () => areNoticed(groups))
