import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientMachine, cohortOf, ELECTIONS, type Event, groupId, type TaskSpec } from '../../src/machines/client.ts'
import { COHORT_SIZE } from '../../src/machines/cohort.ts'
import { Calls } from './calls.ts'
import { granted, HELD, provided, RELEASED, WITHDRAWN } from './provided.ts'
import { providedSession } from './providedSession.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const START = { type: 'START' } as const
const STOP = { type: 'STOP' } as const
const REST_MS = 15_000

const election = (id: string, survives: 'stop' | 'nothing' = 'stop', number = 0): TaskSpec => ({
  kind: 'child',
  id,
  number,
  child: {
    kind: 'election',
    id,
    input: { lease: id, work: id, ends: survives === 'stop' ? 'when-stopped' : 'after-term', restMs: REST_MS },
  },
  survives,
})
const observer = (id: string): TaskSpec => ({
  kind: 'child',
  id,
  number: 0,
  child: { kind: 'observer', id, input: { observer: id, lease: 'ingest', everyMs: 5_000 } },
  survives: 'stop',
})
const group = (name: string, partitions = 4): TaskSpec => ({
  kind: 'group',
  id: groupId(name),
  group: { name, partitions, work: groupId(name), balance: 'hashed', restMs: REST_MS, retryMs: 5_000 },
})

function client() {
  const stage = new Stage()
  const slots = provided(stage)
  const session = providedSession(stage)
  const rest = new Calls<void, { readonly forMs: number }>()
  const actor = stage.start(
    clientMachine.provide({
      actors: { session: session.machine, supervisor: slots.machines.groupSupervisor, pause: rest.logic },
      actions: stage.effects('reportTaskEnded', 'reportStopping', 'reportStopped', 'cutEverything'),
    }),
    { renewIntervalMs: 5_000, leaseDurationMs: REST_MS },
  )
  let sessions = 0
  return {
    ...slots,
    actor,
    rest,
    session,
    stage,
    declare: (task: TaskSpec) => actor.send({ type: 'task.start', task }),
    end: (id: string) => actor.send({ type: 'task.stop', id }),
    /** The session gets as far as it can: an earlier one is ended, a new one opened. */
    open() {
      session.clear.answer()
      session.open.answer({ session: `s${++sessions}`, epoch: 1, validUntilMs: session.clock.nowMs + REST_MS })
    },
    close() {
      session.clear.answer()
      session.disconnect.answer()
    },
    is: (value: Parameters<ReturnType<typeof actor.getSnapshot>['matches']>[0]) => actor.getSnapshot().matches(value),
    isStopping: () => actor.getSnapshot().matches({ active: 'stopping' }),
    /** Ids of the tasks whose end was told. */
    ended: () =>
      stage.log
        .filter((line) => line.startsWith('reportTaskEnded'))
        .map((line) => line.slice('reportTaskEnded '.length)),
    /** Each time that the client has stopped, with what begins again at the next START. */
    stopped: () =>
      stage.log
        .filter((line) => line.startsWith('reportStopped'))
        .map((line) => JSON.parse(line.slice('reportStopped '.length))),
    leases: () => slots.campaign.open.map(({ input }) => input.lease),
  }
}

/** A client that runs these tasks, with a session. */
function running(...tasks: TaskSpec[]) {
  const made = client()
  for (const task of tasks) made.declare(task)
  made.actor.send(START)
  made.open()
  return made
}

/** The same, where `ingest` leads. */
function leading(...others: TaskSpec[]) {
  const made = running(election('ingest'), ...others)
  made.campaign.of({ lease: 'ingest' }).answer(granted(7))
  return made
}

