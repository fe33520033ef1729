/** Ends a ZooKeeper session from outside, as an operator or a second client with its credentials would. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { wasRefused } from '../../src/backends/zookeeper/client/errors.ts'
import { JuteWriter } from '../../src/backends/zookeeper/client/jute-writer.ts'
import { rawClient } from './zookeeper-tree.ts'

const CLOSE_SESSION = -11
const SECRET = 0xb3415c00n
const MOST_ATTEMPTS = 50

/** Ends the session that this ephemeral node belongs to. */
export async function expireOwner(port: number, path: string): Promise<void> {
  const client = await rawClient(port)
  try {
    const { stat } = await client.data(path)
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      await close(port, stat.ephemeralOwner)
      await client.data(path)
    }
    throw new Error(`the session of ${path} cannot be ended`)
  } catch (error) {
    if (!wasRefused(error, 'NoNode')) throw error
  } finally {
    await client.end()
  }
}

/** Takes the session over and closes it in one write. Its own client may be faster all the same, and take it back in between. */
async function close(port: number, sessionId: bigint): Promise<void> {
  const greeting = new JuteWriter().int(0).long(0n).int(10_000).long(sessionId).bytes(passwordOf(sessionId)).bool(false)
  const goodbye = new JuteWriter().int(1).int(CLOSE_SESSION)
  const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([greeting.frame(), goodbye.frame()])))
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'close')
}

/** A server makes it from the id, with Java's generator of random numbers. */
function passwordOf(sessionId: bigint): Buffer {
  let seed = BigInt.asUintN(48, sessionId ^ SECRET ^ 0x5deece66dn)
  const password = Buffer.alloc(16)
  for (let at = 0; at < password.length; at += 4) {
    seed = BigInt.asUintN(48, seed * 0x5deece66dn + 0xbn)
    password.writeInt32LE(Number(BigInt.asIntN(32, seed >> 16n)), at)
  }
  return password
}
