import { describe, expect, it } from 'vitest'
import { EventBook, type PodReport } from '../../src/local-node/event-book.ts'
import { aPod } from './pods.ts'

const startMs = Date.UTC(2026, 0, 1)
const started: PodReport = { type: 'Normal', reason: 'Started', message: 'Container started', container: 'main' }
const unhealthy = (message: string): PodReport => ({ type: 'Warning', reason: 'Unhealthy', message, container: 'main' })

describe('the Events of a node', () => {
  it('equal a kubelet’s', () => {
    const write = new EventBook('local').admit(aPod(), started, startMs)
    expect(write).toEqual({
      isNew: true,
      event: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'default', name: `pod.${(BigInt(startMs) * 1_000_000n).toString(16)}` },
        involvedObject: {
          kind: 'Pod',
          namespace: 'default',
          name: 'pod',
          uid: 'uid-1',
          apiVersion: 'v1',
          resourceVersion: '1',
          fieldPath: 'spec.containers{main}',
        },
        type: 'Normal',
        reason: 'Started',
        message: 'Container started',
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'kubelet', host: 'local' },
        reportingComponent: 'kubelet',
        reportingInstance: 'local',
      },
    })
  })

  it('count repeated reports', () => {
    const book = new EventBook('local')
    const first = book.admit(aPod(), started, startMs)
    const second = book.admit(aPod(), started, startMs + 5_000)
    expect(second).toMatchObject({ isNew: false, event: { count: 2, metadata: first?.event.metadata } })
    expect(second?.event).toMatchObject({
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:05Z',
    })
    expect(book.admit(aPod(), { ...started, container: 'side' }, startMs)?.isNew).toBe(true)
    expect(book.admit(aPod({ metadata: { uid: 'uid-2' } }), started, startMs)?.isNew).toBe(true)
  })

  it('combine ten messages of one reason in one Event, until ten minutes pass without one', () => {
    const book = new EventBook('local')
    const said = (index: number, nowMs = startMs) => book.admit(aPod(), unhealthy(`no ${index}`), nowMs)?.event
    const messages = Array.from({ length: 12 }, (_, index) => said(index)?.message)
    expect(messages.slice(8)).toEqual([
      'no 8',
      '(combined from similar events): no 9',
      '(combined from similar events): no 10',
      '(combined from similar events): no 11',
    ])
    expect(said(12)).toMatchObject({ count: 4 })
    expect(said(13, startMs + 600_001)?.message).toBe('no 13')
  })

  it('are limited to 25 of a pod and type at once, then one in five minutes', () => {
    const book = new EventBook('local')
    const isTold = (nowMs: number) => book.admit(aPod(), started, nowMs) !== undefined
    expect(Array.from({ length: 26 }, () => isTold(startMs)).lastIndexOf(true)).toBe(24)
    expect(isTold(startMs + 200_000)).toBe(false)
    expect([isTold(startMs + 300_002), isTold(startMs + 300_003)]).toEqual([true, false])
    expect(book.admit(aPod(), unhealthy('no'), startMs)).toBeDefined()
  })
})
