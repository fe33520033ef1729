/** Schedules that lose the beat. */
import { assign } from 'xstate'
import type { Context, Event } from '../../../src/machines/scheduleLoop.ts'
import { slotOfWakeUp, startAfterRun } from '../../../src/model/schedule.ts'
import { redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

type Args = { readonly context: Context; readonly event: Event }

const loop = redrawing('scheduleLoop')

/** The start after a run, worked out in another way. */
function planning(nextMs: (context: Context, endedMs: number) => number) {
  return loop((at) => {
    at('running.free').on['work.settled'] = {
      target: '#scheduleLoop.waiting',
      actions: assign(({ context, event }: Args) => ({
        next: { atMs: nextMs(context, event.type === 'work.settled' ? event.atMs : 0), skipped: 0 },
      })),
    }
  })
}

const foundBy = '08-schedules'

export const schedules: readonly Sabotage[] = [
  {
    name: 'a fixed rate catches up on what it has missed',
    create: planning(({ startMs, schedule }, endedMs) =>
      schedule.kind === 'fixedRate' ? startMs + schedule.everyMs : startAfterRun(schedule, startMs, endedMs).atMs,
    ),
    foundBy,
    noticedBy: ['schedulesKeepTime'],
  },
  {
    name: 'a fixed rate counts from the end of a run',
    create: planning(({ schedule }, endedMs) => endedMs + schedule.everyMs),
    foundBy,
    noticedBy: ['schedulesKeepTime'],
  },
  {
    name: 'a fixed delay counts from the start of a run',
    create: planning(({ startMs, schedule }, endedMs) =>
      schedule.kind === 'fixedDelay'
        ? Math.max(endedMs, startMs + schedule.everyMs)
        : startAfterRun(schedule, startMs, endedMs).atMs,
    ),
    foundBy,
    noticedBy: ['schedulesKeepTime'],
  },
  {
    name: 'the grid of a fixed rate begins anew after a pause',
    create: loop((at) => {
      at('starting').entry = assign(({ context, event }: Args) => {
        if (event.type !== 'timer.due') return {}
        const { skipped } = slotOfWakeUp(context.schedule, event.dueMs, event.nowMs)
        return { startMs: event.nowMs, next: { atMs: event.nowMs, skipped } }
      })
    }),
    foundBy,
    slice: { nodes: [1, 2], works: ['well-behaved'], faults: ['pause'] },
    noticedBy: ['schedulesKeepTime'],
  },
  {
    name: 'the initial delay is left out',
    create: loop((at) => {
      at('delaying').entry = { type: 'armTimer', params: { afterMs: 0 } }
    }),
    foundBy,
    noticedBy: ['schedulesKeepTime'],
  },
  {
    name: 'a failed run ends the loop',
    create: loop((at) => {
      const settled = at('running.free').on['work.settled'] as unknown[]
      const hasFailed = ({ event }: Args) => event.type === 'work.settled' && event.outcome === 'FAILED'
      at('running.free').on['work.settled'] = [{ guard: hasFailed, target: '#scheduleLoop.over' }, ...settled]
    }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['schedulesKeepTime'],
  },
  {
    name: 'a loop that waits does not hear that it is to stop',
    create: loop((at) => {
      at('waiting').on['work.stop'] = {}
    }),
    foundBy,
    noticedBy: ['handoverInOrder'],
  },
  {
    name: 'a loop goes on after the run in which it was stopped',
    create: loop((at) => {
      at('running.free').on['work.stop'] = { actions: 'passStopOn' }
    }),
    foundBy,
    noticedBy: ['handoverInOrder', 'revokedIsTold', 'runsKeepTheirTerm'],
  },
  {
    name: 'a run is started though its term is out of time',
    create: refilled('scheduleLoop', { guards: { termIsValid: () => true } }),
    foundBy,
    noticedBy: ['revokedIsTold'],
  },
]
