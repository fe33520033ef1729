/** A logger that keeps what it is told. */
import type { Logger } from '../../src/model/logger.ts'

export interface LogLine {
  readonly level: keyof Logger
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export class LogBook implements Logger {
  readonly lines: LogLine[] = []

  debug(details: object, message: string): void {
    this.#note('debug', details, message)
  }

  info(details: object, message: string): void {
    this.#note('info', details, message)
  }

  warn(details: object, message: string): void {
    this.#note('warn', details, message)
  }

  error(details: object, message: string): void {
    this.#note('error', details, message)
  }

  of(level: keyof Logger): readonly LogLine[] {
    return this.lines.filter((line) => line.level === level)
  }

  #note(level: keyof Logger, details: object, message: string): void {
    this.lines.push({ level, message, details: { ...details } })
  }
}
