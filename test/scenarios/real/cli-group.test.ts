/** `simba group`, `simba schedule` and `simba status`: several nodes, and what an operator sees of them. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { builtPackage } from '../../support/built-package.ts'
import { residentMegabytes } from '../../support/processes.ts'
import { SimbaProcess, type StartOptions, until } from '../../support/simba-process.ts'
import { isZooKeeperMissing } from '../../support/zookeeper-server.ts'
import { readTree } from '../../support/zookeeper-tree.ts'
import { zooKeeperServer } from './stage.ts'
import { POLITE, Story } from './story.ts'

const PARTITIONS = 6
const LEASE = ['--lease-duration', '3s']

const built = builtPackage()

function simba(story: Story, words: readonly string[], options: StartOptions = {}): SimbaProcess {
  return new SimbaProcess(built(), words, { ...options, env: { ...story.env, ...options.env } })
}

function group(story: Story, node: string, script: string, options: StartOptions = {}): SimbaProcess {
  const words = [
    'group',
    'billing',
    '--partitions',
    `${PARTITIONS}`,
    '--node',
    node,
    ...LEASE,
    '--',
    'sh',
    '-c',
    script,
  ]
  return simba(story, words, options)
}

async function status(story: Story, ...words: readonly string[]): Promise<SimbaProcess> {
  const one = simba(story, ['status', ...words])
  await one.end()
  return one
}

interface GroupStatus {
  readonly unled: readonly number[]
  readonly members: readonly { readonly node: string; readonly partitions: readonly number[] }[]
}

async function groupStatus(story: Story): Promise<GroupStatus | undefined> {
  const { groups } = JSON.parse((await status(story, '--json')).stdout)
  return groups[0]
}

describe('a group', () => {
  test('is shared by its nodes; when one stops, the other runs all of it, and nothing runs twice', async () => {
    const story = new Story()
    const one = group(story, 'one', POLITE)
    await one.says(/leads 6 of 6 partitions of 'billing': 0-5/)
    const two = group(story, 'two', POLITE)
    await two.says(/members of 'billing': /)
    await until('both lead', async () => {
      const seen = await groupStatus(story)
      return (
        seen?.members.length === 2 &&
        seen.unled.length === 0 &&
        seen.members.every((each) => each.partitions.length > 0)
      )
    })
    const shown = await groupStatus(story)
    expect(shown!.members.flatMap(({ partitions }) => partitions).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    one.signal('SIGTERM')
    expect(await one.end()).toEqual({ code: 0, signal: null })
    await two.says(/leads 6 of 6 partitions of 'billing': 0-5/)
    await until(
      'two runs all of it',
      () => new Set(story.of('two', 'begins').map(({ rest }) => rest[1])).size === PARTITIONS,
    )
    two.signal('SIGTERM')
    expect(await two.end()).toEqual({ code: 0, signal: null })
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const own = story.lines.filter(({ rest }) => rest[1] === `${partition}`)
      expect(own.map(({ what }) => what)).toEqual(own.map((_, index) => (index % 2 === 0 ? 'begins' : 'leaves')))
    }
  })

  test('prints what its commands print, with the partition in front', async () => {
    const story = new Story()
    const one = group(story, 'one', 'echo "out $SIMBA_PARTITION"; echo "err $SIMBA_PARTITION" >&2; exec sleep 1000')
    await one.says(/\[5\] err 5/)
    for (let partition = 0; partition < PARTITIONS; partition++) {
      await one.says(new RegExp(`\\[${partition}\\] err ${partition}`))
      expect(one.stdout).toContain(`[${partition}] out ${partition}\n`)
    }
    expect(one.stdout).not.toContain('err')
  })

  test('whose commands flood an output that nobody reads takes no more memory, and goes on leading', async () => {
    const story = new Story()
    const one = group(story, 'one', `${'echo "one begins $$" >> "$STORY"'}; exec yes 'a line of output'`, {
      isUnread: true,
    })
    await story.has('one', 'begins', PARTITIONS)
    await sleep(9_000)
    expect(residentMegabytes(one.pid)).toBeLessThan(250)
    const seen = await groupStatus(story)
    expect(seen).toMatchObject({ unled: [], members: [{ node: 'one' }] })
    one.read()
    await one.says(/\[\d\] a line of output/, 1_000)
    one.signal('SIGTERM')
    expect(await one.end()).toEqual({ code: 0, signal: null })
  })
})

test('a schedule runs its command again and again, also after a failure, and never two at a time', async () => {
  const story = new Story()
  const script = 'echo "one begins $$" >> "$STORY"; sleep 0.1; echo "one leaves $$" >> "$STORY"; exit 3'
  const one = simba(story, ['schedule', 'report', '--fixed-delay', '100ms', '--node', 'one', '--', 'sh', '-c', script])
  await story.has('one', 'leaves', 3)
  one.signal('SIGTERM')
  expect(await one.end()).toEqual({ code: 0, signal: null })
  expect(one.stderr).toMatch(/Leader work has failed.*ended with exit code 3/)
  const plot = story.plot
  expect(plot).toEqual(plot.map((_, index) => (index % 2 === 0 ? 'one begins' : 'one leaves')))
})

describe('the status', () => {
  test('tells who leads, since when, and who waits: as a table, as JSON, and by its exit code', async () => {
    const story = new Story()
    const start = (node: string) => simba(story, ['run', 'ingest', '--node', node, ...LEASE, '--', 'sh', '-c', POLITE])
    start('one')
    const { rest } = await story.has('one', 'begins')
    const two = start('two')
    await two.says(/held by one/)

    const table = await status(story)
    expect(table.stdout).toContain(`store ${story.backend}, namespace simba`)
    expect(table.stdout).toMatch(/^LEASE +HOLDER +TOKEN +FOR +WAITING$/m)
    expect(table.stdout).toMatch(new RegExp(`^ingest +one +${rest[0]} +\\d+s +two$`, 'm'))

    const json = JSON.parse((await status(story, '--json')).stdout)
    expect(json).toMatchObject({
      store: story.backend,
      namespace: 'simba',
      leases: [{ lease: 'ingest', holder: { node: 'one', token: Number(rest[0]) }, waiting: [{ node: 'two' }] }],
      groups: [],
      isWhole: true,
    })
    expect(json.leases[0].holder.ledForMs).toBeGreaterThan(0)

    const codes = await Promise.all(['ingest', 'nothing'].map(async (name) => (await status(story, name)).end()))
    expect(codes.map(({ code }) => code)).toEqual([0, 1])
    expect((await status(story, '--namespace', 'other')).stdout).toContain('Nobody holds or wants anything.')
  })

  test('is shown again and again with --watch', async () => {
    const story = new Story()
    const watching = simba(story, ['status', '--watch', '200ms'])
    await watching.says(/Nobody holds or wants anything/, 2)
    simba(story, ['run', 'ingest', '--node', 'one', '--', 'sleep', '1000'])
    await watching.says(/ingest +one/, 2)
    expect(watching.isRunning).toBe(true)
  })
})

describe.skipIf(isZooKeeperMissing)('the status of a ZooKeeper', () => {
  const server = zooKeeperServer()
  // Nobody is missed here, and renewals bring the time on.
  const calm = ['--lease-duration', '20s', '--renew-interval', '500ms']

  test('tells who leads, since when, who waits, and who has which partitions, and leaves nothing there', async () => {
    const story = new Story()
    const env = { SIMBA_BACKEND: server().url }
    const start = (node: string, ...words: readonly string[]) => {
      return simba(story, [...words, '--node', node, ...calm, '--', 'sh', '-c', POLITE], { env })
    }
    start('one', 'run', 'ingest')
    const { rest } = await story.has('one', 'begins')
    await start('two', 'run', 'ingest').says(/held by one/)
    await start('three', 'group', 'billing', '--partitions', '2').says(/leads 2 of 2 partitions of 'billing': 0-1/)
    const ask = async (...words: readonly string[]) => {
      const asked = simba(story, ['status', ...words], { env })
      return { ...(await asked.end()), text: asked.stdout }
    }
    const nodes = async () => [...(await readTree(server().port)).keys()]

    const before = await nodes()
    const table = await ask()
    expect(table.code).toBe(0)
    expect(table.text).toMatch(new RegExp(`^ingest +one +${rest[0]} +[1-9]\\d*s +two$`, 'm'))
    expect(table.text).toMatch(/^three +0-1 +\d+s +-$/m)
    expect(await nodes()).toEqual(before)

    expect(JSON.parse((await ask('--json')).text)).toMatchObject({
      namespace: 'simba',
      isWhole: true,
      leases: [{ lease: 'ingest', holder: { node: 'one', token: Number(rest[0]) }, waiting: [{ node: 'two' }] }],
      groups: [{ group: 'billing', unled: [], members: [{ node: 'three', partitions: [0, 1] }] }],
    })
    const codes = await Promise.all(['ingest', 'billing', 'nothing'].map((name) => ask(name)))
    expect(codes.map(({ code }) => code)).toEqual([0, 0, 1])
    expect((await ask('--namespace', 'other')).text).toContain('Nobody holds or wants anything.')
  })
})

describe('without a backend', () => {
  test('leases are in a file in the state directory of the user, and simba says so', async () => {
    const story = new Story()
    const env = { SIMBA_BACKEND: undefined, XDG_STATE_HOME: story.folder }
    const one = simba(story, ['run', 'ingest', '--', 'true'], { env })
    expect(await one.end()).toEqual({ code: 0, signal: null })
    const file = join(story.folder, 'simba', 'leases.db')
    expect(one.stderr).toContain(
      `contends in sqlite:${file}; --backend or SIMBA_BACKEND for one that other machines reach`,
    )
  })

  test('and without XDG_STATE_HOME, or with one that is relative, it is the usual folder', async () => {
    const { chooseBackend } = await import('../../../src/cli/backend.ts')
    const usual = { url: `sqlite:${join(homedir(), '.local/state/simba/leases.db')}`, isDefault: true }
    expect(chooseBackend(undefined, {})).toEqual(usual)
    expect(chooseBackend('', { XDG_STATE_HOME: 'relative' })).toEqual(usual)
    expect(chooseBackend('memory:', {})).toEqual({ url: 'memory:', isDefault: false })
  })
})
