/** Node processes that are started ahead and used by one scenario after the other, since starting one costs more than most scenarios. */
import { NodeProcess } from './node-process.ts'

export class Pool {
  readonly #idle: NodeProcess[] = []
  readonly #all = new Set<NodeProcess>()
  readonly #build: 'development' | 'production'
  #isDisposed = false

  constructor(build: 'development' | 'production' = 'development') {
    this.#build = build
  }

  start(count: number): void {
    for (let i = 0; i < count; i++) this.#idle.push(this.#start())
  }

  async take(): Promise<NodeProcess> {
    const node = this.#idle.shift() ?? this.#start()
    await node.ready
    return node
  }

  /** Keeps a process without a client for the next one. */
  giveBack(node: NodeProcess): void {
    node.onLine = () => {}
    if (node.isRunning) this.#idle.push(node)
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true
    for (const node of this.#all) node.kill()
    await Promise.all([...this.#all].map((node) => node.exited))
  }

  #start(): NodeProcess {
    const node = new NodeProcess(this.#build)
    this.#all.add(node)
    void node.exited.then(() => {
      this.#all.delete(node)
      // At once, while a scenario waits for the lease of the dead one to run out.
      if (!this.#isDisposed) this.#idle.push(this.#start())
    })
    return node
  }
}
