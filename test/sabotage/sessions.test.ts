/** Sessions that do not know what they are told, or do not tell it: each is noticed. */
import { describe } from 'vitest'
import { areNoticed } from '../simulation/sabotage/noticed.ts'
import { sessions } from '../simulation/sabotage/sessions.ts'

describe('it is noticed that', () => areNoticed(sessions))
