/** Stories about schedules. */
import { expect } from 'vitest'
import type { Duty } from '../simulation/plan.ts'
import { story } from './story.ts'

const EACH_SECOND: Duty = {
  name: 'report',
  work: { kind: 'well-behaved', forMs: 0 },
  schedule: { kind: 'fixedRate', everyMs: 1_000, initialDelayMs: 0 },
}

story(
  'a process that was stopped runs once for all that it has missed, and goes on along its grid',
  { hazards: ['node-schedule#431'], nodes: { ann: {} }, duties: [EACH_SECOND] },
  async ({ ann }, stage) => {
    const term = await ann.toLead('report', '1s')
    await stage.pass('2500ms')
    ann.pause('5s')
    await stage.pass('7s')
    const starts = term.runs.map(({ startedAtMs }) => Math.round(startedAtMs - term.startedAtMs))
    expect(starts).toEqual([0, 1_000, 2_000, 7_500, 8_000, 9_000])
    expect(stage.events('schedule.skipped')).toMatchObject([{ starts: 4 }])
  },
)

story(
  'a machine that slept through its lease runs nothing of the old term, and begins a new grid with the new one',
  { hazards: ['node-schedule#431'], nodes: { ann: {} }, duties: [EACH_SECOND] },
  async ({ ann }, stage) => {
    const first = await ann.toLead('report', '1s')
    await stage.pass('1500ms')
    ann.sleep('3h')
    await stage.pass('3h')
    const wokenMs = stage.nowMs
    const next = await ann.toLead('report', '4s')
    await stage.pass('2500ms')
    expect(first.runs).toHaveLength(2)
    expect(first.ended!.atMs - wokenMs).toBeLessThan(1_000)
    expect(next.runs.map(({ startedAtMs }) => Math.round(startedAtMs - next.startedAtMs))).toEqual([0, 1_000, 2_000])
  },
)

story(
  'a run that takes longer than its slot skips the starts that it has missed, and none comes beside it or in a burst',
  {
    hazards: ['node-schedule#431'],
    nodes: { ann: {} },
    duties: [{ ...EACH_SECOND, work: { kind: 'well-behaved', forMs: 2_500 } }],
  },
  async ({ ann }, stage) => {
    const term = await ann.toLead('report', '1s')
    await stage.pass('10s')
    const starts = term.runs.map(({ startedAtMs }) => Math.round(startedAtMs - term.startedAtMs))
    expect(starts).toEqual([0, 3_000, 6_000, 9_000])
    expect(stage.events('schedule.skipped').map(({ starts }) => starts)).toEqual([2, 2, 2])
  },
)

story(
  'each slot has one run, on clocks that are fast and on clocks that are slow',
  {
    hazards: ['paseo#2819'],
    nodes: { ann: { rate: 1.01, duties: ['fast'] }, ben: { rate: 0.99, duties: ['slow'] } },
    duties: [
      { ...EACH_SECOND, name: 'fast' },
      { ...EACH_SECOND, name: 'slow' },
    ],
  },
  async ({ ann, ben }, stage) => {
    await stage.pass('20s')
    for (const [node, lease, slotMs] of [
      [ann, 'fast', 1_000 / 1.01],
      [ben, 'slow', 1_000 / 0.99],
    ] as const) {
      const term = node.term(lease)
      const slots = term.runs.map(({ startedAtMs }) => (startedAtMs - term.startedAtMs) / slotMs)
      expect(slots.length).toBeGreaterThan(19)
      for (const [index, slot] of slots.entries()) expect(slot).toBeCloseTo(index, 1)
    }
    expect(stage.events('schedule.skipped')).toEqual([])
  },
)

story(
  'a run that throws is published as failed, and neither it nor a listener that throws stops the runs that follow',
  {
    hazards: ['node-cron#581', 'node-cron#399'],
    nodes: { ann: {} },
    duties: [{ ...EACH_SECOND, work: { kind: 'throwing', afterMs: 200, isFatal: false } }],
  },
  async ({ ann }, stage) => {
    ann.machine.simba.on('work.completed', () => {
      throw new Error('This listener is broken.')
    })
    const term = await ann.toLead('report', '1s')
    await stage.pass('3500ms')
    expect(term.runs).toHaveLength(4)
    expect(stage.events('work.completed').map(({ outcome, error }) => [outcome, error?.message])).toEqual(
      Array(4).fill(['FAILED', 'It did not work.']),
    )
    expect(term.term.isValid).toBe(true)
  },
)

story(
  'a wall clock that is set back by an hour stops no schedule',
  { hazards: ['quartznet#1440'], nodes: { ann: {} }, duties: [EACH_SECOND] },
  async ({ ann }, stage) => {
    const term = await ann.toLead('report', '1s')
    await stage.pass('2500ms')
    ann.setWallClock(-3_600_000)
    await stage.pass('4s')
    const starts = term.runs.map(({ startedAtMs }) => Math.round(startedAtMs - term.startedAtMs))
    expect(starts).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000])
    expect(stage.events('term.revoked')).toEqual([])
  },
)
