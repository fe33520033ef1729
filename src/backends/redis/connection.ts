/**
 * One client's way to a Redis server: a connection for the scripts, one for the hints, and what becomes of both when they break.
 * A call is sent at once or rejected at once; only while the first attempt to connect is under way does it wait for its end.
 */
import { NotSentError, plainError, SimbaError } from '../../model/errors.ts'
import type { BackendEnvironment, Connection, Hint, Leader, Session, SessionOptions, Survey } from '../port.ts'
import { makeSessionId } from '../session-id.ts'
import { surveyOf } from '../survey.ts'
import { awaitReplicas, type Client, type Clients, hangUp, runScript, withoutCommand } from './driver.ts'
import { parseHint } from './hints.ts'
import { hintChannel, rootKey } from './keys.ts'
import { readDescription, readFindings, readLeaders } from './replies.ts'
import type { ScriptName } from './scripts/index.ts'
import { FORMAT, FORMAT_ERROR } from './scripts/shared/record.ts'
import { RedisSession, type SessionLink } from './session.ts'
import { silenceFor } from './settings.ts'

/** Both connections, and the root of the keys on them. */
interface Wires extends Clients {
  readonly root: string
}

export class RedisConnection implements Connection, SessionLink {
  readonly #environment: BackendEnvironment
  readonly #makeClients: (silenceMs: number) => Promise<Clients>
  readonly #replicas: number
  #wires: Promise<Wires> | undefined
  /** Fulfilled when the first attempt to connect has ended, well or badly. */
  #attempted: Promise<Wires> | undefined
  /** Sessions that are not closed. */
  readonly #sessions = new Map<string, (hint: Hint) => void>()
  /** Channels whose hints the server passes on, or should again after a reconnection. */
  readonly #channels = new Map<string, (hint: Hint) => void>()
  /** Told to hang up, and not closed yet. */
  readonly #givenUp = new Set<Client>()
  #link: 'new' | 'up' | 'down' = 'new'
  #isClosed = false
  #description: Promise<void> | undefined
  #lastError: Error | undefined

  constructor(makeClients: (silenceMs: number) => Promise<Clients>, environment: BackendEnvironment, replicas = 0) {
    this.#makeClients = makeClients
    this.#environment = environment
    this.#replicas = replicas
  }

