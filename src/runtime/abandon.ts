/**
 * What to do when the root actor itself has failed, a defect of ours. XState leaves its children running: they are told to end, in
 * their own order, and whoever waits for this client waits no longer.
 */
import type { ActorRefFrom } from 'xstate'
import type { clientMachine } from '../machines/client.ts'
import type { SessionFact } from '../machines/facts.ts'
import type { SupervisorCommand } from '../machines/groupSupervisor.ts'
import { plainError } from '../model/errors.ts'
import type { Runtime } from './runtime.ts'

export function abandon(root: ActorRefFrom<typeof clientMachine>, error: unknown, runtime: Runtime): void {
  const { settings, store, terms, tasks, locks } = runtime
  settings.logger.error(
    { err: plainError(error) },
    'The client has failed: a defect of simba-xstate. Everything is told to end.',
  )
  store.endAll()
  for (const term of [...terms.all()]) term.cut('crashed')
  const { children, context } = root.getSnapshot()
  for (const supervisor of context.supervisors) {
    const lost: SessionFact = { type: 'session.lost', session: context.session ?? '', reason: 'session-lost' }
    const stop: SupervisorCommand = { type: 'supervisor.stop' }
    for (const news of [lost, stop]) children[supervisor]?.send(news)
  }
  children.session?.send({ type: 'session.close' })
  locks.rejectAll()
  tasks.endAllBut([])
}
