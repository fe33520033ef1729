/** Terms that end in the wrong order, too late, or unheard. */
import type { Runtime } from '../../../src/runtime/runtime.ts'
import type { LiveTerm, Reign, Term, TermIdentity } from '../../../src/runtime/term.ts'
import type { TermFunction } from '../../../src/runtime/work.ts'
import { createWorkLogic } from '../../../src/runtime/workLogic.ts'
import { altered, broken, redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

/** Every term with other properties than it should have. */
function withTerms(change: (term: LiveTerm, reign: Reign, runtime: Runtime) => PropertyDescriptorMap) {
  return broken({
    runtime: (runtime) => {
      const { terms } = runtime
      const begin = (identity: TermIdentity, reign: Reign) => {
        const term = terms.begin(identity, reign)
        return Object.defineProperties(term, change(term, reign, runtime))
      }
      return { terms: altered(terms, { begin }) }
    },
  })
}

/** Every function that works, with another one around it. */
function withWork(change: (work: TermFunction, runtime: Runtime) => TermFunction) {
  return broken({
    runtime: (runtime) => {
      const { works } = runtime
      const get = (key: string) => {
        const work = works.get(key)
        return typeof work === 'function' ? change(work as TermFunction, runtime) : work
      }
      return { works: altered(works, { get }) }
    },
  })
}

const termWorker = redrawing('termWorker')

const KINDS = ['once', 'scheduled'] as const

export const terms: readonly Sabotage[] = [
  {
    name: 'the lease is released before the work has exited',
    create: termWorker((at) => {
      for (const kind of KINDS)
        at(`${kind}.leading`).on['term.revoke'] = {
          target: '#termWorker.ended',
          actions: ['noteReason', { type: 'revokeTerm', params: withReason }],
        }
    }),
    foundBy: '05-handover-in-order',
    noticedBy: ['handoverInOrder'],
  },
  {
    name: 'the work counts as exited as soon as it is told',
    create: broken({
      machines: (runtime) => ({
        termWorker: (machine) => machine.provide({ actors: { work: hasty(runtime) } }),
      }),
    }),
    foundBy: '05-handover-in-order',
    noticedBy: ['handoverInOrder'],
  },
  {
    name: 'the interrupt is forgotten',
    create: refilled('termWorker', { actions: { stopWork() {} } }),
    foundBy: '05-handover-in-order',
    noticedBy: ['handoverInOrder'],
  },
  {
    name: 'the signal is not aborted',
    create: withTerms(() => ({ signal: { value: new AbortController().signal } })),
    foundBy: '06-a-revoked-term-is-told',
    noticedBy: ['revokedIsTold', 'handoverInOrder'],
  },
  {
    name: 'the promise of the revoke never resolves',
    create: withTerms(() => ({ revoked: { value: new Promise(() => {}) } })),
    foundBy: '06-a-revoked-term-is-told',
    noticedBy: ['revokedIsTold'],
  },
  {
    name: 'a revoked term stays valid until its deadline',
    create: withTerms((_, { now, validUntilMs }) => ({ isValid: { get: () => now() < validUntilMs() } })),
    foundBy: '06-a-revoked-term-is-told',
    noticedBy: ['revokedIsTold', 'handoverInOrder'],
  },
  {
    name: 'renewals go on extending the deadline of a handover',
    create: withTerms((_, { validUntilMs }) => ({ deadlineMs: { get: validUntilMs } })),
    foundBy: '05-handover-in-order',
    noticedBy: ['revokedIsTold', 'handoverInOrder'],
  },
  {
    name: 'nobody watches the deadline of a handover',
    create: refilled('termWorker', { actions: { armDeadline() {} } }),
    foundBy: '05-handover-in-order',
    noticedBy: ['handoverInOrder', 'stopIsComplete', 'freeLeasesAreTaken'],
  },
  {
    name: 'a handover goes on after the session is lost',
    create: termWorker((at) => {
      for (const kind of KINDS) at(`${kind}.handingOver`).on['term.cut'] = {}
    }),
    foundBy: '05-handover-in-order',
    slice: { works: ['slow', 'stubborn', 'never-settling'], faults: ['restart', 'step-down', 'stop-task'] },
    noticedBy: ['handoverInOrder'],
  },
  {
    name: 'ensureValid() lets everything pass',
    create: withTerms(() => ({ ensureValid: { value: () => {} } })),
    foundBy: '06-a-revoked-term-is-told',
    noticedBy: ['revokedIsTold'],
  },
  {
    name: 'work sees the newest term of its lease',
    create: withWork((work, { terms }) => (term) => {
      const newest = { get: (_: object, key: string | symbol) => propertyOf(terms.of(term.lease) ?? term, key) }
      return work(new Proxy({}, newest) as Term)
    }),
    foundBy: '03-a-run-keeps-its-own-term',
    noticedBy: ['runsKeepTheirTerm', 'tokensGrow', 'revokedIsTold'],
  },
  {
    name: 'work that returns is run again',
    create: termWorker((at) => {
      at('once.leading').on['work.settled'] = { target: '#termWorker.starting' }
    }),
    foundBy: '04-work-runs-once-per-term',
    noticedBy: ['runsKeepTheirTerm'],
  },
  {
    name: 'work that returns ends its term',
    create: termWorker((at) => {
      at('once.leading').on['work.settled'] = {
        target: '#termWorker.ended',
        actions: { type: 'revokeTerm', params: withReason },
      }
    }),
    foundBy: '04-work-runs-once-per-term',
    noticedBy: ['endsHaveACause'],
  },
  {
    name: 'any failure of the work is fatal',
    create: broken({ settings: () => ({ isFatal: () => true }) }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['failuresHarmNothing'],
  },
  {
    name: 'no failure of the work is fatal',
    create: broken({ settings: () => ({ isFatal: () => false }) }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['failuresHarmNothing'],
  },
  {
    name: 'the errors of work are swallowed',
    create: withWork((work) => async (term) => {
      try {
        await work(term)
      } catch {}
    }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['failuresHarmNothing'],
  },
  {
    name: 'a fatal failure is followed by no rest',
    create: refilled('election', { guards: { mustRest: () => false } }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['restsAreKept'],
  },
  {
    name: 'a rest is over at once',
    create: redrawing('election')((at) => {
      at('resting').invoke.input = () => ({ forMs: 0 })
    }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['restsAreKept'],
  },
  {
    name: 'who steps down contends at once again',
    create: redrawing('election')((at) => {
      at('next.toRest').always = { target: '#election.ready' }
    }),
    foundBy: '07-failed-work-never-hurts-the-election',
    noticedBy: ['restsAreKept'],
  },
]

function withReason({ context }: { context: { lease: string; token: number; partition?: number; reason: string } }) {
  const { lease, token, partition, reason } = context
  return { lease, token, partition, reason }
}

function propertyOf(term: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(term, key, term)
  return typeof value === 'function' ? value.bind(term) : value
}

/** Tells that it has exited when it is told to. */
function hasty(runtime: Runtime): ReturnType<typeof createWorkLogic> {
  const work = createWorkLogic(runtime)
  return {
    ...work,
    transition(snapshot, event, scope) {
      const settled = { type: 'work.settled', outcome: 'COMPLETED', fatal: false, atMs: runtime.settings.clock.now() }
      if (event.type === 'work.stop') scope.defer(() => scope.self._parent?.send(settled))
      return work.transition(snapshot, event, scope)
    },
  }
}
