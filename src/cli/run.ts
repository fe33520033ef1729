/** `simba run`: the command runs while this node leads, in each of its terms. It ends when the command ends by itself. */
import { shownBackend } from './backend.ts'
import { type Duty, onDuty } from './duty.ts'
import { codeOfCommand, EXIT } from './exitCodes.ts'
import { told } from './reasons.ts'
import { type SharedOptions, setScene } from './shared.ts'
import { tellWaits } from './waiting.ts'
import { type CommandEnd, tellEnd, type WatchedCommand, watchedCommand } from './work.ts'

export function run(name: string, words: readonly string[], options: SharedOptions): Promise<number> {
  return onDuty(setScene(options), (duty) => {
    let hadToBeKilled = false
    tellBackend(duty)
    const work = watchedCommand(
      words,
      { output: 'inherit', stdin: 'inherit' },
      ({ error, reason, wasKilled }: CommandEnd) => {
        if (reason === undefined) {
          tellEnd(duty, error)
          duty.end(codeOfCommand(error))
        } else if (reason === 'stopped') hadToBeKilled = wasKilled
      },
    )
    const task = duty.simba.election(name).runWhileLeader(work)
    tellTerms(duty, work)
    tellWaits(duty, name, task)
    return () => (hadToBeKilled ? EXIT.killed : EXIT.ok)
  })
}

export function tellBackend({ screen, backend, simba }: Duty): void {
  const where = shownBackend(backend)
  const others = backend.isDefault ? '; --backend or SIMBA_BACKEND for one that other machines reach' : ''
  screen.say(`${simba.node} contends in ${where}${others}`)
}

/** What a term's end leaves to the command is of interest only while there is one. */
export function tellTerms({ simba, screen }: Duty, work: WatchedCommand): void {
  simba.on('term.started', ({ lease, token }) => screen.say(`leads '${lease}' with token ${token}`))
  simba.on('term.revoked', ({ lease, remainingMs }) => {
    if (remainingMs > 0 && work.isRunning)
      screen.say(`hands '${lease}' over: the command has ${Math.floor(remainingMs)} ms to leave`)
  })
  simba.on('term.ended', ({ lease, reason }) => screen.say(`leads '${lease}' no more: ${told(reason)}`))
}
