/** What can go wrong with a request: the server refuses it, or nothing is known of it any more. */

const NAMES = {
  [-1]: 'SystemError',
  [-2]: 'RuntimeInconsistency',
  [-4]: 'ConnectionLoss',
  [-5]: 'MarshallingError',
  [-6]: 'Unimplemented',
  [-7]: 'OperationTimeout',
  [-8]: 'BadArguments',
  [-101]: 'NoNode',
  [-102]: 'NoAuth',
  [-103]: 'BadVersion',
  [-108]: 'NoChildrenForEphemerals',
  [-110]: 'NodeExists',
  [-111]: 'NotEmpty',
  [-112]: 'SessionExpired',
  [-114]: 'InvalidAcl',
  [-115]: 'AuthFailed',
  [-118]: 'SessionMoved',
  [-119]: 'NotReadOnly',
  [-121]: 'NoWatcher',
  [-125]: 'QuotaExceeded',
  [-127]: 'Throttled',
} as const

export type Refusal = (typeof NAMES)[keyof typeof NAMES] | 'Unknown'

/** The server has answered that it did nothing, and why. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly refusal: Refusal
  /** Which part of a transaction was refused. */
  readonly part: number | undefined

  constructor(code: number, what: string, part?: number) {
    const refusal = (NAMES as Readonly<Record<number, Refusal>>)[code] ?? 'Unknown'
    super(`${what} was refused: ${refusal === 'Unknown' ? `error ${code}` : refusal}`)
    this.refusal = refusal
    this.part = part
  }
}

/** There is no connection, or it was lost before the answer came: then nobody knows what the server has done. */
export class LostError extends Error {
  override readonly name = 'LostError'
}

/** The session has ended: the server says so, or it was ended here. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError'
}

/** Whether the server has refused with one of these. */
export function wasRefused(error: unknown, ...refusals: readonly Refusal[]): error is RefusedError {
  return error instanceof RefusedError && refusals.includes(error.refusal)
}