describe('declarations', () => {
  test('begin with START, all with the one session', () => {
    const { declare, actor, campaign, open, join, leases } = client()
    declare(election('ingest'))
    declare(group('billing'))
    expect(campaign.made).toEqual([])
    actor.send(START)
    open()
    expect(leases()).toEqual(['ingest'])
    expect(join.last.input).toMatchObject({ session: 's1', group: 'billing' })
  })

  test('begin at once on a client that runs', () => {
    const { declare, leases, join, readLeader } = running()
    declare(election('ingest'))
    declare(group('billing'))
    declare(observer('observer/1'))
    expect(leases()).toEqual(['ingest'])
    expect(join.last.input).toMatchObject({ session: 's1', group: 'billing' })
    expect(readLeader.open).toHaveLength(1)
  })

  test('may have the name of something that every object has', () => {
    const { actor, declare, end, ended, withdraw, campaign, leases } = running()
    end('constructor')
    declare(election('constructor'))
    expect(leases()).toEqual(['constructor'])
    campaign.answer(HELD)
    end('constructor')
    expect(ended()).toEqual([])
    actor.send(STOP)
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual(['constructor', ELECTIONS])
  })

  test('go round a bounded number of cohorts', () => {
    expect([0, COHORT_SIZE - 1, COHORT_SIZE, 100 * COHORT_SIZE, 101 * COHORT_SIZE].map(cohortOf)).toEqual([
      0, 0, 1, 0, 1,
    ])
  })

  test.each(['idle', 'stopped', 'recovering'] as const)(
    'that are taken back while %s have ended at once, and never begin',
    (where) => {
      const { actor, declare, end, ended, rest, failing, is, session, open, leases, campaign } = client()
      if (where === 'stopped') actor.send(STOP)
      if (where === 'recovering') {
        declare(election('other'))
        actor.send(START)
        open()
        failing('election', () => failing('cohort', () => campaign.answer(granted(1))))
      }
      expect(is(where)).toBe(true)
      declare(election('ingest'))
      end('ingest')
      expect(ended()).toEqual(['ingest'])
      if (where === 'recovering') rest.answer()
      else actor.send(START)
      expect(session.clear.open).toHaveLength(1)
      open()
      expect(leases()).not.toContain('ingest')
    },
  )
})

