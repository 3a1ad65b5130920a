import { describe, expect, it } from 'vitest'
import {
  backoffAfterRestart,
  goDuration,
  type RestartBackoff,
  restartDueMs,
} from '../../src/local-node/restart-backoff.ts'

/** Returns the delays before each restart of a container that always runs for `runMs`. */
function waits(runMs: number, restarts: number): number[] {
  let backoff: RestartBackoff | undefined
  let finishedAtMs = runMs
  return Array.from({ length: restarts }, () => {
    const nowMs = restartDueMs(backoff, finishedAtMs)
    const waitMs = nowMs - finishedAtMs
    backoff = backoffAfterRestart(backoff, { finishedAtMs, nowMs })
    finishedAtMs = nowMs + runMs
    return waitMs / 1000
  })
}

describe('the restart backoff', () => {
  it('doubles from 10 s to 5 min after an immediate first restart', () => {
    expect(waits(10, 9)).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300])
  })

  it('resets for a container that ran for more than 10 min', () => {
    expect(waits(600_001, 3)).toEqual([0, 0, 0])
    expect(waits(600_000, 3)).toEqual([0, 10, 20])
  })

  it.each([
    [10_000, '10s'],
    [80_000, '1m20s'],
    [300_000, '5m0s'],
  ])('formats %i ms as Go does', (ms, text) => expect(goDuration(ms)).toBe(text))
})
