/** Where log lines go. The methods are those of pino, so that a pino logger can be handed in as it is. */
export interface Logger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
