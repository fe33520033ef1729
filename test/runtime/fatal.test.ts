/** Which errors are fatal where nobody says otherwise. */
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { FatalWorkError, TermExpiredError } from '../../src/index.ts'
import { isFatalByDefault } from '../../src/runtime/fatal.ts'

const withCode = (code: string) => Object.assign(new Error('no'), { code })

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

describe('fatal by default is', () => {
  test.each([
    ['what says so itself', new FatalWorkError('no')],
    ['what says so by its code, from another copy of this library', withCode('FATAL_WORK')],
    ['a worker thread that ran out of memory', withCode('ERR_WORKER_OUT_OF_MEMORY')],
    ['a worker thread that was terminated', withCode('ERR_WORKER_TERMINATED')],
    ['memory that could not be had', new RangeError('Array buffer allocation failed')],
    ['memory that could not be had by WebAssembly', new RangeError('WebAssembly.Memory(): Out of memory')],
  ])('%s', (_, error) => {
    expect(isFatalByDefault(error)).toBe(true)
  })

  test('what this Node throws when memory cannot be had', () => {
    expect(isFatalByDefault(thrownBy(() => new ArrayBuffer(2 ** 52)))).toBe(true)
  })

  test('what this Node reports of a worker thread that ran out of memory', async () => {
    const source = 'const hoard = []; for (;;) hoard.push(new Array(1_000).fill({ text: String(hoard.length) }))'
    const worker = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 }, stderr: true })
    const error = await new Promise((resolve) => worker.once('error', resolve))
    expect(isFatalByDefault(error)).toBe(true)
  })
})

describe('not fatal by default is', () => {
  test.each([
    ['an error', new Error('out of memory, says somebody')],
    ['an error with a code of its own', withCode('ECONNRESET')],
    ['a code that is no text', Object.assign(new Error('no'), { code: 5 })],
    ['a range that has nothing to do with memory', new RangeError('Invalid array length')],
    ['a term that is over', new TermExpiredError('over', 'expired')],
    ['a text', 'FATAL_WORK'],
    ['an object that is no error', { code: 'FATAL_WORK' }],
    ['nothing', undefined],
    ['null', null],
  ])('%s', (_, error) => {
    expect(isFatalByDefault(error)).toBe(false)
  })
})
