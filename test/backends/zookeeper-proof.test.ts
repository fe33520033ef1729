/** From when a session's time counts, by what the ensemble has answered. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Proof } from '../../src/backends/zookeeper/proof.ts'

const TICK_MS = 100

describe('the proof of a session', () => {
  let nowMs: number
  let proof: Proof

  /** Something is sent at this time, and answered soon. */
  const read = (sentMs: number, tookMs = 1) => {
    nowMs = sentMs + tookMs
    proof.answered(sentMs)
  }
  const write = (sentMs: number, tookMs = 1) => {
    read(sentMs, tookMs)
    proof.committed(sentMs)
  }
  /** Less the tick that is taken off. */
  const provenAtMs = (sentMs: number) => sentMs - proof.agoMs(sentMs) + TICK_MS

  beforeEach(() => {
    proof = new Proof(TICK_MS, { now: () => nowMs, wallMs: () => 0 })
    proof.connected(1_000)
  })

  it('begins with the greeting, once a write has followed', () => {
    read(1_002)
    write(1_004)
    expect(provenAtMs(1_004)).toBe(1_000)
  })

  it('is by one tick less than what is proven', () => {
    write(1_004)
    expect(proof.agoMs(1_504)).toBe(504 + TICK_MS)
  })

  it('needs more than reads and pings, however many', () => {
    write(1_004)
    for (let sentMs = 1_050; sentMs < 3_000; sentMs += 50) read(sentMs)
    expect(provenAtMs(3_000)).toBe(1_000)
  })

  it('is the last contact that was answered a tick before the write was sent', () => {
    read(1_300)
    read(1_400)
    read(1_450, 60)
    write(1_600)
    expect(provenAtMs(1_600)).toBe(1_400)
    write(1_611)
    expect(provenAtMs(1_611)).toBe(1_450)
  })

  it('does not count what was answered within the last tick', () => {
    write(1_300)
    write(1_350)
    expect(provenAtMs(1_350)).toBe(1_000)
    write(1_402)
    expect(provenAtMs(1_402)).toBe(1_300)
  })

  it('does not count a slow answer from when it was sent to when it came', () => {
    read(1_300, 250)
    write(1_600)
    expect(provenAtMs(1_600)).toBe(1_000)
    write(1_651)
    expect(provenAtMs(1_651)).toBe(1_300)
  })

  it('never goes back, and counts on nothing that was heard on an earlier connection', () => {
    read(1_300)
    write(1_500)
    expect(provenAtMs(1_500)).toBe(1_300)
    read(1_600)
    proof.connected(1_700)
    expect(provenAtMs(1_701)).toBe(1_300)
    write(1_702)
    expect(provenAtMs(1_702)).toBe(1_700)
  })

  it('is as good with thousands of contacts as with few', () => {
    for (let sentMs = 1_001; sentMs < 11_000; sentMs += 1) read(sentMs)
    write(11_000)
    expect(provenAtMs(11_000)).toBeGreaterThan(11_000 - TICK_MS * 1.2)
    expect(provenAtMs(11_000)).toBeLessThanOrEqual(11_000 - TICK_MS)
  })

  it('is as good after a long rest as before', () => {
    for (let sentMs = 1_001; sentMs < 3_000; sentMs += 1) read(sentMs)
    write(60_000)
    expect(provenAtMs(60_000)).toBeGreaterThan(2_980)
    write(61_000)
    expect(provenAtMs(61_000)).toBe(60_000)
  })
})