describe('the end of a task', () => {
  test('that leads: its work first, then its lease, then it is told; the others go on', () => {
    const { end, ended, runs, release, is } = leading(election('report'))
    end('ingest')
    expect(runs.last.interrupts).toBe(1)
    expect(ended()).toEqual([])
    runs.last.settle()
    release.answer(RELEASED)
    expect(ended()).toEqual(['ingest'])
    expect(is({ active: 'running' })).toBe(true)
  })

  test('that is a group: it leaves first, and is told of when all is handed over', () => {
    const { end, ended, join, view, leave, actor } = running(group('billing'))
    join.answer({ kind: 'joined' })
    view.answer({ version: 1, members: ['a'], isMember: true, mine: [] })
    end('group/billing')
    expect(ended()).toEqual([])
    leave.answer({ kind: 'left' })
    expect(ended()).toEqual(['group/billing'])
    expect(actor.getSnapshot().context.supervisors).toEqual([ELECTIONS])
  })

  test("that nobody knows is nobody's", () => {
    const { end, is, ended } = running()
    end('ingest')
    expect(ended()).toEqual([])
    expect(is({ active: 'running' })).toBe(true)
  })

  test('that comes by itself is told, and what has ended never begins again', () => {
    const { runs, release, campaign, ended, actor, close, open, stopped, leases } = running(election('lock', 'nothing'))
    campaign.answer(granted(7))
    runs.last.settle()
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    release.answer({ kind: 'not-held' })
    expect(ended()).toEqual(['lock'])
    actor.send(STOP)
    close()
    expect(stopped()).toEqual([[]])
    actor.send(START)
    open()
    expect(leases()).toEqual([])
  })

  test('during the stop of the client is told when both are done with it', () => {
    const { actor, end, ended, runs, release } = leading()
    actor.send(STOP)
    end('ingest')
    expect(ended()).toEqual([])
    runs.last.settle()
    release.answer(RELEASED)
    expect(ended()).toEqual(['ingest', ELECTIONS])
  })

  test('during the stop of the client, that is quiet already, is told at once', () => {
    const { actor, end, ended, campaign, withdraw } = leading(election('report'))
    campaign.of({ lease: 'report' }).answer(HELD)
    actor.send(STOP)
    withdraw.answer(WITHDRAWN)
    expect(ended()).toEqual([])
    end('report')
    expect(ended()).toEqual(['report'])
  })

  test('during the stop of the client, that was declared in it, is told at once, and so is one that takes its name', () => {
    const { actor, declare, end, ended, isStopping } = leading()
    actor.send(STOP)
    for (const _ of [1, 2]) {
      declare(election('late'))
      end('late')
    }
    expect(ended()).toEqual(['late', 'late'])
    expect(isStopping()).toBe(true)
    expect(actor.getSnapshot().context.ended).toEqual([])
  })

  test('that had begun before the stop of the client is told in it', () => {
    const { actor, end, ended, runs, release, stopped, close } = leading()
    end('ingest')
    actor.send(STOP)
    runs.last.settle()
    release.answer(RELEASED)
    expect(ended()).toEqual(['ingest', ELECTIONS])
    close()
    expect(stopped()).toEqual([[]])
  })

  test('of a group during the stop of the client is told once', () => {
    const { actor, end, ended, join, leave, view } = running(group('billing'), group('orders'))
    for (const { answer } of join.open) answer({ kind: 'joined' })
    for (const { answer } of view.open) answer({ version: 1, members: ['a'], isMember: true, mine: [] })
    actor.send(STOP)
    end('group/billing')
    for (const { answer } of leave.open) answer({ kind: 'left' })
    expect(ended()).toEqual([ELECTIONS, 'group/billing'])
    end('group/orders')
    expect(ended()).toEqual([ELECTIONS, 'group/billing', 'group/orders'])
  })
})

