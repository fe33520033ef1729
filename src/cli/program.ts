/** The command line: what may be said, and what its help teaches. */
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { EXIT } from './exitCodes.ts'
import { type GroupOptions, group } from './group.ts'
import { type LockOptions, lock } from './lock.ts'
import { run } from './run.ts'
import { type ScheduleOptions, schedule } from './schedule.ts'
import { type SharedOptions, withLeaseOptions, withStoreOptions } from './shared.ts'
import { type StatusOptions, status } from './status.ts'

const ENVIRONMENT = `
The command finds its term in its environment:
  SIMBA_LEASE, SIMBA_TOKEN   which term it is; pass the token to every write
  SIMBA_PARTITION            in a group, from 0
  SIMBA_TERM                 lease and token as one word
  SIMBA_REMAINING_MS         how long the term had to go at the start; renewals add to it
  SIMBA_NODE                 the name of this node
When the term ends it gets SIGTERM, and what is left of its process group at the deadline SIGKILL.`

/** `settle` is given what becomes of the command that was chosen. */
export function createProgram(version: string, settle: (ending: Promise<number>) => void): Command {
  const program = new Command('simba')
    .description('Leader work for any command: on exactly one node at a time, handed over in order.')
    .version(version, '-V, --version')
    .helpCommand(true)
    .addHelpText(
      'after',
      `
Examples:
  $ simba run ingest -- python3 ingest.py             one of all nodes runs it, another one takes over
  $ simba schedule report --fixed-rate 1h -- ./report.sh
  $ simba group billing --partitions 16 -- ./bill.sh  partitions are spread over the nodes
  $ simba lock deploy --timeout 10s -- ./deploy.sh    one at a time
  $ simba status --watch                              who leads what

Leases are kept in a file in your state directory, for processes of this machine; --backend redis://host:6379 or
SIMBA_BACKEND is for many machines. 'simba help COMMAND' has more, with exit codes.`,
    )

  const add = (name: string, summary: string, teach: string) => {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
    return command.addHelpText('after', `\n${teach.trim()}`)
  }
  const commandLine = (command: Command, what = 'lease') =>
    command.argument('<name>', `of the ${what}`).argument('<command...>', 'what to run, behind --')

  commandLine(
    withLeaseOptions(
      add(
        'run',
        'run a command while this node leads',
        `
Examples:
  $ simba run ingest -- python3 ingest.py
  $ SIMBA_BACKEND=redis://cache:6379 simba run ingest --lease-duration 5s -- ./ingest

The command is started when this node leads, and again in each later term. When it ends by itself, so does simba.
To have it started again instead: simba schedule NAME --fixed-delay 5s -- COMMAND.
${ENVIRONMENT}

Exit codes: those of the command when it has ended by itself (128 and the signal's number for a signal), else
  ${EXIT.ok}    stopped by SIGTERM, SIGINT or SIGHUP, and everything handed over
  ${EXIT.usage}   the command line makes no sense
  ${EXIT.unavailable}   the store was not reached
  ${EXIT.notExecutable}  the command cannot be executed
  ${EXIT.notFound}  the command was not found
  ${EXIT.killed}  stopped, and the command had to be killed at its deadline`,
      ),
    ),
  ).action((name: string, words: string[], options: SharedOptions) => settle(run(name, words, options)))

  const scheduled = (command: Command) =>
    command
      .option('--fixed-rate <duration>', 'a run each so often, counted between starts; never two at a time')
      .option('--fixed-delay <duration>', 'this pause between the end of a run and the next one')
      .option('--initial-delay <duration>', 'from the start of each term to the first run')

  commandLine(
    scheduled(
      withLeaseOptions(
        add(
          'schedule',
          'run a command again and again while this node leads',
          `
Examples:
  $ simba schedule report --fixed-rate 1h --initial-delay 10s -- ./report.sh
  $ simba schedule consume --fixed-delay 5s -- ./consumer    started again 5 s after it has ended

A run that fails is told, and the next one comes in its time.
${ENVIRONMENT}

Exit codes:
  ${EXIT.ok}    stopped by SIGTERM, SIGINT or SIGHUP, and everything handed over
  ${EXIT.usage}   the command line makes no sense
  ${EXIT.unavailable}   the store was not reached
  ${EXIT.notExecutable}  the command cannot be executed
  ${EXIT.notFound}  the command was not found
  ${EXIT.killed}  stopped, and the command had to be killed at its deadline`,
        ),
      ),
    ),
  ).action((name: string, words: string[], options: SharedOptions & ScheduleOptions) =>
    settle(schedule(name, words, options)),
  )

  commandLine(
    scheduled(
      withLeaseOptions(
        add(
          'group',
          'run a command for each partition that this node is given',
          `
Examples:
  $ simba group billing --partitions 16 -- ./bill.sh         SIMBA_PARTITION says which: 0 to 15
  $ simba group billing --partitions 16 --fixed-rate 1m -- ./bill.sh

Start it on as many nodes as you like, with the same number of partitions: they share them. What the commands print
comes with the partition in front. Without a schedule, a command runs once in each term of its partition.
${ENVIRONMENT}

Exit codes: as for 'simba schedule'.`,
        ),
      ),
    ),
    'group',
  )
    .requiredOption('-p, --partitions <count>', 'how many there are, the same on all nodes', wholeNumber(1, 65_536))
    .addOption(new Option('--balance <how>', "'bounded' caps the fullest node").choices(['hashed', 'bounded']))
    .action((name: string, words: string[], options: SharedOptions & GroupOptions) =>
      settle(group(name, words, options)),
    )

  commandLine(
    withLeaseOptions(
      add(
        'lock',
        'run a command once, when nobody else does',
        `
Examples:
  $ simba lock deploy -- ./deploy.sh
  $ simba lock deploy --timeout 10s -- ./deploy.sh || echo "somebody else is at it"
  $ simba lock nightly --nonblock --conflict-exit-code 0 -- ./nightly.sh

Like flock, but for as many machines as share a store, and with a token for every write.
${ENVIRONMENT}

Exit codes: those of the command (128 and the signal's number for a signal), else
  ${EXIT.usage}   the command line makes no sense
  ${EXIT.unavailable}   the store was not reached
  ${EXIT.timeout}   the lock was not to be had in time; another one by --conflict-exit-code
  ${EXIT.lost}   the lock was lost, and the command was ended
  ${EXIT.notExecutable}  the command cannot be executed
  ${EXIT.notFound}  the command was not found
  ${EXIT.killed}  interrupted, and the command had to be killed at its deadline
  130  SIGINT (143: SIGTERM) came while it was waiting`,
      ),
    ),
  )
    .option('-w, --timeout <duration>', 'how long to wait (default: as long as it takes)')
    .option('-n, --nonblock', 'do not wait at all')
    .option('-E, --conflict-exit-code <code>', 'for a lock that was not to be had', wholeNumber(0, 255), EXIT.timeout)
    .action((name: string, words: string[], options: SharedOptions & LockOptions) => settle(lock(name, words, options)))

  withStoreOptions(
    add(
      'status',
      'show who holds what, and who waits for it',
      `
Examples:
  $ simba status
  $ simba status ingest && echo "somebody leads it"
  $ simba status --json | jq '.leases[] | {lease, node: .holder.node}'
  $ simba status --watch 1s

FOR is how long the present holder has held it, by the clock of the store.

Exit codes:
  ${EXIT.ok}    shown; with NAME: it is led (a group: all of its partitions)
  ${EXIT.unled}    with NAME: nobody leads it
  ${EXIT.usage}   the command line makes no sense
  ${EXIT.unavailable}   the store was not reached`,
    ),
  )
    .addArgument(new Argument('[name]', 'a lease or a group'))
    .option('-j, --json', 'for programs: one line, as JSON')
    .option('-w, --watch [duration]', 'again and again (every 2s)')
    .action((name: string | undefined, options: StatusOptions) => settle(status(name, options)))

  return program
}

function wholeNumber(least: number, greatest: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= greatest) return number
    throw new InvalidArgumentError(`Allowed is a whole number from ${least} to ${greatest}.`)
  }
}
