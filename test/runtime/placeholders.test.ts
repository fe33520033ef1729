/** Placeholders: what is filled in for them, and what a mistake says. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fill, fromEnvironment } from '../../src/runtime/placeholders.ts'

const VALUES: Readonly<Record<string, unknown>> = {
  a: 'A',
  'b.c-d': 'B',
  n: 5,
  empty: '',
  off: false,
  none: null,
  deep: '${a}',
}
const filled = (text: string) => fill('attribute', text, (name) => VALUES[name])

afterEach(() => vi.unstubAllEnvs())

describe('a text', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['a $ and a { and a }', 'a $ and a { and a }'],
    ['${a}', 'A'],
    ['${b.c-d}', 'B'],
    ['<${a}><${b.c-d}>', '<A><B>'],
    ['${a}${a}', 'AA'],
    ['${x:default}', 'default'],
    ['${x:}', ''],
    ['${x:a:b}', 'a:b'],
    ['${x:{}', '{'],
    ['${a:default}', 'A'],
    ['${x:${a}}', 'A'],
    ['${x:${y:${z:deep}}}', 'deep'],
    ['${x:<${a}>}-${x:${y:-}}', '<A>--'],
    ['${empty:default}', ''],
    ['${none:default}', 'default'],
    // A value is taken as it is.
    ['${deep}', '${a}'],
    // What is nothing but a placeholder is its value.
    ['${n}', 5],
    ['${off}', false],
    ['${n}s', '5s'],
  ])('%s becomes %j', (text, expected) => {
    expect(filled(text)).toBe(expected)
  })

  test.each([
    ['${x}', 'attribute: ${x} has no value; set x, or give a default, as in ${x:…}.'],
    ['${none}', 'attribute: ${none} has no value; set none, or give a default, as in ${none:…}.'],
    ['${x:${y}}', 'attribute: ${y} has no value; set y, or give a default, as in ${y:…}.'],
    ['a ${a', 'attribute: ${a has no closing brace.'],
    ['${x:${a}', 'attribute: ${x:${a} has no closing brace.'],
    [
      '${}',
      "attribute: ${} is no placeholder; a name begins with a letter, and goes on with letters, digits, '.', '_' and '-'.",
    ],
    ['${:a}', 'attribute: ${:a} is no placeholder; a name begins'],
    ['${ a }', 'attribute: ${ a } is no placeholder; a name begins'],
    ['${1}', 'attribute: ${1} is no placeholder; a name begins'],
    ['${${a}}', 'attribute: ${${a}} is no placeholder; a name begins'],
  ])('%s is refused', (text, message) => {
    expect(() => filled(text)).toThrow(message)
    expect(() => filled(text)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})

describe('the environment', () => {
  test('has a name as it is written, or else in capitals, with underscores for dots and dashes', () => {
    vi.stubEnv('BILLING_LEASE_TIME', 'capitals')
    expect(fromEnvironment('billing.lease-time')).toBe('capitals')
    vi.stubEnv('billing.lease-time', 'as written')
    expect(fromEnvironment('billing.lease-time')).toBe('as written')
    expect(fromEnvironment('billing.leaseTime')).toBeUndefined()
  })

  test('is what a mistake speaks of, where it was asked', () => {
    expect(() => fill('name', '${no.such}', fromEnvironment)).toThrow(
      'name: ${no.such} has no value; set no.such or NO_SUCH in the environment, or give a default, as in ${no.such:…}.',
    )
  })
})
