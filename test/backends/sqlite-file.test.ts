/** The file itself: where it may be, what may be in it, and what happens when the disk or somebody else gets in the way. */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { NotSentError } from '../../src/backends/port.ts'
import { SqliteConnection } from '../../src/backends/sqlite/connection.ts'
import { type Driver, loadDriver } from '../../src/backends/sqlite/driver.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { machineClock } from '../../src/backends/sqlite/machine-clock.ts'
import { hasWalResetBug } from '../../src/backends/sqlite/schema.ts'
import {
  connect,
  enroll,
  enter,
  environment,
  folder,
  freshFile,
  logged,
  longestBlockMs,
  tracked,
} from './sqlite/stage.ts'

const DatabaseSync = loadDriver()

function ask(file: string, sql: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return Object.values(database.prepare(sql).get() as object)[0]
  } finally {
    database.close()
  }
}

function write(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** `@photostructure/sqlite` 1 lets go of a closed file only when its statements are collected, too. */
const driverKeepsFiles = process.getBuiltinModule('node:sqlite') === undefined

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  await new Promise(setImmediate)
}

/** The file and its side files, as far as this process has them open. */
function openFiles(file: string): string[] {
  if (process.platform !== 'linux') return []
  const names = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return ''
    }
  })
  return names.filter((name) => name.startsWith(file))
}

describe('options', () => {
  const refused = (path: unknown, options: unknown, message: RegExp) => {
    const call = () => sqlite(path as string, options as object)
    expect(call).toThrow(message)
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  }

  test('a path that no other process could open is refused', () => {
    refused(':memory:', {}, /memory\(\)/)
    refused('', {}, /path is ""/)
    refused(undefined, {}, /path is undefined/)
    refused('file:leases.db', {}, /not a URL/)
    refused(folder, {}, /is a folder/)
  })

  test('unknown and impossible options are refused, with what is allowed', () => {
    refused('x.db', { pollIntervall: 5 }, /no option pollIntervall.*pollInterval/)
    refused('x.db', null, /are an object/)
    for (const value of [0, -1, Number.NaN, 60_001, '100', null]) {
      refused('x.db', { pollInterval: value }, /allowed are 1 to 60000 milliseconds/)
    }
  })

  test('the poll interval is told to whoever looks', () => {
    expect(sqlite('x.db').pollIntervalMs).toBe(100)
    expect(sqlite('x.db', { pollInterval: 7 }).pollIntervalMs).toBe(7)
  })

  test('a missing driver is an error that names the package to install', () => {
    const cause = new Error('Cannot find module')
    const installed = () => {
      throw cause
    }
    const load = () => loadDriver({ builtin: () => undefined, installed })
    expect(load).toThrow(/npm install @photostructure\/sqlite/)
    expect(load).toThrow(expect.objectContaining({ code: 'DRIVER_MISSING', cause }))
    const builtin = { DatabaseSync }
    expect(loadDriver({ builtin: () => builtin, installed })).toBe(DatabaseSync)
  })
})

describe('place', () => {
  test('nothing is touched before the first call; missing folders are created by it', async () => {
    const file = join(folder, 'some', 'deep', 'folder', 'leases.db')
    const connection = connect(file)
    const session = enroll(connection, 'a')
    expect(existsSync(join(folder, 'some'))).toBe(false)
    await session.open()
    expect(existsSync(file)).toBe(true)
  })

  test('a relative path counts from the working directory', async () => {
    const file = freshFile()
    await enter(connect(relative(process.cwd(), file)), 'a')
    expect(existsSync(file)).toBe(true)
  })

  test('a place where no file can be is told, and tried again by the next call', async () => {
    const inTheWay = join(folder, 'in-the-way')
    writeFileSync(inTheWay, '')
    const file = join(inTheWay, 'leases.db')
    const session = enroll(connect(file), 'a')
    await expect(session.open()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining(file),
    })
    rmSync(inTheWay)
    await session.open()
    expect(await session.campaign('x', 1)).toMatchObject({ kind: 'granted' })
  })

  test.skipIf(process.platform !== 'linux')('a folder in which there can be no other is told as well', async () => {
    await expect(enroll(connect('/proc/simba/leases.db'), 'a').open()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('/proc/simba'),
    })
  })

  test('a file that is deleted while it is in use is noticed by the next call', async () => {
    const file = freshFile()
    const connection = connect(file)
    const a = await enter(connection, 'a')
    const before = await a.campaign('x', 1)
    for (const name of readdirSync(folder)) if (name.startsWith(basename(file))) rmSync(join(folder, name))
    expect(await a.renew({ settled: 0, epoch: 1 })).toEqual({ kind: 'unknown' })
    const b = await enter(connection, 'b')
    const after = await b.campaign('x', 1)
    expect(before.kind === 'granted' && after.kind === 'granted' && after.token > before.token).toBe(true)
  })
})