describe('STOP', () => {
  test('hands over first, closes the session last, and keeps what was declared', () => {
    const { actor, runs, release, session, close, stage, stopped, is } = leading()
    stage.take()
    actor.send(STOP)
    expect(stage.log[0]).toBe('reportStopping')
    expect(session.clear.open).toEqual([])
    runs.last.settle()
    expect(session.clear.open).toEqual([])
    release.answer(RELEASED)
    expect(is({ active: { stopping: { order: 'closing' } } })).toBe(true)
    close()
    expect(is('stopped')).toBe(true)
    expect(stopped()).toEqual([['ingest']])
    expect(stage.log.indexOf('leaseReleased ingest 7 true')).toBeLessThan(stage.log.indexOf('endSession s1 closed'))
  })

  test('goes on renewing until everything is handed over', () => {
    const { actor, session } = leading()
    actor.send(STOP)
    session.pause.answer()
    session.renew.answer({
      answer: { kind: 'renewed', inbox: { freed: [], groups: {} }, nextExpiryInMs: null, epoch: 1 },
      validUntilMs: 99_000,
    })
    expect(session.pause.open).toHaveLength(1)
  })

  test('whose session is lost meanwhile comes to its end without one', () => {
    const { actor, session, runs, release, stopped } = leading()
    actor.send(STOP)
    session.deadline.answer()
    runs.last.settle()
    release.answer({ kind: 'unknown' })
    for (const { answer } of session.clear.open) answer()
    session.disconnect.answer()
    expect(stopped()).toEqual([['ingest']])
  })

  test('while the session is opening awaits the answer, and closes it', () => {
    const { actor, declare, session, stopped, close, stage } = client()
    declare(election('ingest'))
    actor.send(START)
    session.clear.answer()
    actor.send(STOP)
    session.open.answer({ session: 's1', epoch: 1, validUntilMs: REST_MS })
    expect(stage.log).toContain('endSession s1 closed')
    close()
    expect(stopped()).toEqual([['ingest']])
  })

  test('on an idle client is complete at once', () => {
    const { actor, declare, stopped, is } = client()
    declare(election('ingest'))
    actor.send(STOP)
    expect(is('stopped')).toBe(true)
    expect(stopped()).toEqual([['ingest']])
    actor.send(STOP)
    expect(stopped()).toEqual([['ingest'], ['ingest']])
  })

  test('ends locks for good, wherever it finds them', () => {
    const { actor, declare, stopped, campaign, withdraw, close, stage } = running(election('held', 'nothing'))
    campaign.answer(HELD)
    actor.send(STOP)
    declare(election('asked for during the stop', 'nothing'))
    stage.take()
    actor.send(STOP)
    expect(stage.take()).toEqual(['reportStopping'])
    withdraw.answer(WITHDRAWN)
    close()
    expect(stopped()).toEqual([[]])
    declare(election('asked for after the stop', 'nothing'))
    actor.send(STOP)
    expect(stage.log).toContain('reportStopping')
    expect(stopped()).toEqual([[], []])
  })

  test('keeps a lock that was asked for since, until the next START', () => {
    const { actor, declare, close, open, leases, stopped } = running()
    actor.send(STOP)
    declare(election('lock', 'nothing'))
    close()
    expect(stopped()).toEqual([['lock']])
    actor.send(START)
    open()
    expect(leases()).toEqual(['lock'])
  })

  test('stops observers, and watches on after the next START', () => {
    const { actor, readLeader, close, open } = running(observer('observer/1'))
    actor.send(STOP)
    close()
    expect(readLeader.open).toEqual([])
    actor.send(START)
    open()
    expect(readLeader.open).toHaveLength(1)
  })

  test('twice is as good as once', () => {
    const { actor, runs, release, close, stopped } = leading()
    actor.send(STOP)
    actor.send(STOP)
    runs.last.settle()
    release.answer(RELEASED)
    actor.send(STOP)
    close()
    expect(stopped()).toEqual([['ingest']])
    expect(runs.last.interrupts).toBe(1)
  })
})

describe('START and STOP in any order', () => {
  test('START twice is as good as once', () => {
    const { actor, leases } = running(election('ingest'))
    actor.send(START)
    expect(leases()).toEqual(['ingest'])
  })

  test('START after STOP runs what was declared, with a new session', () => {
    const { actor, runs, release, close, open, campaign } = leading()
    actor.send(STOP)
    runs.last.settle()
    release.answer(RELEASED)
    close()
    actor.send(START)
    open()
    expect(campaign.last.input).toEqual({ session: 's2', lease: 'ingest' })
  })

  test('START during a stop waits for its end, tells of it, and begins then', () => {
    const { actor, runs, release, close, open, campaign, stopped, is, declare, leases } = leading()
    actor.send(STOP)
    actor.send(START)
    declare(election('report'))
    expect(campaign.made).toHaveLength(1)
    runs.last.settle()
    release.answer(RELEASED)
    close()
    expect(stopped()).toEqual([['ingest', 'report']])
    expect(is({ active: 'running' })).toBe(true)
    open()
    expect(leases()).toEqual(['ingest', 'report'])
  })

  test('the last word counts: START, STOP, START, STOP ends stopped', () => {
    const { actor, runs, release, close, is, stopped } = leading()
    for (const command of [STOP, START, STOP]) actor.send(command)
    runs.last.settle()
    release.answer(RELEASED)
    close()
    expect(is('stopped')).toBe(true)
    expect(stopped()).toEqual([['ingest']])
  })

  test('the last word counts: STOP, START, STOP, START runs', () => {
    const { actor, runs, release, close, is } = leading()
    for (const command of [STOP, START, STOP, START]) actor.send(command)
    runs.last.settle()
    release.answer(RELEASED)
    close()
    expect(is({ active: 'running' })).toBe(true)
  })

  test('a START that comes while the session closes counts, too', () => {
    const { actor, close, is } = running()
    actor.send(STOP)
    expect(is({ active: { stopping: { order: 'closing' } } })).toBe(true)
    actor.send(START)
    close()
    expect(is({ active: 'running' })).toBe(true)
  })
})

