/** Tells what the nodes report, as they report it. What was done to them is for the story to tell. */
import type { Letter } from './messages.ts'
import { count, number, type Screen } from './screen.ts'

export function createNarrator(screen: Screen, records: number): (letter: Letter) => void {
  const name = (node: string) => screen.paint('bold', node)
  return (letter) => {
    switch (letter.kind) {
      case 'resumed':
        screen.event(
          '●',
          'green',
          `${name(letter.node)} leads, token ${letter.token}, from record ${number(letter.record + 1)}`,
        )
        break
      case 'written':
        screen.progress(letter.record, records)
        break
      case 'refused':
        screen.event('⊘', 'magenta', `the sink refuses the ${count(letter.count, 'record')} of ${name(letter.node)}`)
        screen.note(`token ${letter.token} is lower than ${letter.newest}`)
        break
      case 'warned':
        screen.note(`${letter.node}: ${letter.message}`)
        break
      case 'leads':
      case 'writing':
      case 'pausing':
      case 'done':
      case 'handedOver':
      case 'stopped':
        break
    }
  }
}
