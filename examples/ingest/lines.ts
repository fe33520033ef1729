/** The lines of a UTF-8 file, as a stream. */
import { createReadStream } from 'node:fs'

/** What was given to read cannot be read as lines of text. The message says why. */
export class NotTextError extends Error {}

const LONGEST_LINE = 1024 * 1024

/** Lines without their line feeds. An empty line is a line; nothing after the last line feed is none. Throws `NotTextError`. */
export async function* linesOf(path: string, offset = 0): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new NotTextError('it is not text in UTF-8')
    }
  }
  let rest = ''
  for await (const chunk of createReadStream(path, { start: offset })) {
    const lines = (rest + decode(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield checked(line)
    checked(rest)
  }
  rest += decode()
  if (rest !== '') yield checked(rest)
}

function checked(line: string): string {
  if (line.includes('\0')) throw new NotTextError('it is binary, not text')
  if (line.length > LONGEST_LINE) throw new NotTextError(`it has a line of more than ${LONGEST_LINE} characters`)
  return line
}
