/** The root of a namespace: created by whoever comes first, and read by everybody else. */
import type { Clock } from '../../model/clock.ts'
import type { Change } from './client/changes.ts'
import type { ZooKeeperClient } from './client/client.ts'
import { wasRefused } from './client/errors.ts'
import { ancestors, type Paths } from './paths.ts'
import { formatRoot, readRoot } from './records.ts'

const MOST_ATTEMPTS = 3

/** Returns the base of the namespace's tokens. */
export async function ensureRoot(client: ZooKeeperClient, paths: Paths, clock: Clock): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const base = await findRoot(client, paths)
    if (base !== null) return base
    try {
      await createRoot(client, paths, clock)
    } catch (error) {
      // Somebody else was faster, or somebody deletes it again and again.
      if (!wasRefused(error, 'NodeExists', 'NoNode') || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

/** The base of the namespace's tokens, or null where there is no such namespace. */
export async function findRoot(client: Pick<ZooKeeperClient, 'data'>, { root }: Paths): Promise<number | null> {
  try {
    return readRoot(root, (await client.data(root)).data)
  } catch (error) {
    if (wasRefused(error, 'NoNode')) return null
    throw error
  }
}

async function createRoot(client: ZooKeeperClient, { root, parents }: Paths, clock: Clock): Promise<void> {
  const create = (path: string, data = ''): Change => ({ type: 'create', path, data, kind: 'persistent' })
  for (const path of ancestors(root)) {
    try {
      await client.change(create(path))
    } catch (error) {
      if (!wasRefused(error, 'NodeExists')) throw error
    }
  }
  // The last transaction that was heard of is among the last that there are.
  const record = formatRoot(clock.wallMs(), client.lastZxid)
  await client.change(create(root, record), ...parents.map((path) => create(path)))
}
