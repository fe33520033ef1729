/**
 * The time that all processes of one machine agree on, and how to tell one such time from another. Expiry is judged by it, never by
 * the wall clock.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Two readings can be compared where `boot` is the same, whoever took them.
 *
 * A clock that stands still while the machine sleeps is good enough here. The holders of this machine sleep as well, and their own
 * clocks do count the sleep: a session then lives longer in the store than its client dares to use it, never shorter. A session of
 * another machine is judged by what did not happen between two wakeful readings, and the real time between them is the longer one.
 */
export interface MachineClock {
  /** Names the run of the clock: the boot of the machine. */
  readonly boot: string
  /** Milliseconds that never go back while `boot` is the same. */
  now(): number
}

/** CLOCK_MONOTONIC on Linux and its like elsewhere: one for all processes since the machine was started. */
export const machineClock: MachineClock = {
  get boot() {
    boot ??= bootOfThisMachine()
    return boot
  },
  now() {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
}

let boot: string | undefined

function bootOfThisMachine(): string {
  return linuxBoot() ?? macBoot() ?? processBoot()
}

function linuxBoot(): string | null {
  const id = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  if (!id) return null
  // A container may have a monotonic clock of its own, shifted against that of the machine whose boot id it sees.
  const offsets = attempt(() => readFileSync('/proc/self/timens_offsets', 'utf8')) ?? ''
  const shift = /^monotonic\s+(-?\d+)\s+(-?\d+)/m.exec(offsets)
  return shift === null || (shift[1] === '0' && shift[2] === '0') ? id : `${id}+${shift[1]}.${shift[2]}`
}

function macBoot(): string | null {
  if (process.platform !== 'darwin') return null
  const sysctl = () =>
    execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', timeout: 1_000 })
  return attempt(sysctl)?.trim() || null
}

/**
 * Where the system names no boot (Windows, some sandboxes), every process is a machine of its own to the others. That is always
 * safe, and costs time alone: a session that another process left behind is over once this one has seen it idle for a whole lease
 * duration.
 */
function processBoot(): string {
  return `process-${randomUUID()}`
}

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
