/**
 * ZooKeeper servers of a test's own, one or an ensemble: private ports, folders that go away with them, and signals to these processes
 * alone. Needs a Java runtime and the jar files of Debian's libzookeeper-java.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, ServerProcess } from './server-process.ts'
import { TcpProxy } from './tcp-proxy.ts'

/** `npm test` has looked for them; whoever runs a single file is expected to have them. */
export const isZooKeeperMissing = /java|zookeeper/.test(process.env.SIMBA_MISSING_SERVERS ?? '')

const JARS = ['/usr/share/java/zookeeper.jar', '/usr/share/java/slf4j-log4j12.jar', '/usr/share/java/log4j-1.2.jar']

const ENSEMBLE_SIZE = 3

export interface ZooKeeperOptions {
  /** The server's unit of time: sessions run out at multiples of it. */
  readonly tickTimeMs?: number
  readonly minSessionTimeoutMs?: number
  readonly maxSessionTimeoutMs?: number
}

interface Peer {
  readonly id: number
  readonly port: number
  readonly quorumPort: number
  readonly electionPort: number
}

interface Membership {
  readonly self: Peer
  /** Itself among them, and the others with the ports by which this one reaches them. */
  readonly peers: readonly Peer[]
}

export class ZooKeeperServer {
  readonly port: number
  readonly tickTimeMs: number
  readonly #folder: string
  readonly #process: ServerProcess
  readonly #options: ZooKeeperOptions
  readonly #membership: Membership | undefined

  static async start(options: ZooKeeperOptions = {}): Promise<ZooKeeperServer> {
    const server = new ZooKeeperServer(await freePort(), options)
    await server.start()
    return server
  }

