/** Time that is reckoned wrongly: by receipts, timers, wall clocks, without a margin. */
import type { Renewed } from '../../../src/machines/session.ts'
import { callLogic } from '../../../src/runtime/actors.ts'
import type { TimeSource } from '../../../src/runtime/clock/clock.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import type { SimbaOptions } from '../../../src/runtime/settings.ts'
import type { Reign, TermIdentity } from '../../../src/runtime/term.ts'
import { altered, broken, redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

function withTime(options: SimbaOptions, change: (time: TimeSource) => Partial<TimeSource>): SimbaOptions {
  const time = options.environment!.time!
  return { ...options, environment: { ...options.environment, time: altered(time, change(time)) } }
}

/** What a confirmation brings is worked out anew. */
function withValidity(runtime: Runtime, validUntilMs: (renewed: { readonly validUntilMs: number }) => number) {
  const { store } = runtime
  const recount = async <C extends { readonly validUntilMs: number }>(confirmed: Promise<C>): Promise<C> => {
    const answer = await confirmed
    return { ...answer, validUntilMs: validUntilMs(answer) }
  }
  return {
    store: altered(store, {
      open: () => recount(store.open()),
      renew: (session: string, epoch: number): Promise<Renewed> => recount(store.renew(session, epoch)),
    }),
  }
}

function withReign(runtime: Runtime, change: (reign: Reign) => Partial<Reign>) {
  const { terms } = runtime
  return {
    terms: altered(terms, {
      begin: (identity: TermIdentity, reign: Reign) => terms.begin(identity, { ...reign, ...change(reign) }),
    }),
  }
}

export const time: readonly Sabotage[] = [
  {
    name: 'validity is counted from the receipt of the answer',
    create: broken({
      runtime: (runtime) => {
        const { clock, leaseDurationMs, marginMs } = runtime.settings
        return withValidity(runtime, () => clock.now() + leaseDurationMs - marginMs)
      },
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime', 'validityIsEarned'],
  },
  {
    name: 'no margin is taken off for clocks that differ',
    create: broken({ settings: () => ({ marginMs: 0 }) }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime', 'validityIsEarned'],
  },
  {
    name: 'a renewal brings less than a whole lease duration',
    create: broken({ runtime: (runtime) => withValidity(runtime, ({ validUntilMs }) => validUntilMs - 2_000) }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['validityIsEarned'],
  },
  {
    name: 'a timer in place of the clock',
    create: broken({
      runtime: (runtime) => {
        const { clock } = runtime.settings
        return withReign(runtime, ({ validUntilMs }) => {
          // What the timer has said last.
          let nowMs = clock.now()
          const tick = () => {
            nowMs = clock.now()
            if (nowMs < validUntilMs()) clock.wakeAt(nowMs + 500, tick)
          }
          tick()
          return { now: () => nowMs }
        })
      },
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['validityIsEarned', 'revokedIsTold'],
  },
  {
    name: 'a sleep of the machine does not count',
    create: broken({ options: (options) => withTime(options, (time) => ({ wallMs: () => time.monotonicMs() })) }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime', 'validityIsEarned'],
  },
  {
    name: 'the wall clock in place of the monotonic one',
    create: broken({ options: (options) => withTime(options, (time) => ({ monotonicMs: () => time.wallMs() })) }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['oneTermAtATime', 'validityIsEarned'],
  },
  {
    name: 'nobody watches the deadline of a session',
    create: refilled('session', {
      actors: { deadline: callLogic<void, { readonly atMs: number }>(() => new Promise(() => {})) },
    }),
    foundBy: '06-a-revoked-term-is-told',
    noticedBy: ['revokedIsTold'],
  },
  {
    name: 'a grant that comes too late begins a term',
    create: broken({
      machines: () => ({
        election: (machine) =>
          machine.provide({ guards: { wasGrantedInTime: (_, { answer }) => answer.kind === 'granted' } }),
      }),
    }),
    foundBy: '01-one-term-at-a-time',
    slice: { nodes: [2, 2], works: ['well-behaved'], faults: ['pause', 'sleep', 'flicker', 'weather'] },
    noticedBy: ['revokedIsTold', 'validityIsEarned', 'oneTermAtATime'],
  },
  {
    name: 'one failed renewal drops everything',
    create: redrawing('session')((at) => {
      at('live.renewal.renewing').on['xstate.error.actor.renew'] = '#session.lost.expired'
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['validityIsEarned'],
  },
]
