/** A server of a test's own: one process that is started, asked whether it is there, and given signals to it alone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'

export interface ServerCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly port: number
  /** What it is asked, as text over TCP, and what its answer has once it is ready. */
  readonly ask: string
  readonly answer: string
  /** The Debian package that brings the program. */
  readonly debian: string
}

const START_TIMEOUT_MS = 40_000
const GLANCE_MS = 10
const LONGEST_ANSWER_MS = 2_000

export class ServerProcess {
  readonly #command: ServerCommand
  #process: ChildProcess | undefined

  constructor(command: ServerCommand) {
    this.#command = command
    process.once('exit', this.#killAtExit)
  }

  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error(`${this.#command.program} was not started`)
    return pid
  }

  get isRunning(): boolean {
    const child = this.#process
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const failed = this.launch()
    await Promise.race([failed, this.ready()])
  }

  /** Starts it without waiting for it. What is returned rejects where it ends. */
  launch(): Promise<never> {
    const { program, args, debian } = this.#command
    const child = spawn(program, args, { stdio: 'ignore' })
    this.#process = child
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (cause) =>
        reject(new Error(`${program} does not start; on Debian: apt-get install ${debian}`, { cause })),
      )
      child.once('exit', (code) => reject(new Error(`${program} has ended with code ${code} instead of starting`)))
    })
    failed.catch(() => {})
    return failed
  }

  async ready(): Promise<void> {
    const { program, port } = this.#command
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; ) {
      if (await this.#answers()) return
      await new Promise((resolve) => setTimeout(resolve, GLANCE_MS))
    }
    throw new Error(`${program} on port ${port} did not answer within ${START_TIMEOUT_MS} ms`)
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** SIGSTOP, which a process of many threads on a busy machine obeys only some time after it was sent. Returns when all stand still. */
  freeze(): void {
    this.signal('SIGSTOP')
    while (this.isRunning && threadsOf(this.pid).some((state) => !STILL.includes(state))) {}
  }

  /** Resolves when it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (!child || !this.isRunning) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async dispose(): Promise<void> {
    await this.end('SIGKILL')
    process.off('exit', this.#killAtExit)
  }

  readonly #killAtExit = (): void => void this.#process?.kill('SIGKILL')

  #answers(): Promise<boolean> {
    const { port, ask, answer } = this.#command
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(ask))
      socket.setTimeout(LONGEST_ANSWER_MS, () => socket.destroy())
      let said = ''
      socket.on('data', (data) => {
        said += data
        if (said.includes(answer)) socket.destroy()
      })
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(said.includes(answer)))
    })
  }
}

/** Stopped, or dead. */
const STILL = 'TZX'

/** The states of its threads, by Linux's letters. None where there is no such folder. */
function threadsOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/task`
    return readdirSync(folder).map((thread) => {
      const stat = readFileSync(`${folder}/${thread}/stat`, 'utf8')
      return stat.charAt(stat.lastIndexOf(')') + 2)
    })
  } catch {
    // One has ended meanwhile: it is looked for again.
    return existsSync(`/proc/${pid}`) ? threadsOf(pid) : []
  }
}

/** Below those that systems choose for connections by themselves: none of these may take a port before its server does. */
const PORTS = { from: 10_000, to: 32_000 } as const

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