  session(options: SessionOptions, onHint: (hint: Hint) => void): Session {
    const session = new RedisSession(makeSessionId(this.#environment.random), options, this)
    this.#sessions.set(session.id, onHint)
    // The calls tell of what goes wrong.
    this.#reach(options.renewIntervalMs).catch(() => {})
    return session
  }

  async leaders(leases: readonly string[]): Promise<readonly (Leader | null)[]> {
    return readLeaders(await this.run('leaders', ...leases))
  }

  async survey(most: number): Promise<Survey> {
    return surveyOf(readFindings(await this.run('survey', most + 1)), most)
  }

  run(script: ScriptName, ...args: readonly (string | number)[]): Promise<unknown> {
    return this.#ask('commands', ({ commands, root }) => runScript(commands, script, root, args))
  }

  async replicated(): Promise<void> {
    if (this.#replicas === 0) return
    try {
      await this.#ask('commands', (wires) => awaitReplicas(wires, this.#replicas))
    } catch (error) {
      // The question was not sent, but what it asks about was.
      throw error instanceof NotSentError
        ? new SimbaError('BACKEND_UNAVAILABLE', error.message, { cause: error })
        : error
    }
  }

  async listen(session: string): Promise<void> {
    await this.#ask('hints', async ({ hints, root }) => {
      const channel = hintChannel(root, session)
      if (this.#channels.has(channel)) return
      await hints.subscribe(channel)
      const onHint = this.#sessions.get(session)
      if (onHint) this.#channels.set(channel, onHint)
    })
  }

  async hush(session: string): Promise<void> {
    this.#sessions.delete(session)
    const wires = await this.#reach().catch(() => null)
    if (!wires) return
    const channel = hintChannel(wires.root, session)
    this.#channels.delete(channel)
    // A connection that breaks takes its subscriptions with it.
    if (wires.hints.status === 'ready') await wires.hints.unsubscribe(channel).catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#sessions.clear()
    this.#channels.clear()
    const wires = await this.#wires?.catch(() => null)
    if (wires) await Promise.all([hangUp(wires.commands), hangUp(wires.hints)])
  }

  /** Connects when somebody first wants something, and then knows from the first session how long silence may last. */
  #reach(renewIntervalMs?: number): Promise<Wires> {
    this.#wires ??= this.#isClosed
      ? Promise.reject(new Error('the connection is closed'))
      : this.#makeClients(silenceFor(renewIntervalMs)).then((clients) => this.#wire(clients))
    this.#attempted ??= this.#wires.then((wires) => this.#dial(wires))
    return this.#attempted
  }

  /** Asks on one of the connections where it is up, and says in our words what went wrong. */
  async #ask<Reply>(wire: 'commands' | 'hints', question: (wires: Wires) => Promise<Reply>): Promise<Reply> {
    const wires = await this.#reach().catch((cause) => {
      throw inOurWords(cause)
    })
    const client = wires[wire]
    try {
      if (client.status !== 'ready') throw notSent(this.#lastError ?? new Error('not connected'))
      return await question(wires)
    } catch (cause) {
      // The socket may be dead without knowing it. Newer versions of ioredis have a setting for this.
      if (isTimeout(cause)) this.#giveUp(client)
      throw inOurWords(cause)
    }
  }

  /** Makes the connection anew; once, however many calls run out of time on it together. */
  #giveUp(client: Client): void {
    if (client.status !== 'ready' || this.#givenUp.has(client)) return
    this.#givenUp.add(client)
    client.disconnect(true)
  }

  #wire(clients: Clients): Wires {
    const { commands, hints, keyPrefix } = clients
    const wires = { ...clients, root: rootKey(this.#environment.namespace, keyPrefix) }
    commands.on('ready', () => this.#onUp(wires))
    commands.on('close', () => this.#onDown(hints))
    hints.on('ready', () => this.#listenAgain(hints))
    hints.on('message', (channel, message) => {
      const hint = parseHint(message)
      if (hint) this.#channels.get(channel)?.(hint)
    })
    for (const client of [commands, hints]) {
      client.on('error', (error) => this.#onError(withoutCommand(error)))
      client.on('close', () => this.#givenUp.delete(client))
    }
    return wires
  }

  async #dial(wires: Wires): Promise<Wires> {
    if (!this.#isClosed) await Promise.allSettled([wires.commands.connect(), wires.hints.connect()])
    // Awaited because a Cluster that is ready has yet to connect to the node that keeps our slot, and refuses all commands but the first.
    await this.#description
    return wires
  }

  #onUp(wires: Wires): void {
    const isBack = this.#link === 'down'
    this.#link = 'up'
    this.#lastError = undefined
    this.#description ??= this.#describe(wires)
    if (!isBack) return
    this.#environment.logger.info({}, 'The connection to Redis is back.')
    this.#tellAll({ type: 'connected' })
  }

  #onDown(hints: Client): void {
    const wasUp = this.#link === 'up'
    this.#link = 'down'
    if (!wasUp || this.#isClosed) return
    this.#environment.logger.warn(
      { err: this.#lastError && plainError(this.#lastError) },
      'The connection to Redis was lost.',
    )
    // Nothing is ever sent on the other connection, so that it would not notice for a long time that it is dead, too.
    this.#giveUp(hints)
    this.#tellAll({ type: 'disconnected' })
  }

  async #listenAgain(hints: Client): Promise<void> {
    const channels = [...this.#channels.keys()]
    if (channels.length === 0) return
    try {
      await hints.subscribe(...channels)
    } catch {
      this.#giveUp(hints)
      return
    }
    // What was said meanwhile was said to nobody.
    if (this.#link === 'up') this.#tellAll({ type: 'connected' })
  }

  #onError(error: Error): void {
    const { logger } = this.#environment
    const isNews = this.#lastError === undefined
    this.#lastError = error
    if (isNews) logger.warn({ err: plainError(error) }, 'Redis cannot be reached.')
    else logger.debug({ err: plainError(error) }, 'Redis still cannot be reached.')
  }

  /** Warns once of a server that may forget more than this store can make good. */
  async #describe({ commands, root }: Wires): Promise<void> {
    const { logger } = this.#environment
    try {
      const { run, evictionPolicy } = readDescription(await runScript(commands, 'describe', root, []))
      if (evictionPolicy.startsWith('allkeys-')) {
        logger.warn(
          { 'maxmemory-policy': evictionPolicy },
          'Redis may evict leases when its memory is short: set its maxmemory-policy to noeviction.',
        )
      }
      if (run === '') logger.warn({}, 'Redis does not tell its run_id (INFO server): its restarts cannot be noticed.')
    } catch (error) {
      logger.debug({ err: plainError(inOurWords(error)) }, 'Redis could not be asked for its settings.')
    }
  }

  #tellAll(hint: Hint): void {
    for (const onHint of [...this.#sessions.values()]) onHint(hint)
  }
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.message === 'Command timed out'
}

function notSent(cause: Error): NotSentError {
  return new NotSentError(`Redis: ${cause.message}`, { cause })
}

function inOurWords(thrown: unknown): SimbaError {
  if (thrown instanceof SimbaError) return thrown
  const cause = withoutCommand(thrown)
  const [, found] = cause.message.match(`${FORMAT_ERROR} (.*)`) ?? []
  if (found !== undefined) {
    const text = `Redis holds records of format ${found} in this namespace; this version knows format ${FORMAT} alone`
    return new SimbaError('BACKEND_FORMAT', text, { cause })
  }
  return new SimbaError('BACKEND_UNAVAILABLE', `Redis: ${cause.message}`, { cause })
}
