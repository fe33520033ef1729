/** Processes from outside. */
import { readFileSync } from 'node:fs'

/** Whether it does anything: the dead whom nobody has buried do not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !'ZX'.includes(stat[stat.lastIndexOf(')') + 2]!)
  } catch {
    // Gone meanwhile, or a system without such files.
    return process.platform !== 'linux'
  }
}

/** How much memory it has, in megabytes. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

/** Its state by one letter, and whose child it is. On Linux alone. */
export function statOf(pid: number): { readonly state: string | undefined; readonly parent: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state, parent: Number(parent) }
}
