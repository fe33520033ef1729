/** What a backend leaves behind in a process of its own: whatever would keep that process alive. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

export interface Errand {
  /** The folder and the function of the backend. */
  readonly backend: 'redis' | 'zookeeper'
  readonly url: string
  readonly namespace: string
  /** What is done with `connection` and `session` before the connection is closed. */
  readonly code: string
}

const STUCK_AFTER_MS = 10_000

/** After the errand, no timer and no connection is there, and the process ends by itself. */
export async function expectNothingLeftBy({ backend, url, namespace, code }: Errand): Promise<void> {
  const index = fileURLToPath(new URL(`../../src/backends/${backend}/index.ts`, import.meta.url))
  const output = await outputOf(`
    import { ${backend} } from '${index}'
    const none = () => {}
    const connection = ${backend}('${url}').connect({
      clock: { now: () => performance.now(), wallMs: () => Date.now() }, random: Math.random,
      logger: { debug: none, info: none, warn: none, error: none }, namespace: '${namespace}',
    })
    const session = connection.session({ node: 'a', leaseDurationMs: 1000, renewIntervalMs: 300 }, none)
    ${code}
    await connection.close()
    process.once('exit', () => console.log('exits after ' + Math.round(performance.now() - closed)))
    const closed = performance.now()
    console.log(JSON.stringify(process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name))))`)
  expect(output).toMatch(/^\[\]\nexits after \d{1,3}\n$/)
}

async function outputOf(script: string): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
  const killer = setTimeout(() => child.kill('SIGKILL'), STUCK_AFTER_MS)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(killer)
  return output
}
