/** What a lease may be called, and which partition a lease stands for. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkName, partitionLease, partitionOf } from '../../src/model/names.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']
const CHARACTERS = [...LETTERS, '.', '_', ':', '-']
const name = fc
  .tuple(fc.constantFrom(...LETTERS), fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 127 }))
  .map(([first, rest]) => first + rest.join(''))

describe('a name', () => {
  test('of 1 to 128 allowed characters, the first one a letter or a digit, is taken as it is', () => {
    fc.assert(
      fc.property(name, (any) => {
        expect(checkName('The name', any)).toBe(any)
      }),
    )
    expect(checkName('The name', 'a')).toBe('a')
    expect(checkName('The name', 'Z'.repeat(128))).toHaveLength(128)
  })

  test('with any other character, anywhere, is refused', () => {
    const other = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((c) => !CHARACTERS.includes(c))
    fc.assert(
      fc.property(name, other, fc.nat(), (good, wrong, place) => {
        const at = place % (good.length + 1)
        expect(() => checkName('The name', good.slice(0, at) + wrong + good.slice(at))).toThrow()
      }),
    )
  })

  test.each([
    ['', 'nothing'],
    ['a'.repeat(129), 'more than 128 characters'],
    ['.a', 'a first character that is no letter or digit'],
    ['_a', 'a first character that is no letter or digit'],
    ['-a', 'a first character that is no letter or digit'],
    [':a', 'a first character that is no letter or digit'],
    ['a b', 'a blank'],
    ['a/b', 'a slash'],
    ['a\n', 'a line break at the end'],
    ['\u00e4', 'a letter of another alphabet'],
    ['{a}', 'braces, which mean a slot to Redis'],
  ])('%j is refused: %s', (wrong) => {
    expect(() => checkName('The name', wrong)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  test.each([undefined, null, 5, {}, ['a']])('that is no text is refused: %j', (wrong) => {
    expect(() => checkName('The name', wrong)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  test('that is refused is told whose it is, what it is, and what is allowed', () => {
    expect(() => checkName('The name of the election', 'a b')).toThrow(
      'The name of the election is "a b"; allowed are 1 to 128 characters of A-Z a-z 0-9 . _ : -, the first one a letter or a digit.',
    )
  })
})

describe('the lease of a partition', () => {
  test('is the group and the partition with a dot between them, and leads back to the partition', () => {
    expect(partitionLease('billing', 7)).toBe('billing.7')
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 65_536 }), fc.nat(), (group, partitions, any) => {
        const partition = any % partitions
        expect(partitionOf(group, partitions, partitionLease(group, partition))).toBe(partition)
      }),
    )
  })

  test.each([
    ['billing.16', 'a partition that the group does not have'],
    ['billing.01', 'a number that no partition is written as'],
    ['billing.', 'no number'],
    ['billing.-1', 'a number below 0'],
    ['billing.1.5', 'a partition of another group'],
    ['billing.1e1', 'a number that no partition is written as'],
    ['billing', 'the group itself'],
    ['billing2.1', 'another group, whose name begins alike'],
    ['billing-1', 'a lease that only begins like the group'],
    ['Billing.1', 'another group: case counts'],
  ])('is not %s: %s', (lease) => {
    expect(partitionOf('billing', 16, lease)).toBeNull()
  })
})