describe('news', () => {
  test('offers go to those whose leases they are', () => {
    const { actor, join, view, campaign, leases } = running(election('ingest'), group('billing'))
    join.answer({ kind: 'joined' })
    view.answer({ version: 1, members: ['a'], isMember: true, mine: [3] })
    for (const { answer } of campaign.open) answer(HELD)
    actor.send({ type: 'lease.freed', lease: 'ingest' })
    expect(leases()).toEqual(['ingest'])
    actor.send({ type: 'inbox.read', inbox: { freed: ['billing.3', 'billing.9', 'other'], groups: {} } })
    expect(leases()).toEqual(['ingest', 'billing.3'])
  })

  test('changed members and versions go to their groups', () => {
    const { actor, join, view } = running(group('billing'), group('constructor'))
    for (const { answer } of join.open) answer({ kind: 'joined' })
    for (const { answer } of view.open) answer({ version: 1, members: ['a'], isMember: true, mine: [] })
    actor.send({ type: 'inbox.read', inbox: { freed: [], groups: { billing: 1 } } })
    expect(view.open).toEqual([])
    actor.send({ type: 'inbox.read', inbox: { freed: [], groups: { billing: 2 } } })
    expect(view.open.map(({ input }) => input.group)).toEqual(['billing'])
    actor.send({ type: 'members.changed', group: 'constructor' })
    expect(view.open.map(({ input }) => input.group)).toEqual(['billing', 'constructor'])
  })

  test('a restart goes to all', () => {
    const { actor, join, campaign, leases } = running(election('ingest'), group('billing'))
    join.answer({ kind: 'joined' })
    campaign.answer(HELD)
    actor.send({ type: 'store.restarted', session: 's1', holds: {} })
    expect(leases()).toEqual(['ingest'])
    expect(join.open).toHaveLength(1)
  })

  test('a doubt and the word of the store go to the session', () => {
    const { actor, session, stage } = running()
    actor.send({ type: 'session.doubted' })
    expect(session.renew.open).toHaveLength(1)
    actor.send({ type: 'session.revoked' })
    expect(stage.log).toContain('endSession s1 session-lost')
  })

  test("that come late, in any state, are nobody's", () => {
    const { actor, session, stopped, runs, release } = leading()
    const late: Event[] = [
      { type: 'lease.freed', lease: 'ingest' },
      { type: 'members.changed', group: 'billing' },
      { type: 'inbox.read', inbox: { freed: ['ingest'], groups: { billing: 3 } } },
      { type: 'session.doubted' },
      { type: 'store.restarted', session: 's1', holds: { ingest: 7 } },
    ]
    const tell = () => {
      for (const event of late) actor.send(event)
    }
    actor.send(STOP)
    tell()
    runs.last.settle()
    release.answer(RELEASED)
    tell()
    session.clear.answer()
    tell()
    session.disconnect.answer()
    tell()
    expect(stopped()).toEqual([['ingest']])
  })
})

