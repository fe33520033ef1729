/** What is said on a session's channel, by the scripts `line` and `groups`: a type of hint, a space, and the name that it is about. */
import type { Hint } from '../port.ts'

export function parseHint(message: string): Hint | null {
  const space = message.indexOf(' ')
  const name = message.slice(space + 1)
  switch (message.slice(0, space)) {
    case 'lease.freed':
      return { type: 'lease.freed', lease: name }
    case 'members.changed':
      return { type: 'members.changed', group: name }
    default:
      return null
  }
}
