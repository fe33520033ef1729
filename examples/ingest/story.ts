/** What the demo does to its nodes, one thing after the other, each to the node that leads at that point of the ingest. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Letter, Part } from './messages.ts'
import { number, type Screen } from './screen.ts'

/** A chapter gets the batch that the leader is about to write, and ends when another node has gone on. Returns its token. */
type Chapter = (batch: Letter<'writing'>, cluster: Cluster, screen: Screen) => Promise<number>

const CHAPTERS: readonly Chapter[] = [kill, replace, pause, kill]

/** Resolves when all that is to happen has happened, and the last leader has read everything. */
export async function playStory(cluster: Cluster, screen: Screen, records: number): Promise<void> {
  let newest = 0
  for (const [index, chapter] of CHAPTERS.entries()) {
    const from = Math.floor((records * (index + 1)) / (CHAPTERS.length + 1))
    // A batch in flight; of a file of a line or two, the last one there was.
    const isDue = ({ token, record }: Letter<'writing'>) =>
      token >= newest && record >= from && (record >= cluster.written || cluster.written === records)
    const batch = await cluster.mail.next('writing', isDue)
    newest = await chapter(batch, cluster, screen)
  }
  await cluster.mail.next('done', ({ token }) => token >= newest)
}

async function kill({ node, token, ...part }: Letter<'writing'>, cluster: Cluster, screen: Screen): Promise<number> {
  const isInFlight = part.record >= cluster.written
  screen.event('✗', 'red', `${node} is killed (SIGKILL)${isInFlight ? ` before it writes ${range(part)}` : ''}`)
  const killedMs = performance.now()
  await cluster.kill(node)
  cluster.start(node)
  const leads = await cluster.mail.next('leads', (letter) => letter.token > token)
  return goneOn(leads, cluster, screen, [
    [leads.atMs - killedMs, `the lease of ${node} runs out, and ${leads.node} is granted it`],
  ])
}

/** As a deployment does: stop, and start anew. Nobody waits for a lease to run out. */
async function replace({ node, token }: Letter<'writing'>, cluster: Cluster, screen: Screen): Promise<number> {
  screen.event('↻', 'yellow', `${node} is asked to stop (SIGTERM), and will be started anew`)
  const gone = cluster.stop(node)
  const stopped = await cluster.mail.next('stopped', (letter) => letter.node === node)
  // None where the node has lost its lease at this very moment.
  const handedOver = cluster.mail.find('handedOver', (letter) => letter.token === token)
  const leads = await cluster.mail.next('leads', (letter) => letter.token > token)
  const newest = await goneOn(leads, cluster, screen, [
    [handedOver?.workMs ?? 0, `the work of ${node} is interrupted, and exits`],
    [handedOver?.releaseMs ?? 0, 'the lease is released'],
    [leads.atMs - (handedOver ?? stopped).atMs, `${leads.node} is granted it`],
  ])
  await gone
  cluster.start(node)
  return newest
}

async function pause({ node }: Letter<'writing'>, cluster: Cluster, screen: Screen): Promise<number> {
  cluster.askForPause(node)
  const { token, atMs, ...part } = await cluster.mail.next('pausing', (letter) => letter.node === node)
  screen.event('‖', 'yellow', `${node} is paused (SIGSTOP) before it writes ${range(part)}`)
  screen.note('it has just seen that its term is valid')
  const leads = await cluster.mail.next('leads', (letter) => letter.token > token)
  const newest = await goneOn(leads, cluster, screen, [
    [leads.atMs - atMs, `the lease of ${node} runs out, and ${leads.node} is granted it`],
  ])
  await cluster.mail.next('written', (letter) => letter.token >= newest)
  await sleep(Math.max(0, atMs + 1.2 * cluster.leaseMs - performance.now()))
  screen.event('▶', 'yellow', `${node} is continued (SIGCONT) after ${number(performance.now() - atMs)} ms, and writes`)
  cluster.resume(node)
  await cluster.mail.next('refused', (letter) => letter.node === node)
  return newest
}

type Step = readonly [ms: number, what: string]

/** The last step of each handover, told with those before it: the new leader goes on where the sink has got to. */
async function goneOn(
  leads: Letter<'leads'>,
  cluster: Cluster,
  screen: Screen,
  steps: readonly Step[],
): Promise<number> {
  const resumed = await cluster.mail.next('resumed', (letter) => letter.token >= leads.token)
  for (const [ms, what] of steps) screen.step(ms, what)
  screen.step(resumed.atMs - leads.atMs, 'the sink takes the new token, and says where to go on')
  return resumed.token
}

function range({ record, count }: Part): string {
  return count === 1 ? `record ${number(record + 1)}` : `records ${number(record + 1)} to ${number(record + count)}`
}
