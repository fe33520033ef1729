/** Schedules that lose the beat: each is noticed. */
import { describe } from 'vitest'
import { areNoticed } from '../simulation/sabotage/noticed.ts'
import { schedules } from '../simulation/sabotage/schedules.ts'

describe('it is noticed that', () => areNoticed(schedules))
