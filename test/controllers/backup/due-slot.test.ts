// Next backup of a schedule. Invariant: each scheduled time starts one backup, also after downtime, clock jumps and
// long backups.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  childName,
  dueSlot,
  mostMissed,
  overdueReason,
  type ScheduleState,
} from '../../../src/controllers/backup/due-slot.ts'
import { readSchedule } from '../../../src/controllers/backup/schedule.ts'

const ms = (text: string) => Date.parse(text)
const hour = 3_600_000

function scheduleOf(expression: string) {
  const reading = readSchedule({ expression }, ms('2026-03-01T00:00:00Z'))
  if (reading.kind === 'refused') throw new Error(reading.message)
  return reading.schedule
}

const nightly: ScheduleState = {
  schedule: scheduleOf('30 2 * * *'),
  isSuspended: false,
  createdAtMs: ms('2026-03-01T12:00:00Z'),
  isImmediate: false,
  handledSlotMs: ms('2026-03-09T02:30:00Z'),
  startingDeadlineMs: hour,
  concurrency: 'Forbid',
  active: [],
  proving: [],
}
const tenth = ms('2026-03-10T02:30:00Z')
const eleventh = ms('2026-03-11T02:30:00Z')

describe('a due scheduled time', () => {
  it.each([
    ['waits for the next', {}, '2026-03-10T02:29:59Z', { kind: 'wait', because: 'NextSlot', untilMs: tenth }],
    ['begins at its moment', {}, '2026-03-10T02:30:00Z', { kind: 'begin', slotMs: tenth, replaces: [], missed: 0 }],
    ['begins late', {}, '2026-03-10T03:30:00Z', { kind: 'begin', slotMs: tenth, replaces: [], missed: 0 }],
    [
      'is given up when it is too late',
      {},
      '2026-03-10T03:30:01Z',
      { kind: 'wait', because: 'NextSlot', untilMs: eleventh, givenUp: tenth },
    ],
    [
      'is the last of those missed',
      { handledSlotMs: ms('2026-03-06T02:30:00Z') },
      '2026-03-10T02:31:00Z',
      { kind: 'begin', slotMs: tenth, replaces: [], missed: 3 },
    ],
    [
      'is none from before the schedule was made',
      { createdAtMs: tenth + 1, handledSlotMs: undefined },
      '2026-03-10T02:31:00Z',
      { kind: 'wait', because: 'NextSlot', untilMs: eleventh },
    ],
    [
      'is the moment at which the schedule was made, by immediate',
      { isImmediate: true, createdAtMs: tenth - hour, handledSlotMs: undefined },
      '2026-03-10T01:30:07Z',
      { kind: 'begin', slotMs: tenth - hour, replaces: [], missed: 0 },
    ],
    [
      'is that moment once, by immediate',
      { isImmediate: true, createdAtMs: tenth - hour, handledSlotMs: tenth - hour },
      '2026-03-10T01:30:08Z',
      { kind: 'wait', because: 'NextSlot', untilMs: tenth },
    ],
    [
      'is not that moment when it is too late for it, by immediate',
      { isImmediate: true, createdAtMs: tenth + 1, handledSlotMs: undefined },
      '2026-03-10T03:30:01Z',
      { kind: 'wait', because: 'NextSlot', untilMs: eleventh, givenUp: tenth + 1 },
    ],
    [
      'is a later slot where that has passed, by immediate',
      { isImmediate: true, createdAtMs: tenth - 1, handledSlotMs: undefined },
      '2026-03-10T02:30:00Z',
      { kind: 'begin', slotMs: tenth, replaces: [], missed: 0 },
    ],
    ['rests while suspended', { isSuspended: true }, '2026-03-10T02:31:00Z', { kind: 'wait', because: 'Suspended' }],
    [
      'waits for one under way',
      { active: ['old'] },
      '2026-03-10T02:31:00Z',
      { kind: 'wait', because: 'Running', untilMs: tenth + hour + 1 },
    ],
    [
      'replaces one under way',
      { active: ['old'], concurrency: 'Replace' },
      '2026-03-10T02:31:00Z',
      { kind: 'begin', slotMs: tenth, replaces: ['old'], missed: 0 },
    ],
    [
      'waits for one that is being proven',
      { proving: ['old'] },
      '2026-03-10T02:31:00Z',
      { kind: 'wait', because: 'Running', untilMs: tenth + hour + 1 },
    ],
    [
      'begins beside one that is being proven, where it replaces',
      { proving: ['old'], concurrency: 'Replace' },
      '2026-03-10T02:31:00Z',
      { kind: 'begin', slotMs: tenth, replaces: [], missed: 0 },
    ],
    [
      'has had its turn, though the clock went back',
      { handledSlotMs: tenth },
      '2026-03-10T02:00:00Z',
      { kind: 'wait', because: 'NextSlot', untilMs: eleventh },
    ],
  ] as const)('%s', (_, changes, now, expected) => {
    expect(dueSlot({ ...nightly, ...changes }, ms(now))).toEqual(expected)
  })

  it('counts missed times up to a limit', () => {
    const state = { ...nightly, schedule: scheduleOf('*/5 * * * *') }
    expect(dueSlot(state, ms('2026-03-12T00:00:00Z'))).toMatchObject({ kind: 'begin', missed: mostMissed })
  })

  it('starts one backup, in order, for any clock jump', () => {
    const jump = fc.integer({ min: -3 * 24, max: 3 * 24 })
    fc.assert(
      fc.property(fc.array(jump, { maxLength: 30 }), (hours) => {
        let handled = nightly.handledSlotMs ?? 0
        let now = handled
        for (const step of hours) {
          now += step * hour
          const due = dueSlot({ ...nightly, handledSlotMs: handled }, now)
          const slot = due.kind === 'begin' ? due.slotMs : due.givenUp
          if (slot === undefined) continue
          expect(slot).toBeGreaterThan(handled)
          expect(slot).toBeLessThanOrEqual(now)
          handled = slot
        }
      }),
      { numRuns: 200 },
    )
  })

  it('names its backup by its minute', () => {
    expect(childName('shop-nightly', tenth)).toBe('shop-nightly-29551830')
  })
})

describe('a working schedule', () => {
  const succeededSlotMs = ms('2026-03-09T02:30:00Z')
  const state = { ...nightly, succeededSlotMs, hasSucceeded: true, graceMs: 2 * hour }
  it.each([
    ['is not overdue within its grace', {}, '2026-03-10T04:29:59Z', undefined],
    ['is overdue after it', {}, '2026-03-10T04:30:00Z', 'MissedSchedule'],
    ['is not overdue once it succeeded', { succeededSlotMs: tenth }, '2026-03-10T04:30:00Z', undefined],
    [
      'is not before its first slot',
      { createdAtMs: tenth + 1, succeededSlotMs: undefined },
      '2026-03-11T02:00:00Z',
      undefined,
    ],
    ['has none left', { succeededSlotMs: undefined }, '2026-03-10T04:30:00Z', 'MissedSchedule'],
    ['never succeeded', { succeededSlotMs: undefined, hasSucceeded: false }, '2026-03-10T04:30:00Z', 'NeverSucceeded'],
    ['is not while suspended', { isSuspended: true }, '2026-03-20T04:30:00Z', undefined],
  ] as const)('%s', (_, changes, now, expected) => {
    expect(overdueReason({ ...state, ...changes }, ms(now))).toBe(expected)
  })
})
