/** The options that all commands have, and the client that they make. */
import { type Command, Option } from 'commander'
import { toMs } from '../runtime/durations.ts'
import { createSimba, type Simba } from '../runtime/simba.ts'
import { type ChosenBackend, chooseBackend } from './backend.ts'
import { Screen } from './screen.ts'

export interface SharedOptions {
  readonly backend?: string
  readonly namespace: string
  readonly node?: string
  readonly leaseDuration: string
  readonly renewInterval?: string
  readonly connectTimeout: string
  readonly quiet?: boolean
  readonly verbose?: boolean
}

export function withStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '-b, --backend <url>',
        "where leases are kept: 'sqlite:./leases.db', 'redis://host:6379', 'zookeeper://a:2181,b:2181' (default: a file in your state directory)",
      ).env('SIMBA_BACKEND'),
    )
    .option('-N, --namespace <name>', 'everything that shares one set of leases', 'simba')
}

export function withLeaseOptions(command: Command): Command {
  return withStoreOptions(command)
    .option('--node <name>', 'the name that others see as the holder (default: host name and process id)')
    .option(
      '--lease-duration <duration>',
      'how long a crashed holder is missed; the same for all of a namespace',
      '15s',
    )
    .option('--renew-interval <duration>', 'how often the lease is renewed (default: a third of the lease duration)')
    .option(
      '--connect-timeout <duration>',
      'give up when the store was not reached within this time at the start',
      '10s',
    )
    .option('-q, --quiet', 'say nothing but errors')
    .option('-v, --verbose', 'say more')
}

export interface Scene {
  readonly simba: Simba
  readonly screen: Screen
  readonly backend: ChosenBackend
  readonly connectTimeoutMs: number
}

/** Throws `INVALID_OPTION`. */
export function setScene(options: SharedOptions): Scene {
  const screen = new Screen(options.quiet ? 'quiet' : options.verbose ? 'verbose' : 'usual')
  const backend = chooseBackend(options.backend)
  const connectTimeoutMs = toMs('--connect-timeout', options.connectTimeout, { minMs: 1 })
  const { namespace, node, leaseDuration, renewInterval } = options
  const simba = createSimba({
    backend: backend.url,
    namespace,
    node,
    leaseDuration,
    renewInterval,
    logger: screen.logger,
  })
  return { simba, screen, backend, connectTimeoutMs }
}
