import { describe, expect, it } from 'vitest'
import type { EventReport } from '../../src/telemetry/event-object.ts'
import { EventSeriesBook } from '../../src/telemetry/event-series.ts'

const minuteMs = 60_000

function report(uid: string, change: Partial<EventReport> = {}): EventReport {
  const regarding = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop', uid } }
  return { regarding, type: 'Normal', reason: 'Created', action: 'Apply', note: 'Created.', ...change }
}

describe('EventSeriesBook', () => {
  it('counts equal reports about one object', () => {
    const book = new EventSeriesBook()
    const first = book.admit(report('u1'), 0)
    const again = book.admit(report('u1'), minuteMs)
    expect(first.kind).toBe('first')
    expect(again).toEqual({ kind: 'repeat', series: { first: report('u1'), count: 2, lastSeenMs: minuteMs } })
  })

  it.each<Partial<EventReport>>([{ type: 'Warning' }, { reason: 'Other' }, { action: 'Other' }, { note: 'Other.' }])(
    'treats %j as a different report',
    (change) => {
      const book = new EventSeriesBook()
      book.admit(report('u1'), 0)
      expect(book.admit(report('u1', change), 0).kind).toBe('first')
    },
  )

  it('distinguishes objects by UID, and those without one by name', () => {
    const book = new EventSeriesBook()
    book.admit(report('u1'), 0)
    expect(book.admit(report('u2'), 0).kind).toBe('first')
    const nameless = { ...report('x').regarding, metadata: { name: 'a' } }
    expect(book.admit(report('x', { regarding: nameless }), 0).kind).toBe('first')
    expect(book.admit(report('x', { regarding: nameless }), 0).kind).toBe('repeat')
  })

  it('ends a series six minutes after its last report, not after its first', () => {
    const book = new EventSeriesBook()
    book.admit(report('u1'), 0)
    expect(book.admit(report('u1'), 6 * minuteMs).kind).toBe('repeat')
    expect(book.admit(report('u1'), 12 * minuteMs).kind).toBe('repeat')
    expect(book.admit(report('u1'), 18 * minuteMs + 1).kind).toBe('first')
  })

  it('allows one object 25 Events at once and then one in five minutes, independent of others', () => {
    const book = new EventSeriesBook()
    const kinds = Array.from({ length: 40 }, (_, index) => book.admit(report('spam', { note: `${index}` }), 0))
    expect(kinds.filter(({ kind }) => kind === 'first')).toHaveLength(25)
    expect(kinds.at(-1)).toEqual({ kind: 'drop', reason: 'object' })
    expect(book.admit(report('other'), 0).kind).toBe('first')
    expect(book.admit(report('spam', { note: 'later' }), 5 * minuteMs + 1).kind).toBe('first')
    expect(book.admit(report('spam', { note: 'later still' }), 5 * minuteMs + 1).kind).toBe('drop')
  })

  it('remembers only a bounded number of recent objects', () => {
    const book = new EventSeriesBook()
    for (let index = 0; index < 25; index++) book.admit(report('spam', { note: `${index}` }), 0)
    for (let index = 0; index < 1_024; index++) book.admit(report(`u${index}`), 6 * minuteMs + 1)
    const later = Array.from({ length: 25 }, (_, index) =>
      book.admit(report('spam', { note: `${index}` }), 12 * minuteMs + 2),
    )
    expect(later.filter(({ kind }) => kind === 'first')).toHaveLength(25)
  })

  it('remembers a bounded number of series, and has room again after their end', () => {
    const book = new EventSeriesBook()
    const decisions = Array.from({ length: 2_000 }, (_, index) => book.admit(report(`u${index}`), 0))
    expect(decisions.filter(({ kind }) => kind === 'first')).toHaveLength(1_024)
    expect(decisions.at(-1)).toEqual({ kind: 'drop', reason: 'memory' })
    expect(book.admit(report('u0'), minuteMs).kind).toBe('repeat')
    expect(book.admit(report('new'), 6 * minuteMs + 1).kind).toBe('first')
    expect(book.admit(report('u0'), 6 * minuteMs + 1).kind).toBe('repeat')
  })
})
