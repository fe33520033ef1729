/** What the help says. */
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

test('the help of each command says of what its name is', () => {
  const { commands } = createProgram('0.0.0', () => {})
  const named = commands.map((command) => [
    command.name(),
    /^ +\[?name\]? +(.*)$/m.exec(command.helpInformation())?.[1],
  ])
  expect(Object.fromEntries(named)).toEqual({
    run: 'of the lease',
    schedule: 'of the lease',
    group: 'of the group',
    lock: 'of the lease',
    status: 'a lease or a group',
  })
})
