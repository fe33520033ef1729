/** `simba group`: the command runs once for each partition that this node is given, beside the others. */
import type { Balance } from '../model/assignment/assignment.ts'
import type { OutputLine } from '../runtime/executors/command.ts'
import { type Duty, onDuty } from './duty.ts'
import { codeOfCommand, codeOfSignal, EXIT } from './exitCodes.ts'
import { rangesOf } from './ranges.ts'
import { told } from './reasons.ts'
import { tellBackend } from './run.ts'
import { type ScheduleOptions, scheduleOf } from './schedule.ts'
import { type SharedOptions, setScene } from './shared.ts'
import { isFatal, tellEnd, watchedCommand } from './work.ts'

export interface GroupOptions extends ScheduleOptions {
  readonly partitions: number
  readonly balance?: Balance
}

/** Partitions come and go together: their changes are told together. */
const QUIET_MS = 300

export function group(name: string, words: readonly string[], options: SharedOptions & GroupOptions): Promise<number> {
  const when = scheduleOf(options)
  const { partitions, balance } = options
  return onDuty(setScene(options), (duty) => {
    let hadToBeKilled = false
    tellBackend(duty)
    const output = (line: OutputLine) => print(line)
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', () => duty.end(codeOfSignal('SIGPIPE')))
    }
    const work = watchedCommand(words, { output }, ({ error, reason, wasKilled }) => {
      if (reason === undefined && isFatal(error)) {
        tellEnd(duty, error)
        duty.end(codeOfCommand(error))
      } else if (reason === 'stopped') hadToBeKilled ||= wasKilled
    })
    const declared = duty.simba.group(name, { partitions, ...(balance && { balance }) })
    if (when) declared.schedule(when, work)
    else declared.runWhileLeader(work)
    tellPartitions(duty, name, partitions)
    return () => (hadToBeKilled ? EXIT.killed : EXIT.ok)
  })
}

/** Which partition it is, and the line. Resolves when there is room for more, so that a command waits for a slow reader. */
function print({ stream, line, partition }: OutputLine): Promise<void> | undefined {
  const out = process[stream]
  if (out.write(`[${partition}] ${line}\n`)) return undefined
  return new Promise((resolve) => out.once('drain', resolve))
}

function tellPartitions({ simba, screen }: Duty, name: string, partitions: number): void {
  const led = new Set<number>()
  let isDue = false
  const changed = () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      const which = led.size === 0 ? '' : `: ${rangesOf([...led])}`
      screen.say(`leads ${led.size} of ${partitions} partitions of '${name}'${which}`)
    }, QUIET_MS)
  }
  simba.on('term.started', ({ lease, token, partition }) => {
    screen.detail(`leads '${lease}' with token ${token}`)
    led.add(partition!)
    changed()
  })
  simba.on('term.ended', ({ lease, reason, partition }) => {
    screen.detail(`leads '${lease}' no more: ${told(reason)}`)
    led.delete(partition!)
    changed()
  })
  let said = ''
  simba.on('members.changed', ({ members }) => {
    const now = [...members].sort().join(', ')
    if (now !== said) screen.say(`members of '${name}': ${now}`)
    said = now
  })
}
