/** An election that a user's own machine invokes. */
import type { ElectionLogic, Simba, Term, TermEvent, TermWork } from 'simba-xstate'
import { beforeEach, expect, test } from 'vitest'
import { assertEvent, assign, createActor, sendTo, setup, waitFor } from 'xstate'
import { World } from '../support/world.ts'

let world: World
beforeEach(() => {
  world = new World()
  return () => world.end()
})

const started = () => world.client().simba

/** A machine as a user would write it, which keeps all that it is told. */
function userMachine(election: ElectionLogic) {
  return setup({
    types: {
      context: {} as { readonly told: readonly TermEvent[]; readonly error: unknown },
      events: {} as TermEvent | { type: 'STOP' } | { type: 'STEP_DOWN' } | { type: 'LEAVE' },
    },
    actors: { election },
    actions: {
      note: assign(({ context, event }) => {
        assertEvent(event, ['term.started', 'term.revoked', 'term.ended'])
        return { told: [...context.told, event] }
      }),
      tellElection: sendTo('election', ({ event }) => event),
    },
  }).createMachine({
    context: { told: [], error: undefined },
    initial: 'contending',
    states: {
      contending: {
        invoke: {
          id: 'election',
          src: 'election',
          onDone: 'over',
          onError: { target: 'failed', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: {
          'term.*': { actions: 'note' },
          STOP: { actions: 'tellElection' },
          STEP_DOWN: { actions: 'tellElection' },
          LEAVE: 'left',
        },
      },
      left: { on: { 'term.*': { actions: 'note' } } },
      over: {},
      failed: {},
    },
  })
}

function run(simba: Simba, work: TermWork) {
  const actor = createActor(userMachine(simba.election('ingest').logic(work)))
  actor.start()
  return actor
}

const told = (count: number) => (snapshot: { context: { told: readonly TermEvent[] } }) =>
  snapshot.context.told.length === count
/** Work that leaves when it is told to. */
const untilRevoked = (term: Term) => term.revoked

function deferred() {
  let resolve!: () => void
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Resolves when the event comes that ends a handover. */
const handedOver = (simba: Simba) =>
  new Promise<void>((resolve) => {
    const off = simba.on('handover.completed', () => {
      off()
      resolve()
    })
  })

test('the machine is told of each step of a term, in plain data', async () => {
  const simba = started()
  const actor = run(simba, untilRevoked)
  await waitFor(actor, told(1))
  actor.send({ type: 'STOP' })
  await waitFor(actor, told(3))

  const events = actor.getSnapshot().context.told
  const { token } = events[0]!
  expect(events).toEqual([
    { type: 'term.started', lease: 'ingest', token },
    { type: 'term.revoked', lease: 'ingest', token, reason: 'stopped', remainingMs: expect.any(Number) },
    { type: 'term.ended', lease: 'ingest', token, reason: 'stopped' },
  ])
  expect(structuredClone(events)).toEqual(events)
})

test('after STOP the actor is done when the work has exited and the lease is released, not before', async () => {
  const simba = started()
  const exit = deferred()
  const actor = run(simba, () => exit.promise)
  await waitFor(actor, told(1))

  actor.send({ type: 'STOP' })
  await waitFor(actor, told(2))
  expect(actor.getSnapshot().value).toBe('contending')
  expect(await simba.election('ingest').leader()).not.toBeNull()

  exit.resolve()
  await waitFor(actor, ({ value }) => value === 'over')
  expect(await simba.election('ingest').leader()).toBeNull()
})

test('a name is free again as soon as its actor is done', async () => {
  const simba = started()
  const actor = run(simba, untilRevoked)
  await waitFor(actor, told(1))
  actor.send({ type: 'STOP' })
  await waitFor(actor, ({ value }) => value === 'over')
  const next = run(simba, untilRevoked)
  await waitFor(next, told(1))
})

test('a machine that leaves the state is told nothing more, and the handover is completed in the background', async () => {
  const simba = started()
  const order: string[] = []
  const actor = run(simba, async (term) => {
    await untilRevoked(term)
    order.push('interrupted')
    await Promise.resolve()
    order.push('exited')
  })
  await waitFor(actor, told(1))
  const over = handedOver(simba).then(() => order.push('released'))
  actor.send({ type: 'LEAVE' })
  await over
  expect(order).toEqual(['interrupted', 'exited', 'released'])
  expect(actor.getSnapshot()).toMatchObject({ value: 'left', context: { told: [{ type: 'term.started' }] } })
})

test('STEP_DOWN ends the term and leaves the lease to another node, and the actor goes on', async () => {
  const simba = started()
  const actor = run(simba, untilRevoked)
  await waitFor(actor, told(1))
  const other = run(started(), untilRevoked)
  actor.send({ type: 'STEP_DOWN' })
  await waitFor(other, told(1))
  expect(actor.getSnapshot()).toMatchObject({ value: 'contending', context: { told: { length: 3 } } })
  expect(actor.getSnapshot().context.told[2]).toMatchObject({ type: 'term.ended', reason: 'stepped-down' })
})

test('an actor whose lease has another owner on its client fails with ALREADY_STARTED, and the owner goes on', async () => {
  const simba = started()
  const first = run(simba, untilRevoked)
  await waitFor(first, told(1))
  const second = run(simba, untilRevoked)
  expect(second.getSnapshot()).toMatchObject({ value: 'failed', context: { error: { code: 'ALREADY_STARTED' } } })
  expect(first.getSnapshot()).toMatchObject({ value: 'contending', context: { told: { length: 1 } } })
})

test('a machine that was started first gets its terms with START, and again after STOP and START', async () => {
  const simba = world.idleClient().simba
  const actor = run(simba, untilRevoked)
  simba.send({ type: 'START' })
  await waitFor(actor, told(1))
  await simba.stop()
  expect(actor.getSnapshot().context.told).toHaveLength(3)
  simba.send({ type: 'START' })
  await waitFor(actor, told(4))
  const tokens = actor.getSnapshot().context.told.map(({ token }) => token)
  expect(tokens[3]).toBeGreaterThan(tokens[0]!)
})

test('terms of other leases are no business of the machine', async () => {
  const simba = started()
  const actor = run(simba, untilRevoked)
  await waitFor(actor, told(1))
  const other = simba.election('other').runWhileLeader(untilRevoked)
  await new Promise<void>((resolve) => simba.on('term.started', () => resolve()))
  await other.stop()
  expect(actor.getSnapshot().context.told).toHaveLength(1)
})

test('work that cannot be run is refused when the logic is made', () => {
  const simba = world.idleClient().simba
  expect(() => simba.election('ingest').logic('work' as unknown as TermWork)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION' }),
  )
})
