/** `simba status`: who holds what, who waits for it, and who is a member of what. */
import { setTimeout as sleep } from 'node:timers/promises'
import { plainError, SimbaError } from '../model/errors.ts'
import { checkName } from '../model/names.ts'
import { toMs } from '../runtime/durations.ts'
import { createSimba } from '../runtime/simba.ts'
import { chooseBackend, shownBackend } from './backend.ts'
import { EXIT } from './exitCodes.ts'
import { isLed, type Overview, only, overviewOf } from './overview.ts'
import { Screen } from './screen.ts'
import { tableOf } from './table.ts'

export interface StatusOptions {
  readonly backend?: string
  readonly namespace: string
  readonly json?: boolean
  readonly watch?: string | true
}

const WATCH_MS = 2_000
const CLEAR_SCREEN = '\x1b[H\x1b[2J'

export async function status(name: string | undefined, options: StatusOptions): Promise<number> {
  const { namespace, json, watch } = options
  if (name !== undefined) checkName('NAME', name)
  const everyMs = typeof watch === 'string' ? toMs('--watch', watch, { minMs: 100 }) : WATCH_MS
  const backend = chooseBackend(options.backend)
  const screen = new Screen('quiet')
  const simba = createSimba({ backend: backend.url, namespace, logger: screen.logger })
  const look = async () => overviewOf(await simba.survey(), { store: shownBackend(backend), namespace })

  if (watch === undefined)
    return look().then(
      (overview) => show(overview, name, json),
      (error) => unreached(error, screen),
    )
  process.stdout.on('error', () => process.exit(EXIT.ok))
  for (;;) {
    const text = await look().then(
      (overview) => textOf(selected(overview, name), json),
      (error) => void unreached(error, screen),
    )
    if (text !== undefined) process.stdout.write(process.stdout.isTTY && !json ? `${CLEAR_SCREEN}${text}` : text)
    await sleep(everyMs)
  }
}

function show(overview: Overview, name: string | undefined, json = false): number {
  const shown = selected(overview, name)
  process.stdout.write(textOf(shown, json))
  if (name === undefined) return EXIT.ok
  return shown.leases.length + shown.groups.length > 0 && isLed(shown) ? EXIT.ok : EXIT.unled
}

function selected(overview: Overview, name: string | undefined): Overview {
  if (name === undefined) return overview
  return only(overview, name) ?? { ...overview, leases: [{ lease: name, holder: null, waiting: [] }], groups: [] }
}

function textOf(overview: Overview, json = false): string {
  return json ? `${JSON.stringify(overview)}\n` : tableOf(overview)
}

function unreached(error: unknown, screen: Screen): number {
  // What no store would answer differently.
  if (error instanceof SimbaError && error.code === 'INVALID_OPTION') throw error
  screen.fail(`the store was not reached: ${plainError(error).message}`)
  return EXIT.unavailable
}
