/** What a client has to say, for Nest's own logger. */
import { Logger as NestLogger } from '@nestjs/common'
import { plainError } from '../model/errors.ts'
import type { Logger } from '../model/logger.ts'

/** The details follow the message on its line, where loggers of all kinds print them; an error's stack goes where Nest wants it. */
export function nestLogger(context: string): Logger {
  const logger = new NestLogger(context)
  return {
    debug: (details, message) => logger.debug(lineOf(details, message)),
    info: (details, message) => logger.log(lineOf(details, message)),
    warn: (details, message) => logger.warn(lineOf(details, message)),
    error: (details, message) => logger.error(lineOf(details, message), stackOf(details)),
  }
}

function lineOf(details: object, message: string): string {
  const plain = JSON.stringify(details, (_, value) => (value instanceof Error ? plainError(value) : value))
  return plain === '{}' ? message : `${message} ${plain}`
}

function stackOf({ err }: { readonly err?: unknown }): string | undefined {
  return err instanceof Error ? err.stack : undefined
}
