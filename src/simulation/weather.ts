/** What may happen to whatever travels between a node and the store. */

export interface Weather {
  /** How long each way takes, from and to. */
  readonly delayMs: readonly [number, number]
  /** The chances, from 0 to 1, of each request, answer and hint. */
  readonly loseRequest: number
  readonly loseAnswer: number
  /** Of what is lost or late, so much is noticed: the caller is told that the connection broke. The rest just hangs. */
  readonly noticeLoss: number
  /** The request arrives a second time, after another delay. */
  readonly repeatRequest: number
  /** The request arrives this much later, when it was perhaps given up. */
  readonly lateRequest: number
  readonly lateMs: readonly [number, number]
  readonly loseHint: number
  readonly repeatHint: number
  readonly lateHint: number
}

export const fairWeather: Weather = {
  delayMs: [0.2, 2],
  loseRequest: 0,
  loseAnswer: 0,
  noticeLoss: 0.5,
  repeatRequest: 0,
  lateRequest: 0,
  lateMs: [1_000, 20_000],
  loseHint: 0,
  repeatHint: 0,
  lateHint: 0,
}
