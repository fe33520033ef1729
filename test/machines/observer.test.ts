import { describe, expect, test } from 'vitest'
import { type Event, observerMachine } from '../../src/machines/observer.ts'
import type { Leader } from '../../src/model/answers.ts'
import { Calls } from './calls.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

function observe() {
  const stage = new Stage()
  const readLeader = new Calls<Leader | null, { readonly lease: string }>()
  const pause = new Calls<void, { readonly forMs: number }>()
  const actor = stage.start(
    observerMachine.provide({
      actors: { readLeader: readLeader.logic, pause: pause.logic },
      actions: stage.effects('tellLeader'),
    }),
    { observer: 'observer/1', lease: 'ingest', everyMs: 5_000 },
  )
  return { actor, stage, readLeader, pause }
}

const told = (leader: Leader | null) => `tellLeader observer/1 ${JSON.stringify(leader)}`

describe('watching who leads', () => {
  test('asks once per interval, and tells of changes alone', () => {
    const { readLeader, pause, stage } = observe()
    const answers: (Leader | null)[] = [
      null,
      null,
      { node: 'a', token: 1 },
      { node: 'a', token: 1 },
      { node: 'a', token: 2 },
      { node: 'b', token: 3 },
      null,
    ]
    for (const answer of answers) {
      expect(readLeader.last.input).toEqual({ lease: 'ingest' })
      readLeader.answer(answer)
      expect(pause.last.input).toEqual({ forMs: 5_000 })
      pause.answer()
    }
    expect(stage.log).toEqual([null, answers[2]!, answers[4]!, answers[5]!, null].map(told))
  })

  test('a question without an answer is no news, and asked again after the interval', () => {
    const { readLeader, pause, stage } = observe()
    readLeader.answer({ node: 'a', token: 1 })
    pause.answer()
    readLeader.fail()
    expect(stage.log).toHaveLength(1)
    pause.fail()
    readLeader.answer({ node: 'b', token: 2 })
    expect(stage.log).toHaveLength(2)
  })

  test('a session that opens is a reason to ask at once', () => {
    const { actor, readLeader, pause } = observe()
    actor.send({ type: 'session.opened', session: 's1' })
    expect(readLeader.made).toHaveLength(1)
    readLeader.answer(null)
    actor.send({ type: 'session.lost', session: 's1', reason: 'expired' })
    expect(pause.open).toHaveLength(1)
    actor.send({ type: 'session.opened', session: 's2' })
    expect(readLeader.open).toHaveLength(1)
    expect(pause.open).toEqual([])
  })

  test.each(['asking', 'waiting'])('a stop while %s is its end, and nobody is told any more', (where) => {
    const { actor, readLeader, stage } = observe()
    const question = readLeader.last
    if (where === 'waiting') readLeader.answer(null)
    stage.take()
    actor.send({ type: 'observer.stop' })
    question.answer({ node: 'a', token: 1 })
    expect(actor.getSnapshot().status).toBe('done')
    expect(stage.log).toEqual([])
  })
})

describe('every state and every event', () => {
  const events: Readonly<Record<Event['type'], true>> = {
    'session.opened': true,
    'session.lost': true,
    'store.restarted': true,
    'observer.stop': true,
  }

  test('no event is left without an answer', () => {
    expect(unanswered(observerMachine, Object.keys(events))).toEqual([])
  })

  test('no failure of what it invokes is left without an answer', () => {
    expect(unhandledFailures(observerMachine)).toEqual([])
  })

  test('every state was reached here', () => {
    expect(unreached(observerMachine)).toEqual([])
  })
})
