/** Leader work that is a machine of the user's. */
import type { TermRevokedEvent, TermWork } from 'simba-xstate'
import { beforeEach, expect, test } from 'vitest'
import { fromCallback, fromPromise, sendParent, setup } from 'xstate'
import { type Client, LEASE_MS, World } from '../support/world.ts'

let world: World
let client: Client
let stoppedChildren: number

beforeEach(() => {
  world = new World()
  client = world.client()
  stoppedChildren = 0
  return () => world.end()
})

const parts = setup({
  types: { events: {} as TermRevokedEvent },
  actors: {
    moment: fromPromise(async () => {}),
    child: fromCallback(() => () => {
      stoppedChildren += 1
    }),
  },
  actions: {
    fail() {
      throw new Error('broken')
    },
    talk: sendParent({ type: 'progress' }),
  },
})

/** Runs the work until all has happened that needs no time. */
async function run(work: TermWork) {
  const task = client.simba.election('ingest').runWhileLeader(work)
  await world.settle()
  return task
}

const complaints = () => [...client.log.of('warn'), ...client.log.of('error')].map(({ message }) => message)

test('a machine that finishes when its term is revoked gives the lease back as soon as it is in a final state', async () => {
  const task = await run(
    parts.createMachine({
      initial: 'working',
      states: {
        working: { on: { 'term.revoked': 'finishing' } },
        finishing: { invoke: { src: 'moment', onDone: 'done' } },
        done: { type: 'final' },
      },
    }),
  )
  expect(await world.until(task.stop(), LEASE_MS)).toBe(0)
  expect(client.events.map(({ type }) => type)).toEqual([
    'session.opened',
    'term.started',
    'work.started',
    'term.revoked',
    'handover.started',
    'work.completed',
    'term.ended',
    'handover.completed',
  ])
  expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED' }])
  expect(complaints()).toEqual([])
})

test('a machine that is in a final state before its term ends keeps the term', async () => {
  const task = await run(parts.createMachine({ initial: 'done', states: { done: { type: 'final' } } }))
  expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED' }])
  expect(task.term?.isValid).toBe(true)
  expect(complaints()).toEqual([])
})

test('a machine that has no transition for the revoke is stopped at once, and its children with it', async () => {
  const task = await run(parts.createMachine({ invoke: { src: 'child' } }))
  expect(await world.until(task.stop(), LEASE_MS)).toBe(0)
  expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED' }])
  expect(client.of('handover.completed')).toMatchObject([{ confirmed: true }])
  expect(stoppedChildren).toBe(1)
  expect(complaints()).toEqual([])
})

test('a machine that fails fails its work, and the term goes on', async () => {
  const task = await run(parts.createMachine({ invoke: { src: 'moment', onDone: { actions: 'fail' } } }))
  expect(client.of('work.completed')).toMatchObject([{ outcome: 'FAILED', error: { message: 'broken' } }])
  expect(task.term?.isValid).toBe(true)
  expect(complaints()).toEqual(['Leader work has failed.'])
})

test('a machine that never comes to an end is stopped when its term is out of time, and its children with it', async () => {
  const task = await run(
    parts.createMachine({
      invoke: { src: 'child' },
      initial: 'working',
      states: { working: { on: { 'term.revoked': 'stubborn' } }, stubborn: {} },
    }),
  )
  await world.until(task.stop(), LEASE_MS)
  expect(client.of('work.completed')).toMatchObject([{ outcome: 'ABANDONED' }])
  expect(complaints()).toEqual([expect.stringContaining('has ignored the interrupt')])
  expect(stoppedChildren).toBe(1)
})

test('what a machine tells its parent does not end it', async () => {
  const task = await run(
    parts.createMachine({
      entry: 'talk',
      initial: 'working',
      states: { working: { on: { 'term.revoked': 'done' } }, done: { type: 'final' } },
    }),
  )
  expect(client.of('work.completed')).toEqual([])
  await world.until(task.stop(), LEASE_MS)
  expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED' }])
})
