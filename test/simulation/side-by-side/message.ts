/** What a session asks of its store, as it was sent: it can arrive late and more than once. */
import type { Session } from '../../../src/backends/port.ts'
import type { Command, Numbered } from './command.ts'
import type { Pair } from './likeness.ts'
import type { Player } from './player.ts'

export interface Message {
  readonly player: Player
  readonly text: string
  readonly opens?: true
  readonly closes?: true
  /** What it is about, unless it is about a group. */
  readonly lease?: string
  ask(session: Session, side: 0 | 1): Promise<unknown>
}

export type NumberedCommand = Extract<Command, Numbered>

export function opening(player: Player): Message {
  const { leaseDurationMs, renewIntervalMs } = player.options
  const text = `opens (${leaseDurationMs} ms, ${renewIntervalMs} ms)`
  return { player, text, opens: true, ask: (session) => session.open() }
}

export function renewal(player: Player, settled: number, epoch: number): Message {
  const text = `renews (settled #${settled}, epoch ${epoch})`
  return { player, text, ask: (session) => session.renew({ settled, epoch }) }
}

export function closing(player: Player): Message {
  return { player, text: 'closes', closes: true, ask: (session) => session.close() }
}

/** `tokens` are those that a release names. */
export function numberedMessage(player: Player, command: NumberedCommand, tokens: Pair<number>): Message {
  const number = player.takeNumber(command.shift)
  switch (command.do) {
    case 'campaign': {
      const { lease } = command
      const text = `campaigns for ${lease} #${number}`
      return { player, text, lease, ask: (session) => session.campaign(lease, number) }
    }
    case 'withdraw': {
      const { lease } = command
      const text = `withdraws from ${lease} #${number}`
      return { player, text, lease, ask: (session) => session.withdraw(lease, number) }
    }
    case 'release': {
      const { lease, token } = command
      const text = `releases ${lease} with its ${token} token #${number}`
      return { player, text, lease, ask: (session, side) => session.release(lease, tokens[side], number) }
    }
    case 'join': {
      const { group, partitions, resting } = command
      const text = `joins ${group} with ${partitions} partitions, resting [${resting}] #${number}`
      return { player, text, ask: (session) => session.join(group, { partitions, resting }, number) }
    }
    case 'leave': {
      const { group } = command
      const text = `leaves ${group} #${number}`
      return { player, text, ask: (session) => session.leave(group, number) }
    }
  }
}
