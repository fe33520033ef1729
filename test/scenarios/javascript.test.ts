/** Stories about what is peculiar to JavaScript. */
import { expect } from 'vitest'
import { ingest, story } from './story.ts'

story(
  'work that throws at once, and listeners that throw, harm neither their election nor the process',
  {
    hazards: ['kimi-code#3829'],
    nodes: { ann: {}, ben: {} },
    duties: [ingest, { name: 'report', work: { kind: 'throwing', afterMs: 0, isFatal: false } }],
  },
  async ({ ann, ben }, stage) => {
    ann.machine.simba.on('*', ({ type }) => {
      if (type === 'term.started' || type === 'term.ended') throw new Error('This listener is broken.')
    })
    const first = await ann.toLead('ingest', '1s')
    const report = await ann.toLead('report', '1s')
    await stage.pass('10s')
    expect(stage.events('work.completed')).toMatchObject([{ lease: 'report', outcome: 'FAILED' }])
    // The term goes on without its work, until it is ended.
    expect(report.term.isValid).toBe(true)
    expect(first.term.isValid).toBe(true)
    await stage.settled(ann.stop(), '1s')
    await ben.toLead('report', '1s')
    await ben.toLead('ingest', '1s')
  },
)
