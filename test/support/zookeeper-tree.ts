/** Everything that a ZooKeeper server holds, read through the backend's own client. */
import { ZooKeeperClient } from '../../src/backends/zookeeper/client/client.ts'

const TIMEOUT_MS = 10_000

/** A client of no backend, on a session of its own. */
export async function rawClient(port: number, digest?: string): Promise<ZooKeeperClient> {
  const none = () => {}
  const client = new ZooKeeperClient({
    hosts: [{ host: '127.0.0.1', port }],
    timeoutMs: TIMEOUT_MS,
    silenceMs: TIMEOUT_MS,
    digest,
    clock: { now: () => performance.now(), wallMs: () => Date.now() },
    random: Math.random,
    ...{ onUp: none, onDown: none, onOver: none, onAnswer: none, onError: none },
  })
  await client.connect()
  return client
}

/** The data of all nodes, by path, but for those that the server keeps for itself. */
export async function readTree(port: number, root = ''): Promise<ReadonlyMap<string, string>> {
  const client = await rawClient(port)
  const found = new Map<string, string>()
  const read = async (path: string): Promise<void> => {
    const [{ names }, { data }] = await Promise.all([client.children(path || '/'), client.data(path || '/')])
    found.set(path, data)
    for (const name of names) if (`${path}/${name}` !== '/zookeeper') await read(`${path}/${name}`)
  }
  await read(root)
  await client.end()
  return found
}
