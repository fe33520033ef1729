/** An SQLite file, on a disk of its own where this process may mount one. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadDriver } from '../../../../src/backends/sqlite/driver.ts'
import { machineMs } from '../../real/orders.ts'
import { type Fault, LONGER, SHORTER } from '../fault.ts'
import type { ChaosStore, StoreKind } from './store.ts'

/** More than SQLite lets its log grow before it writes it back. */
const DISK_BYTES = 16 * 1024 * 1024

/** How long the file may be in use by others before its lock is had. */
const LOCK_MS = 5_000

export const sqlite: StoreKind = {
  name: 'sqlite',
  needs: [],
  async start(): Promise<ChaosStore> {
    const folder = mkdtempSync(join(tmpdir(), 'simba-chaos-disk-'))
    const isDisk = mount(folder)
    const path = join(folder, 'leases.db')
    const remove = () => {
      if (isDisk) spawnSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    }
    process.once('exit', remove)
    return {
      ports: [],
      url: () => `sqlite:${path}`,
      faults: [...locks(path), ...(isDisk ? [fullDisk(folder)] : [])],
      async mend() {},
      async dispose() {
        process.off('exit', remove)
        remove()
      },
    }
  },
}

/** A file system in memory. For root alone, and not in every container. */
function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', folder]).status === 0
}

/** What SIGSTOP is for a server. */
function locks(path: string): readonly Fault[] {
  const lock = (name: string, range: readonly [number, number]): Fault => ({
    name,
    place: 'store',
    async act(stage, draw) {
      const database = new (loadDriver())(path)
      database.exec(`PRAGMA busy_timeout = ${LOCK_MS}; BEGIN IMMEDIATE`)
      try {
        await stage.partOfLease(draw, range)
      } finally {
        database.close()
      }
      return { sinceMs: machineMs() }
    },
  })
  return [
    lock('file locked by somebody else for less than the lease', SHORTER),
    lock('file locked by somebody else for more than the lease', LONGER),
  ]
}

function fullDisk(folder: string): Fault {
  return {
    name: 'disk full for more than the lease',
    place: 'store',
    async act(stage, draw) {
      const filler = join(folder, 'filler')
      fill(filler)
      try {
        await stage.partOfLease(draw, LONGER)
      } finally {
        rmSync(filler)
      }
      return { sinceMs: machineMs() }
    },
  }
}

/** Until nothing more fits. */
function fill(path: string): void {
  for (let bytes = DISK_BYTES; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}