  /** Made by `start`, or as a member of an ensemble. */
  constructor(port: number, options: ZooKeeperOptions, membership?: Membership) {
    this.port = port
    this.tickTimeMs = options.tickTimeMs ?? 100
    this.#options = options
    this.#membership = membership
    this.#folder = mkdtempSync(join(tmpdir(), 'simba-zookeeper-'))
    const main = membership ? 'quorum.QuorumPeerMain' : 'ZooKeeperServerMain'
    this.#process = new ServerProcess({
      program: 'java',
      args: [
        ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
        // A crash of the process loses nothing that was written, and of the machine there is none here.
        ...['-Dzookeeper.forceSync=no', '-Dzookeeper.jmx.log4j.disable=true'],
        ...['-cp', [this.#folder, ...JARS].join(':'), `org.apache.zookeeper.server.${main}`],
        join(this.#folder, 'zoo.cfg'),
      ],
      port,
      ask: 'srvr',
      answer: 'Mode:',
      debian: 'libzookeeper-java default-jre-headless',
    })
    this.#furnish()
  }

  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  get url(): string {
    return `zookeeper://${this.host}?tickTime=${this.tickTimeMs}`
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Resolves when it answers. */
  start(): Promise<void> {
    return this.#process.start()
  }

  launch(): Promise<never> {
    return this.#process.launch()
  }

  ready(): Promise<void> {
    return this.#process.ready()
  }

  /** Ends the server in good order. */
  async stop(): Promise<void> {
    await this.#process.end('SIGTERM')
  }

  /** Ends the server as a crash does. */
  async kill(): Promise<void> {
    await this.#process.end('SIGKILL')
  }

  /** Crashes and starts again, with its data or without them. */
  async restart(data: 'kept' | 'lost'): Promise<void> {
    await this.kill()
    if (data === 'lost') {
      rmSync(this.#folder, { recursive: true, force: true })
      mkdirSync(this.#folder)
      this.#furnish()
    }
    await this.start()
  }

  /** What the server answers to one of its words of four letters. */
  async ask(word: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1', () => socket.write(word))
    let said = ''
    for await (const chunk of socket) said += chunk
    return said
  }

  /** SIGSTOP: the connections stay, and nobody answers. */
  freeze(): void {
    this.#process.freeze()
  }

  /** SIGCONT: what was sent meanwhile is read now. */
  thaw(): void {
    this.#process.signal('SIGCONT')
  }

  /** Runs again, and answers, whatever was done to it. */
  async mend(): Promise<void> {
    this.thaw()
    if (!this.#process.isRunning) void this.launch()
    await this.ready()
  }

  /** Ends the server and takes its folder away. */
  async dispose(): Promise<void> {
    await this.#process.dispose()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #furnish(): void {
    const { minSessionTimeoutMs = 2 * this.tickTimeMs, maxSessionTimeoutMs = 120_000 } = this.#options
    const data = join(this.#folder, 'data')
    mkdirSync(data)
    const lines = [
      `tickTime=${this.tickTimeMs}`,
      `minSessionTimeout=${minSessionTimeoutMs}`,
      `maxSessionTimeout=${maxSessionTimeoutMs}`,
      `dataDir=${data}`,
      `clientPort=${this.port}`,
      'clientPortAddress=127.0.0.1',
      'admin.enableServer=false',
      '4lw.commands.whitelist=*',
      'maxClientCnxns=0',
    ]
    if (this.#membership) {
      const { self, peers } = this.#membership
      writeFileSync(join(data, 'myid'), `${self.id}`)
      // In ticks, which are short here.
      lines.push('initLimit=100', `syncLimit=${Math.ceil(2_000 / this.tickTimeMs)}`)
      for (const { id, quorumPort, electionPort } of peers) {
        lines.push(`server.${id}=127.0.0.1:${quorumPort}:${electionPort}`)
      }
    }
    writeFileSync(join(this.#folder, 'zoo.cfg'), lines.join('\n'))
    writeFileSync(join(this.#folder, 'log4j.properties'), 'log4j.rootLogger=OFF\n')
  }
}

interface Ways {
  readonly between: readonly ZooKeeperServer[]
  readonly ways: readonly TcpProxy[]
}

/** Three servers that know each other. */
export class ZooKeeperEnsemble {
  readonly servers: readonly ZooKeeperServer[]
  readonly #ways: readonly Ways[]

  static start(options: ZooKeeperOptions = {}): Promise<ZooKeeperEnsemble> {
    return ZooKeeperEnsemble.#start(options, async (peer) => ({ peer, ways: [] }))
  }

  /**
   * Its servers reach each other over ways that can be cut. Not for servers that crash: such a way lets a server in where nobody
   * listens, and hangs up, which makes the next election wait for `initLimit`.
   */
  static startOverWays(options: ZooKeeperOptions = {}): Promise<ZooKeeperEnsemble> {
    return ZooKeeperEnsemble.#start(options, async (peer) => {
      const [quorum, election] = [await TcpProxy.start(peer.quorumPort), await TcpProxy.start(peer.electionPort)]
      return { peer: { ...peer, quorumPort: quorum.port, electionPort: election.port }, ways: [quorum, election] }
    })
  }

  static async #start(
    options: ZooKeeperOptions,
    reach: (peer: Peer) => Promise<{ readonly peer: Peer; readonly ways: readonly TcpProxy[] }>,
  ): Promise<ZooKeeperEnsemble> {
    const peers: Peer[] = []
    for (let id = 1; id <= ENSEMBLE_SIZE; id++) {
      const [port, quorumPort, electionPort] = [await freePort(), await freePort(), await freePort()]
      peers.push({ id, port, quorumPort, electionPort })
    }
    const reached: { readonly ends: readonly Peer[]; readonly ways: readonly TcpProxy[] }[] = []
    const servers: ZooKeeperServer[] = []
    for (const self of peers) {
      const seen: Peer[] = [self]
      for (const other of peers.filter((peer) => peer !== self)) {
        const { peer, ways } = await reach(other)
        seen.push(peer)
        reached.push({ ends: [self, other], ways })
      }
      servers.push(new ZooKeeperServer(self.port, options, { self, peers: seen }))
    }
    const failed = servers.map((server) => server.launch())
    await Promise.race([...failed, Promise.all(servers.map((server) => server.ready()))])
    return new ZooKeeperEnsemble(
      servers,
      reached.map(({ ends, ways }) => ({ between: ends.map(({ id }) => servers[id - 1]!), ways })),
    )
  }

  private constructor(servers: readonly ZooKeeperServer[], ways: readonly Ways[]) {
    this.servers = servers
    this.#ways = ways
  }

  get url(): string {
    const hosts = this.servers.map(({ host }) => host).join(',')
    return `zookeeper://${hosts}?tickTime=${this.servers[0]!.tickTimeMs}`
  }

  /** Nothing passes any more between this server and the others, whose clients still reach it. Returns what lets it pass. */
  cutOff(server: ZooKeeperServer): () => void {
    const ways = this.#ways.flatMap(({ between, ways }) => (between.includes(server) ? ways : []))
    const releases = ways.map((way) => way.hold())
    for (const way of ways) way.refuse(true)
    return () => {
      for (const way of ways) way.refuse(false)
      for (const release of releases) release()
    }
  }

  /** Lets all of them run again, and resolves when they answer. */
  async mend(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.mend()))
  }

  async dispose(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.dispose()))
    await Promise.all(this.#ways.flatMap(({ ways }) => ways.map((way) => way.dispose())))
  }
}
