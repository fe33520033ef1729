/** The default logger: warnings and errors to the console, nothing else. */
import type { Logger } from '../model/logger.ts'

export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (details, message) => console.warn(`[simba] ${message}`, details),
  error: (details, message) => console.error(`[simba] ${message}`, details),
}
