/** A logger that a user has passed in, from inside the machines: what it throws must not stop one of them. */
import type { Logger } from '../model/logger.ts'
import { consoleLogger } from './consoleLogger.ts'

export function guarded(logger: Logger): Logger {
  const method = (level: keyof Logger) => (details: object, message: string) => {
    try {
      logger[level](details, message)
    } catch (error) {
      consoleLogger.error({ err: error, line: message }, 'The logger has failed.')
    }
  }
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') }
}
