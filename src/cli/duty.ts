/**
 * One client from its start to the exit code of the command: it gives up where it never reaches its store, stops in handover order when
 * it is told to, and whatever ends it first decides how the command ends.
 */
import { EXIT } from './exitCodes.ts'
import type { Scene } from './shared.ts'

export interface Duty extends Scene {
  /** Hands everything over, and ends the command with this code. The first call counts. */
  end(code: number): void
}

/** What no repetition mends. */
const HOPELESS = ['DRIVER_MISSING', 'BACKEND_FORMAT']

/**
 * Resolves with the exit code when everything was handed over. `begin` declares the work, and returns the code for a stop by a signal.
 */
export async function onDuty(scene: Scene, begin: (duty: Duty) => (signal: NodeJS.Signals) => number): Promise<number> {
  const { simba, screen, connectTimeoutMs } = scene
  let end!: (code: number) => void
  const ended = new Promise<number>((resolve) => {
    end = resolve
  })
  let codeOf: (signal: NodeJS.Signals) => number = () => EXIT.ok
  simba.stopOnSignals({ signals: ['SIGTERM', 'SIGINT', 'SIGHUP'], onStopped: (signal) => end(codeOf(signal)) })

  const unreached = new Promise<number>((resolve) => {
    const giveUp = (why: string) => {
      screen.fail(`the store was not reached: ${why}`)
      resolve(EXIT.unavailable)
    }
    let lastError = 'it does not answer'
    const timer = setTimeout(() => giveUp(`${lastError} (waited for ${connectTimeoutMs} ms)`), connectTimeoutMs)
    const off = simba.on('backend.failing', ({ error }) => {
      lastError = error.message
      if (HOPELESS.includes(String(error.code))) giveUp(error.message)
    })
    const settle = () => {
      clearTimeout(timer)
      off()
    }
    simba.on('session.opened', settle)
    void ended.then(settle)
  })

  codeOf = begin({ ...scene, end })
  simba.send({ type: 'START' })
  // Nothing was begun in a store that was never reached; a session whose opening has gone astray runs out there by itself.
  return Promise.race([unreached, ended.then((code) => simba.stop().then(() => code))])
}
