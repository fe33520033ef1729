/** The terminal: lines with their time, and a bar of progress below them where it is a terminal. */
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

const BAR = 30
const INDENT = ' '.repeat(10)

export class Screen {
  readonly #out = process.stdout
  readonly #hasColors = process.stdout.isTTY === true && process.stdout.hasColors()
  readonly #beganMs = performance.now()
  /** What stands in the last line, and is written over. */
  #bar = ''
  #tenth = 0

  paint(style: Style, text: string): string {
    return this.#hasColors ? styleText(style, text) : text
  }

  line(text = ''): void {
    this.#write(`${text}\n`)
  }

  /** Something that happens now. */
  event(symbol: string, style: Style, text: string): void {
    this.line(`${this.#time()}  ${this.paint(style, symbol)} ${text}`)
  }

  /** How long one part of what just happened took. */
  step(ms: number, text: string): void {
    this.line(this.paint('dim', `${INDENT}${`+${number(Math.max(0, ms))} ms`.padStart(10)}  ${text}`))
  }

  note(text: string): void {
    this.line(this.paint('dim', `${INDENT}· ${text}`))
  }

  progress(done: number, total: number): void {
    const share = done / total
    if (this.#out.isTTY) {
      const filled = Math.round(share * BAR)
      const bar = this.paint('green', '█'.repeat(filled)) + this.paint('dim', '░'.repeat(BAR - filled))
      this.#bar = `${INDENT}${bar} ${Math.floor(share * 100)} %  ${number(done)} of ${number(total)}`
      this.#write('')
      return
    }
    const tenth = Math.floor(share * 10)
    if (tenth === this.#tenth) return
    this.#tenth = tenth
    this.line(`${this.#time()}    ${tenth * 10} %, ${number(done)} of ${number(total)}`)
  }

  /** Removes the bar. */
  close(): void {
    if (this.#bar === '') return
    this.#bar = ''
    this.#write('')
  }

  #time(): string {
    return this.paint('dim', `${((performance.now() - this.#beganMs) / 1000).toFixed(1).padStart(6)} s`)
  }

  #write(text: string): void {
    this.#out.write(this.#out.isTTY ? `\r\x1b[2K${text}${this.#bar}` : text)
  }
}

/** `1 record`, `171,075 records`. */
export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** 171075 as 171,075. */
export function number(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
