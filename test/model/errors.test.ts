/** Errors with a code of one meaning, and anything that was thrown as plain data. */
import { describe, expect, test } from 'vitest'
import { FatalWorkError, plainError, SimbaError, TermExpiredError } from '../../src/model/errors.ts'

describe('an error of this library', () => {
  test.each([
    [new SimbaError('STOPPED', 'no'), 'SimbaError', 'STOPPED'],
    [new TermExpiredError('no', 'moved'), 'TermExpiredError', 'TERM_EXPIRED'],
    [new FatalWorkError('no'), 'FatalWorkError', 'FATAL_WORK'],
  ])('%s has a name and a code', (error, name, code) => {
    expect(error).toBeInstanceOf(SimbaError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name, code, message: 'no' })
    expect(String(error)).toBe(`${name}: no`)
    expect(error.stack).toContain('errors.test.ts')
  })

  test('keeps its cause', () => {
    const cause = new Error('why')
    expect(new SimbaError('STOPPED', 'no', { cause }).cause).toBe(cause)
    expect(new FatalWorkError('no', { cause }).cause).toBe(cause)
    expect(new TermExpiredError('no', 'expired', { cause })).toMatchObject({ cause, reason: 'expired' })
  })
})

describe('as plain data,', () => {
  test.each([
    [new Error('no'), { name: 'Error', message: 'no' }],
    [new TypeError('no'), { name: 'TypeError', message: 'no' }],
    [new FatalWorkError('no'), { name: 'FatalWorkError', message: 'no', code: 'FATAL_WORK' }],
    [
      Object.assign(new Error('no'), { code: 'ECONNRESET', secret: 'x' }),
      { name: 'Error', message: 'no', code: 'ECONNRESET' },
    ],
    [Object.assign(new Error('no'), { code: 5 }), { name: 'Error', message: 'no' }],
    ['no', { name: 'Error', message: 'no' }],
    [5, { name: 'Error', message: '5' }],
    [undefined, { name: 'Error', message: 'undefined' }],
    [null, { name: 'Error', message: 'null' }],
    [{ message: 'no' }, { name: 'Error', message: '[object Object]' }],
    [Object.create(null), { name: 'Error', message: '[object Object]' }],
    [Symbol('no'), { name: 'Error', message: 'Symbol(no)' }],
  ])('%o is its name, its message and its code', (thrown, plain) => {
    expect(plainError(thrown)).toEqual(plain)
    expect(structuredClone(plainError(thrown))).toEqual(plain)
  })
})