describe('a machine that fails', () => {
  type Made = ReturnType<typeof client>
  const breakCohort = ({ failing, campaign }: Made, lease: string) =>
    failing('election', () => failing('cohort', () => campaign.of({ lease }).answer(granted(99))))
  const breakSession = ({ actor, session }: Made) => {
    session.clock.isBroken = true
    actor.send({ type: 'session.doubted' })
    for (const call of session.renew.open)
      call.answer({
        answer: { kind: 'renewed', inbox: { freed: [], groups: {} }, nextExpiryInMs: null, epoch: 1 },
        validUntilMs: 99_000,
      })
    session.clock.isBroken = false
  }

  test.each(['the session', 'a cohort'] as const)(
    '%s: everything is cut, and begins anew after one lease duration',
    (which) => {
      const made = running(election('ingest'), election('report'))
      made.campaign.of({ lease: 'ingest' }).answer(granted(7))
      if (which === 'the session') breakSession(made)
      else breakCohort(made, 'report')
      expect(made.is({ recovering: 'toRun' })).toBe(true)
      expect(made.stage.log).toContainEqual(expect.stringMatching(/^cutEverything .*A machine has failed/))
      expect(made.rest.last.input).toEqual({ forMs: REST_MS })
      made.campaign.made.length = 0
      made.rest.answer()
      made.open()
      expect(made.leases()).toEqual(['ingest', 'report'])
    },
  )

  test('what was about to end has ended by that, and is told', () => {
    const made = leading(election('report'))
    made.end('ingest')
    breakCohort(made, 'report')
    expect(made.stopped()).toEqual([['report']])
  })

  test('during a stop: the stop is remembered, and comes to its end', () => {
    const made = leading(election('report'))
    made.actor.send(STOP)
    breakCohort(made, 'report')
    expect(made.is({ recovering: 'toStop' })).toBe(true)
    expect(made.stopped()).toEqual([])
    made.rest.answer()
    expect(made.isStopping()).toBe(true)
    made.close()
    expect(made.is('stopped')).toBe(true)
    expect(made.stopped()).toEqual([['ingest', 'report']])
  })

  test('during a stop that a START follows: the client runs again', () => {
    const made = leading(election('report'))
    made.actor.send(STOP)
    breakCohort(made, 'report')
    made.actor.send(START)
    made.rest.answer()
    expect(made.is({ active: 'running' })).toBe(true)
  })

  test('during a stop after which a START was asked for: the stop has ended, and the client runs again', () => {
    const made = leading(election('report'))
    made.actor.send(STOP)
    made.actor.send(START)
    breakCohort(made, 'report')
    expect(made.stopped()).toEqual([['ingest', 'report']])
    made.rest.answer()
    expect(made.is({ active: 'running' })).toBe(true)
  })

  test('a STOP ends the wait for the recovery, also without a session', () => {
    const made = leading()
    breakSession(made)
    made.declare(election('lock', 'nothing'))
    made.actor.send(STOP)
    expect(made.isStopping()).toBe(true)
    made.close()
    expect(made.stopped().at(-1)).toEqual(['ingest'])
  })

  test('during a stop, and a second STOP: locks that were asked for since are told', () => {
    const made = leading(election('report'))
    made.actor.send(STOP)
    breakCohort(made, 'report')
    made.declare(election('lock', 'nothing'))
    made.actor.send(STOP)
    made.rest.fail()
    made.close()
    expect(made.stopped()).toEqual([['ingest', 'report']])
  })
})

