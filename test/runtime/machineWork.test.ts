/** Leader work that is a machine of the user's. */
import {
  createSimba,
  type Simba,
  type SimbaEvent,
  type TermRevokedEvent,
  type TermWork,
  type WorkLogicInput,
} from 'simba-xstate'
import { memory } from 'simba-xstate/memory'
import { afterEach, expect, test } from 'vitest'
import { setup } from 'xstate'

let simba: Simba | undefined
const published: SimbaEvent[] = []
const logged: string[] = []
afterEach(async () => {
  await simba?.stop()
  published.length = 0
  logged.length = 0
})

const note = (_details: object, message: string) => void logged.push(message)

function run(work: TermWork, leaseDuration = '10s') {
  simba = createSimba({
    backend: memory(),
    leaseDuration,
    logger: { debug() {}, info() {}, warn: note, error: note },
  })
  simba.on('*', (event) => void published.push(event))
  simba.send({ type: 'START' })
  const task = simba.election('ingest').runWhileLeader(work)
  const client = simba
  const next = (type: SimbaEvent['type']) =>
    new Promise<SimbaEvent>((resolve) => {
      const off = client.on(type, (event) => {
        off()
        resolve(event)
      })
    })
  return { task, next }
}

const parts = setup({
  types: { input: {} as WorkLogicInput, events: {} as TermRevokedEvent | { type: 'finished' } },
  delays: { soon: 20 },
})

test('a machine that finishes when its term is revoked gives the lease back as soon as it is in a final state', async () => {
  const machine = parts.createMachine({
    initial: 'working',
    states: {
      working: { on: { 'term.revoked': 'finishing' } },
      finishing: { after: { soon: 'done' } },
      done: { type: 'final' },
    },
  })
  const { task, next } = run(machine)
  await next('work.started')
  await task.stop()
  expect(published.map(({ type }) => type)).toEqual([
    'session.opened',
    'term.started',
    'work.started',
    'term.revoked',
    'handover.started',
    'work.completed',
    'term.ended',
    'handover.completed',
  ])
  expect(published).toContainEqual(expect.objectContaining({ type: 'work.completed', outcome: 'COMPLETED' }))
  expect(logged).toEqual([])
})

test('a machine that is in a final state before its term ends keeps the term', async () => {
  const { task, next } = run(parts.createMachine({ initial: 'done', states: { done: { type: 'final' } } }))
  await next('work.completed')
  expect(task.term?.isValid).toBe(true)
  await task.stop()
  expect(logged).toEqual([])
})

test('a machine that has no transition for the revoke is stopped at once', async () => {
  const { task, next } = run(parts.createMachine({ initial: 'working', states: { working: {} } }))
  await next('work.started')
  await task.stop()
  expect(published).toContainEqual(expect.objectContaining({ type: 'work.completed', outcome: 'COMPLETED' }))
  expect(published).toContainEqual(expect.objectContaining({ type: 'handover.completed', confirmed: true }))
  expect(logged).toEqual([])
})

test('a machine that fails fails its work, and the term goes on', async () => {
  const machine = parts.createMachine({
    initial: 'working',
    states: {
      working: {
        after: {
          soon: {
            actions: () => {
              throw new Error('broken')
            },
          },
        },
      },
    },
  })
  const { task, next } = run(machine)
  expect(await next('work.completed')).toMatchObject({ outcome: 'FAILED', error: { message: 'broken' } })
  expect(task.term?.isValid).toBe(true)
  expect(logged).toEqual(['Leader work has failed.'])
})

test('a machine that never comes to an end is stopped when its term is out of time', async () => {
  const machine = parts.createMachine({
    initial: 'working',
    states: { working: { on: { 'term.revoked': 'stubborn' } }, stubborn: {} },
  })
  const { task, next } = run(machine, '300ms')
  await next('work.started')
  await task.stop()
  expect(published).toContainEqual(expect.objectContaining({ type: 'work.completed', outcome: 'ABANDONED' }))
  expect(logged).toEqual([expect.stringContaining('has ignored the interrupt')])
})
