/** Where an ensemble is, as a URL says it: `zookeeper://user:password@a:2181,b:2181/chroot?tickTime=2000`. */
import { SimbaError } from '../../model/errors.ts'
import type { Host } from './client/hosts.ts'

export interface ZooKeeperAddress {
  readonly hosts: readonly Host[]
  /** In front of every path; empty, or with a slash in front and none behind. */
  readonly chroot: string
  /** `user:password`. */
  readonly digest: string | undefined
  /** The ensemble's tickTime, or more. */
  readonly tickMs: number
}

export interface ZooKeeperOptions {
  /**
   * The `tickTime` of the ensemble's servers in milliseconds, or more; 1 to 60,000, default 2,000 (or what the URL says). A client cannot ask
   * for it, and takes it off the time for which it counts on its session.
   */
  readonly tickTime?: number
  /** For digest authentication, instead of those in the URL. All that this client creates belongs to that user alone. */
  readonly username?: string
  readonly password?: string
}

const DEFAULT_PORT = 2181
const DEFAULT_TICK_MS = 2_000
const LONGEST_TICK_MS = 60_000

const FORM = "like 'zookeeper://a:2181,b:2181/path'"

export function readAddress(url: unknown, options: ZooKeeperOptions): ZooKeeperAddress {
  if (typeof url !== 'string') throw refused('the URL', `a ${typeof url}`, FORM)
  const parts = /^zookeeper:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(url)
  // A password must not get into a message, and there may be one in what is not understood.
  if (!parts) throw refused('the URL', 'in another form', FORM)
  const [, user, hosts = '', path = '', query] = parts
  return {
    hosts: hosts.split(',').map(readHost),
    chroot: readChroot(path),
    digest: readDigest(user, options),
    tickMs: readTick(options.tickTime ?? readQuery(query)),
  }
}

function readHost(text: string): Host {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+(?:%\w+)?)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  const number = port === undefined ? DEFAULT_PORT : Number(port)
  if (host !== undefined && number >= 1 && number <= 65_535) return { host, port: number }
  throw refused('a host', JSON.stringify(text), "'host', 'host:port' or '[::1]:port'")
}

function readChroot(path: string): string {
  const parts = decode('the path', path)
    .split('/')
    .filter((part) => part !== '')
  const isAllowed = (part: string) => !['.', '..'].includes(part) && !/\p{Cc}|\p{Cs}/u.test(part)
  if (!parts.every(isAllowed) || parts[0] === 'zookeeper') {
    throw refused(
      'the path',
      JSON.stringify(path),
      "without '.', '..', and control characters, and not below /zookeeper",
    )
  }
  return parts.map((part) => `/${part}`).join('')
}

function readDigest(user: string | undefined, { username, password }: ZooKeeperOptions): string | undefined {
  const colon = user?.indexOf(':') ?? -1
  const name =
    username ?? (user === undefined ? undefined : decode('the user', colon < 0 ? user : user.slice(0, colon)))
  const secret = password ?? (colon < 0 ? undefined : decode('the password', user!.slice(colon + 1)))
  if (name === undefined && secret === undefined) return undefined
  if (typeof name === 'string' && name !== '' && !name.includes(':') && typeof secret === 'string') {
    return `${name}:${secret}`
  }
  throw refused('the user', 'incomplete', 'a username without a colon, and a password')
}

function readQuery(query: string | undefined): number | undefined {
  if (query === undefined || query === '') return undefined
  const [, tick] = /^tickTime=(\d+)$/.exec(query) ?? []
  if (tick === undefined) throw refused('the query', JSON.stringify(query), "'tickTime=2000'")
  return Number(tick)
}

function readTick(tickTime: unknown): number {
  if (tickTime === undefined) return DEFAULT_TICK_MS
  if (typeof tickTime === 'number' && tickTime >= 1 && tickTime <= LONGEST_TICK_MS) return tickTime
  throw refused('tickTime', String(tickTime), `1 to ${LONGEST_TICK_MS} milliseconds`)
}

function decode(what: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused(what, 'badly encoded', 'percent-encoding')
  }
}

function refused(what: string, found: string, allowed: string): SimbaError {
  return new SimbaError('INVALID_OPTION', `zookeeper(url): ${what} is ${found}; allowed is ${allowed}.`)
}