describe('content', () => {
  test('what is no database is refused and left as it is', async () => {
    const file = freshFile()
    const content = 'minutes of the last meeting\n'.repeat(500)
    writeFileSync(file, content)
    await expect(enter(connect(file), 'a')).rejects.toMatchObject({ code: 'BACKEND_FORMAT' })
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  test('a database of something else is refused and left as it is', async () => {
    const file = freshFile()
    write(file, 'CREATE TABLE customers (name TEXT)')
    await expect(enter(connect(file), 'a')).rejects.toMatchObject({
      code: 'BACKEND_FORMAT',
      message: expect.stringContaining('something else'),
    })
    expect(ask(file, 'PRAGMA journal_mode')).toBe('delete')
    expect(ask(file, 'SELECT count(*) FROM sqlite_schema')).toBe(1)
  })

  test('records of an unknown format are refused', async () => {
    const file = freshFile()
    await enter(connect(file), 'a')
    write(file, 'PRAGMA user_version = 2')
    const refusal = { code: 'BACKEND_FORMAT', message: expect.stringContaining('format 2') }
    await expect(enter(connect(file), 'b')).rejects.toMatchObject(refusal)
    await expect(connect(file).leaders(['x'])).rejects.toMatchObject(refusal)
  })

  test('a damaged file is told, with what to do', async () => {
    const file = freshFile()
    const connection = connect(file)
    const session = await enter(connection, 'a')
    await session.campaign('x', 1)
    await connection.close()
    write(file, 'PRAGMA wal_checkpoint(TRUNCATE)')
    const descriptor = openSync(file, 'r+')
    for (let page = 1; page < 24; page++) writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
    closeSync(descriptor)
    await expect(enter(connect(file), 'b')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('damaged'),
    })
  })

  test('a file that cannot be opened is told as one where nothing was done', async () => {
    const file = freshFile()
    writeFileSync(file, '')
    const opening = enter(connect(join(file, 'leases.db')), 'a')
    await expect(opening).rejects.toBeInstanceOf(NotSentError)
    await expect(opening).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining(file) })
  })

  test('where the disk is full, calls are rejected and nothing is half applied', async () => {
    const file = freshFile()
    let pages = 60
    class SmallDisk extends DatabaseSync {
      constructor(path: string) {
        super(path)
        this.exec(`PRAGMA max_page_count = ${pages}`)
      }
    }
    const connection = tracked(new SqliteConnection(SmallDisk as Driver, file, machineClock, environment()))
    const session = await enter(connection, 'a', 60_000)
    const names = Array.from({ length: 3_000 }, (_, index) => `lease-${index}`)
    const answers: unknown[] = []
    for (let from = 0; from < names.length; from += 100) {
      const calls = names.slice(from, from + 100).map((name, index) => session.campaign(name, from + index + 1))
      for (const outcome of await Promise.allSettled(calls)) {
        if (outcome.status === 'rejected') {
          expect(outcome.reason).toMatchObject({
            code: 'BACKEND_UNAVAILABLE',
            message: expect.stringContaining('full'),
          })
        }
        answers.push(outcome.status === 'fulfilled' && outcome.value.kind === 'granted' ? outcome.value.token : null)
      }
    }
    expect(answers).toContain(null)
    const leaders = await connection.leaders(names)
    expect(leaders.map((leader) => leader?.token ?? null)).toEqual(answers)
    pages = 10_000
    await connection.close()
    expect(ask(file, 'PRAGMA integrity_check')).toBe('ok')
    const roomy = connect(file)
    expect((await roomy.leaders(names)).map((leader) => leader?.token ?? null)).toEqual(answers)
    expect(await (await enter(roomy, 'b')).campaign('more', 1)).toMatchObject({ kind: 'granted' })
  })
})