describe('every state and every event', () => {
  const events: Readonly<Record<Exclude<Event['type'], `xstate.${string}`>, true>> = {
    START: true,
    STOP: true,
    'task.start': true,
    'task.stop': true,
    'lease.freed': true,
    'members.changed': true,
    'session.doubted': true,
    'session.revoked': true,
    'session.opened': true,
    'session.lost': true,
    'store.restarted': true,
    'inbox.read': true,
    'child.ended': true,
    'partition.resting': true,
    'partition.rested': true,
  }

  test('no event is left without an answer, nor the end or the failure of a child', () => {
    const ends = ['xstate.done.actor.a', 'xstate.error.actor.a']
    expect(unanswered(clientMachine, [...Object.keys(events), ...ends])).toEqual([])
    expect(unhandledFailures(clientMachine)).toEqual([])
  })

  test('whatever happens in whatever order: a STOP comes to its end, and every task that was taken back has ended by then', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(27), { maxLength: 60 }), (steps) => {
        const made = client()
        const { actor, session, campaign, withdraw, release, join, leave, view, runs, rest, stage } = made
        const declared = new Set<string>()
        let token = 0
        let count = 0
        const told = new Set<string>()
        const check = () => {
          // What the runtime makes of it: these have ended, and may be declared anew.
          for (const line of stage.take()) {
            if (line.startsWith('reportTaskEnded ')) told.add(line.slice('reportTaskEnded '.length))
            if (!line.startsWith('reportStopped ')) continue
            const staying: readonly string[] = JSON.parse(line.slice('reportStopped '.length))
            for (const id of declared) if (!staying.includes(id)) told.add(id)
          }
        }
        for (const step of steps) {
          if (step < 2) actor.send(START)
          else if (step < 4) actor.send(STOP)
          else if (step < 7) {
            const task =
              step === 4
                ? group(`g${++count}`)
                : step === 5
                  ? election(`l${++count}`, 'nothing', count)
                  : election(`e${++count}`, 'stop', count)
            declared.add(task.id)
            made.declare(task)
          } else if (step < 9) {
            const id = [...declared].at(-1 - (step % 3))
            if (id !== undefined) made.end(id)
          } else if (step < 11) session.clear.open[0]?.answer()
          else if (step < 13) session.open.open[0]?.answer({ session: `s${++token}`, epoch: 1, validUntilMs: REST_MS })
          else if (step < 14) session.disconnect.open[0]?.answer()
          else if (step < 15) session.deadline.open[0]?.answer()
          else if (step < 17) campaign.open[0]?.answer(step === 15 ? HELD : granted(++token))
          else if (step < 18) withdraw.open[0]?.answer(WITHDRAWN)
          else if (step < 19) release.open[0]?.answer(RELEASED)
          else if (step < 20) runs.made.find(({ state }) => state === 'running')?.settle()
          else if (step < 21) join.open[0]?.answer({ kind: 'joined' })
          else if (step < 22) view.open[0]?.answer({ version: ++token, members: ['a'], isMember: true, mine: [0, 2] })
          else if (step < 23) leave.open[0]?.answer({ kind: 'left' })
          else if (step < 24) rest.open[0]?.answer()
          else if (step < 25) actor.send({ type: 'inbox.read', inbox: { freed: [...declared], groups: {} } })
          else if (step < 26) {
            if (campaign.open.length > 0)
              made.failing('election', () => made.failing('cohort', () => campaign.open[0]?.answer(granted(++token))))
          } else if (step < 27) {
            const [call] = session.open.open
            session.clock.isBroken = true
            call?.answer({ session: `s${++token}`, epoch: 1, validUntilMs: REST_MS })
            session.clock.isBroken = false
          } else actor.send({ type: 'session.revoked' })
          expect(actor.getSnapshot().status).toBe('active')
          check()
        }
        for (const id of declared) made.end(id)
        actor.send(STOP)
        for (let round = 0; round < 30 && !made.is('stopped'); round++) {
          rest.open[0]?.answer()
          for (const run of runs.made) run.settle()
          for (const { answer } of campaign.open) answer(HELD)
          for (const { answer } of [...withdraw.open]) answer(WITHDRAWN)
          for (const { answer } of [...release.open]) answer(RELEASED)
          for (const { answer } of [...join.open]) answer({ kind: 'joined' })
          for (const { answer } of [...leave.open]) answer({ kind: 'left' })
          for (const { answer } of made.pause.open) answer()
          session.open.open[0]?.answer({ session: `s${++token}`, epoch: 1, validUntilMs: REST_MS })
          session.clear.open[0]?.answer()
          session.disconnect.open[0]?.answer()
        }
        expect(made.is('stopped')).toBe(true)
        check()
        expect([...declared].filter((id) => !told.has(id))).toEqual([])
        stage.check()
      }),
      { numRuns: 150 },
    )
  })

  test('every state was reached here', () => {
    expect(unreached(clientMachine)).toEqual([])
  })
})
