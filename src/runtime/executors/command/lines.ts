/** Output of a command, line by line: never more in memory than one piece of it, however much there is and however long its lines. */
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A longer line comes in pieces. */
export const LONGEST_LINE = 16_384

/** So many lines, and the event loop gets its turn: a flood of output must not keep this client from renewing. */
const LINES_PER_TURN = 100

/**
 * Resolves when the stream has ended and every line was taken. Whoever takes a line may return a promise: then nothing more is read
 * before it has settled, and the command waits where its pipe is full. What a taker throws is told to `onError`, and the next line comes.
 */
export async function readLines(
  stream: Readable,
  take: (line: string) => unknown,
  onError: (error: unknown) => void,
): Promise<void> {
  let lines = 0
  async function tell(line: string): Promise<void> {
    try {
      await take(line)
    } catch (error) {
      onError(error)
    }
    lines += 1
    if (lines % LINES_PER_TURN === 0) await nextTurn()
  }

  async function tellPieces(line: string): Promise<void> {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    for (let at = 0; at === 0 || at < text.length; at += LONGEST_LINE) await tell(text.slice(at, at + LONGEST_LINE))
  }

  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of stream) {
    rest += decoder.write(chunk as Buffer)
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      await tellPieces(rest.slice(from, end))
      from = end + 1
    }
    rest = rest.slice(from)
    while (rest.length > LONGEST_LINE) {
      await tell(rest.slice(0, LONGEST_LINE))
      rest = rest.slice(LONGEST_LINE)
    }
  }
  rest += decoder.end()
  if (rest !== '') await tellPieces(rest)
}