describe('journal', () => {
  /** A driver whose SQLite says that it is older. */
  class OldDriver extends DatabaseSync {
    override prepare(sql: string) {
      return super.prepare(sql === 'SELECT sqlite_version()' ? "SELECT '3.51.2'" : sql)
    }
  }
  const connectOld = (file: string) => tracked(new SqliteConnection(OldDriver, file, machineClock, environment()))

  test('versions with the WAL-reset bug are known', () => {
    const broken = ['3.7.0', '3.44.5', '3.45.0', '3.47.2', '3.50.6', '3.51.0', '3.51.2']
    const sound = ['3.44.6', '3.50.7', '3.51.3', '3.52.0', '3.53.4', '4.0.0']
    expect(broken.map(hasWalResetBug)).toEqual(broken.map(() => true))
    expect(sound.map(hasWalResetBug)).toEqual(sound.map(() => false))
  })

  test('a file is in WAL mode where SQLite can be trusted with it', async () => {
    const file = freshFile()
    await enter(connect(file), 'a')
    expect(ask(file, 'PRAGMA journal_mode')).toBe(
      hasWalResetBug(String(ask(file, 'SELECT sqlite_version()'))) ? 'delete' : 'wal',
    )
  })

  test('a file that an older SQLite has created is never put into WAL mode', async () => {
    const file = freshFile()
    const old = await enter(connectOld(file), 'old', 60_000)
    expect(logged.at(-1)).toMatch(/slower than WAL/)
    const young = await enter(connect(file), 'young', 60_000)
    expect(await old.campaign('x', 1)).toMatchObject({ kind: 'granted' })
    expect(await young.campaign('x', 1)).toEqual({ kind: 'held', holder: 'old' })
    expect(ask(file, 'PRAGMA journal_mode')).toBe('delete')
  })

  test('an older SQLite takes a file out of WAL mode when it is alone, and keeps away when it is not', async () => {
    const file = freshFile()
    const connection = connect(file)
    await enter(connection, 'young', 60_000)
    if (ask(file, 'PRAGMA journal_mode') !== 'wal') return
    const old = connectOld(file)
    await expect(enter(old, 'old')).rejects.toThrow(/WAL mode.*3\.51\.2/)
    await connection.close()
    if (driverKeepsFiles) await collectGarbage()
    await enter(old, 'old')
    expect(ask(file, 'PRAGMA journal_mode')).toBe('delete')
  })
})

describe('calls', () => {
  test('closing the connection closes the file, with calls under way', async () => {
    const file = freshFile()
    const connection = connect(file)
    const session = await enter(connection, 'a')
    const calls = [session.campaign('x', 1), session.look(), connection.leaders(['x'])]
    await connection.close()
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    await expect(session.renew({ settled: 0, epoch: 1 })).rejects.toThrow('closed')
    await connection.close()
    if (driverKeepsFiles) await collectGarbage()
    expect(openFiles(file)).toEqual([])
    expect(await connect(file).leaders(['x'])).toEqual([null])
  })

  test('calls are carried out in the order in which they were made', async () => {
    const session = enroll(connect(freshFile()), 'a')
    const opened = session.open()
    const answers = [session.campaign('x', 1), session.withdraw('x', 2), session.campaign('x', 3)]
    await opened
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind)
    expect(kinds).toEqual(['granted', 'withdrawn', 'granted'])
  })

  test('an opening is repeated as long as it may have failed', async () => {
    const connection = connect(freshFile())
    const session = enroll(connection, 'a')
    expect(await Promise.all([session.open(), session.open()])).toEqual([{ epoch: 1 }, { epoch: 1 }])
    expect(await session.look()).toMatchObject({ kind: 'inbox' })
    const closed = session.close()
    await expect(session.open()).rejects.toThrow('cannot be opened again')
    await closed
    const late = enroll(connection, 'b')
    const opening = late.open()
    const closing = late.close()
    await expect(opening).rejects.toThrow('cannot be opened again')
    await closing
    expect(await late.look()).toEqual({ kind: 'unknown' })
  })

  test('ten thousand campaigns at once leave the event loop its turns', async () => {
    const session = await enter(connect(freshFile()), 'a', 60_000)
    const names = Array.from({ length: 10_000 }, (_, index) => `lease-${index}`)
    const blockMs = await longestBlockMs(async () => {
      const answers = await Promise.all(names.map((name, index) => session.campaign(name, index + 1)))
      expect(answers.every(({ kind }) => kind === 'granted')).toBe(true)
    })
    // Some milliseconds on an idle machine.
    expect(blockMs).toBeLessThan(500)
  })

  test('whoever calls again and again does not keep the event loop from timers', async () => {
    const session = await enter(connect(freshFile()), 'a', 60_000)
    let isOver = false
    setTimeout(() => {
      isOver = true
    }, 20)
    for (let round = 0; !isOver; round++) {
      expect(round).toBeLessThan(100_000)
      await session.look()
      await session.renew({ settled: 0, epoch: 1 })
    }
  })
})
