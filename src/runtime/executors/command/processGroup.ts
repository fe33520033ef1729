/** All processes of a group: a command and what it has started, but for those that have made a group of their own. */
import { readdirSync, readFileSync } from 'node:fs'

/** Sends the signal to everybody in the group. Nobody may be left. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch (error) {
    // EPERM: somebody in it has become another user. The others have got the signal.
    if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error
  }
}

export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
  return !isGroupOfZombies(group)
}

/** The dead whom nobody has buried, as in a container whose first process does not do that, still count as members of their group. */
function isGroupOfZombies(group: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const states = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => stateWithin(pid, group))
      .filter((state) => state !== undefined)
    return states.every((state) => state === 'Z' || state === 'X')
  } catch {
    return false
  }
}

/** The state of a process; `undefined` where it is in another group, or gone. */
function stateWithin(pid: string, group: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the closing bracket may contain anything.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(processGroup) === group ? state : undefined
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code
}
