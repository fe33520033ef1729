/**
 * Whether an ensemble serves anybody, as ZooKeeper's own client finds. It may not, though all of its servers run and know their leader:
 * one that stood still for longer than `syncLimit` lets its followers go and takes them up again, without the proposals that were on
 * their way, and then nothing is committed any more until there is another leader. Seen with ZooKeeper 3.8.0.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const JARS = ['zookeeper.jar', 'slf4j-api.jar', 'commons-cli.jar'].map((jar) => `/usr/share/java/${jar}`)

/** Java takes seconds to start where the machine is busy. */
const PATIENCE_MS = 30_000

/** Resolves with what is wrong, or with nothing where a session begins, or is refused at once. */
export async function outageOf(hosts: readonly string[], patienceMs = PATIENCE_MS): Promise<string | undefined> {
  const main = ['-cp', JARS.join(':'), 'org.apache.zookeeper.ZooKeeperMain']
  // Its timeout is so long that it does not give up by itself.
  const args = [...main, '-server', hosts.join(','), '-timeout', `${100 * patienceMs}`, 'ls', '/']
  const client = spawn('java', args, { stdio: 'ignore', timeout: patienceMs, killSignal: 'SIGKILL' })
  const [, signal] = await once(client, 'exit')
  return signal === null
    ? undefined
    : `the ensemble itself begins no session, not for ZooKeeper's own client either, within ${patienceMs} ms`
}
