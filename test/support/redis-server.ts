/**
 * A redis-server of the test's own: a free private port, a folder that goes away with it, and signals to this one process alone.
 * Needs the binary `redis-server` on the path.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const START_TIMEOUT_MS = 10_000

export interface RedisServerOptions {
  /** Whether acknowledged writes outlive the process. Default: they do not. */
  readonly persistent?: boolean
  /** More arguments for the server. */
  readonly args?: readonly string[]
}

export class RedisServer {
  readonly port: number
  readonly #folder: string
  readonly #options: RedisServerOptions
  #process: ChildProcess | undefined

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.start()
    return server
  }

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port
    this.#options = options
    this.#folder = mkdtempSync(join(tmpdir(), 'simba-redis-'))
    process.once('exit', this.#killAtExit)
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts the server again, on the same port and with what its folder has. Resolves when it answers. */
  async start(): Promise<void> {
    const { persistent = false, args = [] } = this.#options
    const persistence = persistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const where = ['--bind', '127.0.0.1', '--port', `${this.port}`, '--dir', this.#folder]
    const child = spawn('redis-server', [...where, '--save', '', ...persistence, '--daemonize', 'no', ...args], {
      stdio: 'ignore',
    })
    this.#process = child
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (cause) =>
        reject(new Error('redis-server does not start; on Debian: apt-get install redis-server', { cause })),
      )
      child.once('exit', (code) => reject(new Error(`redis-server has ended with code ${code} instead of starting`)))
    })
    failed.catch(() => {})
    await Promise.race([failed, this.#ready()])
  }

  /** Ends the server in good order. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  /** Ends the server as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Crashes and starts again: with its data, without them, or with those of a backup. */
  async restart(data: 'kept' | 'lost' | { readonly backup: string }): Promise<void> {
    await this.kill()
    if (data !== 'kept') rmSync(this.#folder, { recursive: true, force: true })
    if (data === 'lost') mkdirSync(this.#folder)
    else if (data !== 'kept') cpSync(data.backup, this.#folder, { recursive: true })
    await this.start()
  }

  /** Copies what a persistent server has on disk now. The copy goes away with the server. */
  backup(): string {
    const backup = `${this.#folder}-backup`
    cpSync(this.#folder, backup, { recursive: true })
    return backup
  }

  /** SIGSTOP: the connections stay, and nobody answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP')
  }

  /** SIGCONT: everything that was sent meanwhile is done now. */
  thaw(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Ends the server and takes its folder away. */
  async dispose(): Promise<void> {
    await this.kill()
    process.off('exit', this.#killAtExit)
    rmSync(this.#folder, { recursive: true, force: true })
    rmSync(`${this.#folder}-backup`, { recursive: true, force: true })
  }

  readonly #killAtExit = (): void => void this.#process?.kill('SIGKILL')

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async #ready(): Promise<void> {
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; ) {
      if (await this.#answers()) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`redis-server on port ${this.port} did not answer within ${START_TIMEOUT_MS} ms`)
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\n'))
      socket.once('data', (data) => {
        resolve(data.toString().startsWith('+PONG'))
        socket.destroy()
      })
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
    })
  }
}

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
