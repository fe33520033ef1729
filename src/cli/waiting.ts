/** Tells a person who waits what is waited for: after a moment, and again whenever it is something else. */
import type { Task } from '../runtime/task.ts'
import type { Duty } from './duty.ts'

const FIRST_LOOK_MS = 1_000
const LOOK_MS = 5_000

/** Begins anew each time that the task has lost its term. Returns a function that ends it. */
export function tellWaits({ simba, screen }: Duty, lease: string, task: Task): () => void {
  let isOpen = false
  let told = ''
  const offs = [
    simba.on('session.opened', () => {
      isOpen = true
    }),
    simba.on('session.lost', () => {
      isOpen = false
    }),
  ]

  async function look(): Promise<void> {
    const wait = task.term ? '' : await waitOf()
    if (wait !== told && wait !== '' && !task.term) screen.say(`waits: ${wait}`)
    told = task.term ? '' : wait
  }

  async function waitOf(): Promise<string> {
    if (!isOpen) return 'the store does not answer'
    const state: unknown = task.actor?.getSnapshot().value
    if (state === 'resting') return `this node leaves '${lease}' to others for a while`
    if (state === 'quarantined') return 'the store has just restarted, and grants nothing for one lease duration'
    const leader = await simba
      .election(lease)
      .leader()
      .catch(() => null)
    return leader ? `'${lease}' is held by ${leader.node}` : `'${lease}' is about to be granted`
  }

  let timer = setTimeout(function next() {
    void look()
    timer = setTimeout(next, LOOK_MS)
  }, FIRST_LOOK_MS)
  return () => {
    clearTimeout(timer)
    for (const off of offs) off()
  }
}
