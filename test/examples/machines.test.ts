/** The examples with machines of one's own run, end by themselves, and tell the story that they promise. */
import { expect, test } from 'vitest'
import { startExample } from '../support/example.ts'

/** The story without its times. */
const lines = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => line.replace(/^[\d.]+ s +/, '').replace(/ +/g, ' '))

test('a machine that invokes an election follows its terms', async () => {
  const example = startExample('invoke-election.ts')
  expect(await example.ended, example.output()).toBe(0)
  const story = lines(example.output())
  const of = (node: string) => story.filter((line) => line.startsWith(`${node} `)).map((line) => line.split(' ')[1])
  expect(of('north')).toEqual(['standby', 'primary', 'draining', 'standby', 'primary', 'draining', 'standby', 'off'])
  expect(of('south')).toEqual(['standby', 'primary', 'draining', 'standby', 'off'])
  // Never two at once: who is told to end has drained before the other one begins.
  const reigns = story.filter((line) => / (primary|draining)$/.test(line))
  expect(reigns).toEqual([
    'north primary',
    'north draining',
    'south primary',
    'south draining',
    'north primary',
    'north draining',
  ])
})

test('a machine that is the leader work finishes its batch before the lease goes on', async () => {
  const example = startExample('machine-as-work.ts')
  expect(await example.ended, example.output()).toBe(0)
  const story = lines(example.output())
  const place = (line: string) => story.indexOf(line)
  expect(place('north is told to end')).toBeGreaterThan(place('copy batch 3 begun'))
  expect(place('copy batch 3 written')).toBeGreaterThan(place('north is told to end'))
  expect(place('south leads')).toBeGreaterThan(place('copy batch 3 written'))
  expect(place('copy batch 4 begun')).toBeGreaterThan(place('south leads'))
  expect(story.filter((line) => / begun$/.test(line))).toHaveLength(6)
  expect(story.filter((line) => /^batch \d by token \d+$/.test(line.trim()))).toHaveLength(6)
})
