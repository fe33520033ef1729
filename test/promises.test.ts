/** PROMISES.md is a table that can be relied on: every promise names its states and its tests, and all of these exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type AnyStateNode, StateMachine } from 'xstate'
import * as machines from '../src/machines/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const markdown = readFileSync(join(root, 'PROMISES.md'), 'utf8')
const files = [...markdown.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path)
const rows = [...markdown.matchAll(/^\| \*\*(\d+)\. .*$/gm)].map(([row, number]) => ({
  number: Number(number),
  cells: row.split('|').map((cell) => cell.trim()),
}))

/** The names of all states at and below this one, with those above them. */
function statesOf(node: AnyStateNode): readonly string[] {
  return [node.path.join('.'), ...Object.values(node.states).flatMap(statesOf)]
}

const states = new Map(
  Object.values(machines).flatMap((value) =>
    value instanceof StateMachine ? [[value.id, statesOf(value.root)] as const] : [],
  ),
)

describe('PROMISES.md', () => {
  test('every file that it names is there', () => {
    expect(files.length).toBeGreaterThan(rows.length)
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('there are eleven promises, each with states, a property that says whose it is, and tests', () => {
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    for (const { number, cells } of rows) {
      const [, , enforcedBy, property, tests] = cells
      expect(enforcedBy, `promise ${number}`).toMatch(/\w/)
      const [, file = ''] = /\((test\/properties\/[^)]+)\)/.exec(property!) ?? []
      expect(readFileSync(join(root, file), 'utf8').split('\n')[0]).toMatch(
        new RegExp(`Promises? [^:]*\\b${number}\\b.*:`),
      )
      expect(tests, `promise ${number}`).toContain('.test.ts)')
    }
  })

  test('every state that it names is one of that machine', () => {
    for (const { number, cells } of rows) {
      for (const part of cells[2]!.split(';')) {
        const [, machine = ''] = /^\s*(\w+): /.exec(part) ?? []
        const known = states.get(machine)
        if (!known) continue
        const named = [...part.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name).filter((name) => !isSlot(name))
        const missing = named.filter((name) => !known.some((path) => path === name || path.endsWith(`.${name}`)))
        expect(missing, `promise ${number}, ${machine}`).toEqual([])
        expect(named, `promise ${number}, ${machine}`).not.toEqual([])
      }
    }
  })
})

/** Effects and context are named beside the states. */
function isSlot(name: string): boolean {
  return ['revokeTerm', 'cutTerm', 'token'].includes(name)
}
