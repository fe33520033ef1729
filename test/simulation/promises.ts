/** What is promised, by the file that holds it, and which plans try to break it. All checkers watch in every plan. */
import type { PlanChoice } from './plans.ts'

export interface Promised {
  /** The name of the test. */
  readonly says: string
  readonly plans: PlanChoice
  /** How many plans `npm test` plays. */
  readonly runs: number
}

export const promises = {
  '01-one-term-at-a-time': [
    {
      says: 'a lease never has two exclusive terms at once, whatever happens to nodes, clocks and messages',
      plans: {
        nodes: [2, 4],
        duties: 'elections',
        schedules: 'never',
        works: ['well-behaved', 'slow', 'stubborn'],
        mostFaults: 12,
      },
      runs: 150,
    },
    {
      says: 'a lease never has two exclusive terms at once, though its store freezes, restarts and forgets',
      plans: { nodes: [2, 3], faults: ['freeze', 'restart', 'cut', 'weather', 'pause', 'crash'], mostFaults: 10 },
      runs: 100,
    },
    {
      says: 'a term is valid for as long as was confirmed and no longer, though clocks drift, machines sleep and answers are late',
      plans: {
        nodes: [2, 3],
        faults: ['sleep', 'pause', 'wall-step', 'weather', 'cut', 'freeze'],
        works: ['well-behaved', 'slow'],
        schedules: 'never',
        mostFaults: 12,
      },
      runs: 100,
    },
  ],
  '02-tokens-only-grow': [
    {
      says: 'each term has a greater token than all before it, across crashes and stores that lose their data',
      plans: {
        nodes: [1, 4],
        faults: ['restart', 'crash', 'weather', 'freeze', 'stop-task'],
        works: ['well-behaved', 'returning'],
      },
      runs: 120,
    },
  ],
  '03-a-run-keeps-its-own-term': [
    {
      says: 'a run sees the term that it was started in and never a later one',
      plans: {
        works: ['stubborn', 'never-settling', 'slow'],
        faults: ['step-down', 'cut', 'pause', 'restart', 'stop-task', 'stop-client'],
      },
      runs: 100,
    },
  ],
  '04-work-runs-once-per-term': [
    {
      says: 'work that returns early, throws or never settles is run once in its term, and its term goes on',
      plans: {
        duties: 'elections',
        schedules: 'never',
        works: ['returning', 'throwing', 'never-settling', 'machine'],
        faults: ['step-down', 'cut', 'pause', 'restart', 'stop-task', 'stop-client', 'weather'],
      },
      runs: 100,
    },
  ],
  '05-handover-in-order': [
    {
      says: 'the work is interrupted, then it exits or runs out of time, and only then its lease is released',
      plans: {
        works: ['well-behaved', 'slow', 'stubborn', 'never-settling', 'machine'],
        faults: ['step-down', 'stop-task', 'stop-client', 'flicker', 'crash', 'weather', 'cut', 'pause', 'restart'],
        mostFaults: 10,
      },
      runs: 150,
    },
  ],
  '06-a-revoked-term-is-told': [
    {
      says: '`signal`, `revoked` and `isValid` tell the same, once, and the clock tells it first',
      plans: { nodes: [1, 3], works: ['well-behaved', 'slow'], schedules: 'never', mostFaults: 12 },
      runs: 120,
    },
  ],
  '07-failed-work-never-hurts-the-election': [
    {
      says: 'work that throws at once, later, fatally or never settles is published as what it is, and harms no term',
      plans: { works: ['throwing', 'never-settling', 'returning', 'stopping-itself', 'machine'], mostFaults: 6 },
      runs: 120,
    },
  ],
  '08-schedules': [
    {
      says: 'a fixed rate starts on its grid and never twice in a slot, a fixed delay counts from the end of a run',
      plans: {
        nodes: [1, 2],
        schedules: 'always',
        works: ['well-behaved', 'slow', 'throwing', 'stubborn', 'machine'],
        mostFaults: 5,
      },
      runs: 120,
    },
    {
      says: 'after a pause or a sleep, a fixed rate goes on in its grid, and what it has missed is left out',
      plans: {
        nodes: [1, 2],
        schedules: 'always',
        works: ['well-behaved', 'slow'],
        faults: ['pause', 'sleep', 'wall-step'],
        mostFaults: 8,
      },
      runs: 60,
    },
  ],
  '09-stop-is-complete': [
    {
      says: 'a stop resolves within its bound and leaves no work, lease, session, timer, connection, listener or promise',
      plans: {
        works: ['well-behaved', 'slow', 'stubborn', 'never-settling', 'stopping-itself', 'machine'],
        faults: ['stop-client', 'stop-task', 'flicker', 'cut', 'freeze', 'weather', 'pause', 'restart', 'step-down'],
        mostFaults: 10,
      },
      runs: 150,
    },
  ],
  '10-partitions': [
    {
      says: 'a partition has one term at a time, moves only when a view gives it away, and a group that stops leaves first',
      plans: {
        nodes: [2, 4],
        duties: 'groups',
        works: ['well-behaved', 'slow', 'returning'],
        faults: ['crash', 'stop-client', 'stop-task', 'flicker', 'cut', 'weather', 'pause', 'restart', 'step-down'],
      },
      runs: 120,
    },
  ],
  '11-a-calm-cluster-gets-a-leader': [
    {
      says: 'when the faults end, each lease that somebody wants is led within the bound, all views agree, and nothing moves any more',
      plans: {
        nodes: [1, 4],
        works: ['well-behaved', 'slow', 'stubborn', 'never-settling', 'returning', 'throwing', 'machine'],
        mostFaults: 12,
      },
      runs: 150,
    },
  ],
} as const satisfies Readonly<Record<string, readonly Promised[]>>

export type PromiseFile = keyof typeof promises
