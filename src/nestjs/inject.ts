/** How providers get the client. */
import { Inject } from '@nestjs/common'

/** The token of the client, for `inject` of a factory and for `app.get()`. */
export const SIMBA = Symbol('simba')

/**
 * Injects the client.
 *
 * @example
 * constructor(@InjectSimba() private readonly simba: Simba) {}
 */
export const InjectSimba = (): ReturnType<typeof Inject> => Inject(SIMBA)
