/** The output of a command, as lines. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LONGEST_LINE, readLines } from '../../../src/runtime/executors/command/lines.ts'

const noError = (error: unknown) => {
  throw error
}

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const lines: string[] = []
  await readLines(Readable.from(chunks), (line) => lines.push(line), noError)
  return lines
}

const bytes = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text))

describe('output is taken line by line', () => {
  test('wherever its pieces are cut, also within a character', async () => {
    const text = 'one\n\nzwölf 🦁\r\nthe last'
    const expected = ['one', '', 'zwölf 🦁', 'the last']
    const whole = Buffer.from(text)
    for (let size = 1; size <= whole.length; size++) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.subarray(index * size, (index + 1) * size),
      )
      expect(await linesOf(chunks)).toEqual(expected)
    }
  })

  test('an end of line is the end of a line, and no empty line follows', async () => {
    expect(await linesOf(bytes('a\n', 'b\n'))).toEqual(['a', 'b'])
    expect(await linesOf([])).toEqual([])
  })

  test('a line that is too long comes in pieces, of which nothing is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 * LONGEST_LINE }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 70_000 }),
        async (lengths, size) => {
          const whole = Buffer.from(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''))
          const chunks: Buffer[] = []
          for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size))
          const pieces = lengths.flatMap((length) =>
            Array.from({ length: Math.max(1, Math.ceil(length / LONGEST_LINE)) }, (_, piece) =>
              Math.min(LONGEST_LINE, length - piece * LONGEST_LINE),
            ),
          )
          expect((await linesOf(chunks)).map((line) => line.length)).toEqual(pieces)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('whoever takes the lines', () => {
  test('is waited for: nothing more is read meanwhile', async () => {
    let produced = 0
    const source = new Readable({
      highWaterMark: 1,
      read() {
        produced += 1
        this.push(produced <= 1_000 ? `${produced}\n` : null)
      },
    })
    let goOn = () => {}
    const taken: string[] = []
    const reading = readLines(
      source,
      (line) => {
        taken.push(line)
        return new Promise<void>((resolve) => {
          goOn = resolve
        })
      },
      noError,
    )
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(taken).toEqual(['1'])
    expect(produced).toBeLessThan(10)
    source.destroy()
    goOn()
    await reading.catch(() => {})
  })

  test('may fail, and gets the next line all the same', async () => {
    const failures: unknown[] = []
    const taken: string[] = []
    const take = (line: string) => {
      taken.push(line)
      if (line === 'a') throw new Error('at once')
      return line === 'b' ? Promise.reject(new Error('later')) : undefined
    }
    await readLines(Readable.from(bytes('a\nb\nc\n')), take, (error) => failures.push((error as Error).message))
    expect([taken, failures]).toEqual([
      ['a', 'b', 'c'],
      ['at once', 'later'],
    ])
  })

  test('leaves the event loop its turns, however much there is at once', async () => {
    let turns = 0
    const count = () => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await readLines(Readable.from([Buffer.from('y\n'.repeat(10_000))]), () => {}, noError)
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(50)
  })
})
