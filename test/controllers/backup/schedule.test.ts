// Scheduled times by cron in a time zone, also on the days when the clocks change.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readSchedule, type Schedule } from '../../../src/controllers/backup/schedule.ts'

const ms = (text: string) => Date.parse(text)
const now = ms('2026-03-01T00:00:00Z')

function scheduleOf(expression: string, timeZone?: string): Schedule {
  const reading = readSchedule({ expression, timeZone }, now)
  if (reading.kind === 'refused') throw new Error(reading.message)
  return reading.schedule
}

function slots(schedule: Schedule, after: string, count: number): readonly string[] {
  const found: number[] = []
  for (let slot = schedule.next(ms(after)); slot !== undefined && found.length < count; slot = schedule.next(slot)) {
    found.push(slot)
  }
  return found.map((slot) => new Date(slot).toISOString().slice(0, 16))
}

describe('a schedule', () => {
  it.each([
    ['30 2 * * *', undefined, '2026-03-27T02:30:00Z', ['2026-03-28T02:30', '2026-03-29T02:30', '2026-03-30T02:30']],
    [
      '30 2 * * *',
      'Asia/Kolkata',
      '2026-03-27T00:00:00Z',
      ['2026-03-27T21:00', '2026-03-28T21:00', '2026-03-29T21:00'],
    ],
    // In spring 2:30 does not occur: it counts as the time at which it would have been.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-27T12:00:00Z',
      ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    // In autumn 2:30 occurs twice, and counts once.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
    ],
    ['0 0 29 2 *', undefined, '2026-03-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
  ] as const)('%s in %s after %s', (expression, timeZone, after, expected) => {
    expect(slots(scheduleOf(expression, timeZone), after, expected.length)).toEqual(expected)
  })

  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-25T00:30:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T01:00:00Z'],
    ['0 0 29 2 *', undefined, '2031-12-31T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['*/5 * * * *', undefined, '2026-03-29T01:04:59Z', '2026-03-29T01:00:00Z'],
    ['*/5 * * 1-9 *', undefined, '2026-12-31T23:59:59Z', '2026-09-30T23:55:00Z'],
    ['0 0 * 2 1#5', undefined, '2050-01-01T00:00:00Z', '2044-02-29T00:00:00Z'],
  ] as const)('%s in %s: the last until %s was %s', (expression, timeZone, until, last) => {
    expect(scheduleOf(expression, timeZone).last(ms(until))).toBe(ms(last))
  })

  it.each([
    ['0 0 31 2 *', undefined, 'NoSchedule', /never comes/],
    ['30 2 * *', undefined, 'InvalidSchedule', /five fields/],
    ['0 30 2 * * *', undefined, 'InvalidSchedule', /five fields/],
    ['2026-03-29T02:30', undefined, 'InvalidSchedule', /five fields/],
    ['61 2 * * *', undefined, 'InvalidSchedule', /cannot be read/],
    ['x 2 * * *', undefined, 'InvalidSchedule', /cannot be read/],
    ['30 2 * * *', 'Europe/Berlinn', 'InvalidTimeZone', /no time zone/],
    ['30 2 * * *', '+01:00', 'InvalidTimeZone', /no time zone/],
    ['30 2 * * *', 'E'.repeat(65), 'InvalidTimeZone', /no time zone/],
    [`${'0,'.repeat(60)}0 2 * * *`, undefined, 'InvalidSchedule', /100 characters/],
    ['30 2 29 2 +1', undefined, 'InvalidSchedule', /cannot be read/],
    ['* * * 1-9 *', undefined, 'ScheduleTooFrequent', /1 minute apart.*5 minutes/],
    ['*/4 * * * *', undefined, 'ScheduleTooFrequent', /4 minutes apart/],
    ['0,59 * * * *', undefined, 'ScheduleTooFrequent', /1 minute apart/],
    ['0,58 0,23 * * *', undefined, 'ScheduleTooFrequent', /2 minutes apart/],
  ] as const)('%s in %s is rejected: %s', (expression, timeZone, reason, message) => {
    expect(readSchedule({ expression, timeZone }, now)).toEqual({
      kind: 'refused',
      reason,
      message: expect.stringMatching(message),
    })
  })

  it('has the same scheduled times forwards and backwards, whatever the clocks do', () => {
    const expressions = [
      '30 2 * * *',
      '*/13 1-3 * * *',
      '0 * * * *',
      '15 3 * * 0',
      '0 4 1 * *',
      '0,30 0-3 * * *',
      '*/5 * * * *',
    ]
    const zones = Intl.supportedValuesOf('timeZone')
    const minute = fc.integer({ min: 0, max: 2 * 366 * 24 * 60 })
    fc.assert(
      fc.property(fc.constantFrom(...expressions), fc.constantFrom(...zones), minute, (expression, zone, minutes) => {
        const schedule = scheduleOf(expression, zone)
        const at = ms('2026-01-01T00:00:00Z') + minutes * 60_000 + 30_000
        const last = schedule.last(at) ?? Number.NaN
        const next = schedule.next(at) ?? Number.NaN
        expect(last).toBeLessThanOrEqual(at)
        expect(next).toBeGreaterThan(at)
        expect(schedule.next(last)).toBe(next)
        expect(schedule.last(next)).toBe(next)
        expect(schedule.last(next - 1)).toBe(last)
      }),
      { numRuns: 500 },
    )
  })

  it.each([['0,59 3 * * *'], ['58 23 * * *'], ['*/5 * * * *'], ['0-59/5 0-23 1-31 JAN-DEC MON-SUN']])(
    'accepts %s, whose times are at least five minutes apart',
    (expression) => {
      expect(readSchedule({ expression }, now).kind).toBe('schedule')
    },
  )
})

