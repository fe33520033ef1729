/**
 * A redis-server of the test's own: a free private port, a folder that goes away with it, and signals to this one process alone.
 * Needs the binary `redis-server` on the path.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, ServerProcess } from './server-process.ts'

export interface RedisServerOptions {
  /** Whether acknowledged writes outlive the process. Default: they do not. */
  readonly persistent?: boolean
  /** More arguments for the server. */
  readonly args?: readonly string[]
}

export class RedisServer {
  readonly port: number
  readonly #folder: string
  readonly #process: ServerProcess

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.start()
    return server
  }

  private constructor(port: number, { persistent = false, args = [] }: RedisServerOptions) {
    this.port = port
    this.#folder = mkdtempSync(join(tmpdir(), 'simba-redis-'))
    const persistence = persistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const where = ['--bind', '127.0.0.1', '--port', `${this.port}`, '--dir', this.#folder]
    this.#process = new ServerProcess({
      program: 'redis-server',
      args: [...where, '--save', '', ...persistence, '--daemonize', 'no', ...args],
      port,
      ask: 'PING\r\n',
      answer: '+PONG',
      debian: 'redis-server',
    })
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts the server again, on the same port and with what its folder has. Resolves when it answers. */
  start(): Promise<void> {
    return this.#process.start()
  }

  /** Ends the server in good order. */
  async stop(): Promise<void> {
    await this.#process.end('SIGTERM')
  }

  /** Ends the server as a crash does. */
  async kill(): Promise<void> {
    await this.#process.end('SIGKILL')
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
    this.#process.freeze()
  }

  /** SIGCONT: everything that was sent meanwhile is done now. */
  thaw(): void {
    this.#process.signal('SIGCONT')
  }

  /** Ends the server and takes its folder away. */
  async dispose(): Promise<void> {
    await this.#process.dispose()
    rmSync(this.#folder, { recursive: true, force: true })
    rmSync(`${this.#folder}-backup`, { recursive: true, force: true })
  }
}