describe('one observation of a schedule', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Scoresbysund']
  const worst = [
    ...['* * * 1-9 *', '*/5 * * 1-9 *', '*/5 * * 2 *', '*/5 * 29 2 *', '*/5 0 29 2 *', '0 0 29 2 *', '0 0 * 2 1#5'],
    ...['0 0 31 2,4,6,9,11 *', '59 23 30,31 2 *', '0 0 31W 2,4,6,9,11 *', '0 0 30W,31W 2 *', '*/5 * 31 2,4,6,9,11 *'],
    ...[
      '0 0 LW 2 *',
      '0 0 L 2 *',
      '0 0 * * 0L',
      '*/5 * 1W,2W,3W,4W,5W,6W,7W,8W,9W 1 *',
      '*/5 * * 2 0#5,1#5,2#5,3#5,4#5',
    ],
  ]

  it.each(worst.flatMap((expression) => zones.map((zone) => [expression, zone] as const)))(
    'has bounded cost for %s in %s: every calendar computation is counted',
    (expression, timeZone) => {
      // Each step of the search computes a date from its parts.
      const steps = vi.spyOn(Date, 'UTC')
      onTestFinished(() => steps.mockRestore())
      for (const at of [
        '2026-11-05T10:00:00Z',
        '2026-12-31T23:59:59Z',
        '2028-02-28T23:59:59Z',
        '2098-12-31T00:00:00Z',
      ]) {
        steps.mockClear()
        const reading = readSchedule({ expression, timeZone }, ms(at))
        if (reading.kind === 'schedule') {
          const last = reading.schedule.last(ms(at))
          if (last !== undefined) reading.schedule.next(last)
        }
        expect(steps.mock.calls.length).toBeLessThan(10_000)
      }
    },
  )

  it('keeps one calendar of a time zone, for all spellings of its name', () => {
    const made = vi.spyOn(Intl, 'DateTimeFormat')
    onTestFinished(() => made.mockRestore())
    const spellings = Array.from({ length: 64 }, (_, at) =>
      [...'pacific/chatham'].map((letter, bit) => ((at >> bit) & 1 ? letter.toUpperCase() : letter)).join(''),
    )
    const kept = () => made.mock.calls.filter(([language]) => language === 'en-US').length
    for (const timeZone of spellings) scheduleOf('30 2 * * *', timeZone).last(now)
    expect(kept()).toBeLessThanOrEqual(1)
  })
})
