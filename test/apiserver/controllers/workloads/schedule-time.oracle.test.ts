import { describe, expect, it } from 'vitest'
import { parseSchedule } from '../../../../src/apiserver/built-in/cron-schedule.ts'
import { nextScheduled } from '../../../../src/apiserver/controllers/workloads/schedule-time.ts'
import { zoneOffset } from '../../../../src/apiserver/controllers/workloads/zone-offset.ts'
import type { Json } from '../../../../src/base/json.ts'
import { oracleRuns } from '../../../oracles/field-errors.ts'
import { ask } from '../../../oracles/oracle.ts'
import { Dice } from '../../built-in/object-mutations.ts'

interface Question {
  readonly schedule: string
  readonly zone: string
  /** Seconds since the epoch. */
  readonly after: number
  readonly count: number
}

/** Zones whose clocks change at night, at midnight, by half an hour, or never. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kolkata'],
  ...['America/Havana', 'Africa/Cairo', 'Asia/Beirut', 'America/St_Johns', 'Asia/Kathmandu'],
  ...['Europe/London', 'America/Santiago', 'Antarctica/Troll', 'Pacific/Chatham', 'Asia/Tehran'],
]
const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const
const descriptors = [
  '@yearly',
  '@monthly',
  '@weekly',
  '@daily',
  '@hourly',
  '@every 90s',
  '@every 1h30m',
  '@every 500ms',
]
const [firstSecond, lastSecond] = [Date.UTC(2005, 0) / 1_000, Date.UTC(2020, 0) / 1_000]

describe('the times of a schedule', () => {
  it('equal those of the control plane in every zone, across every clock change', async () => {
    const dice = new Dice(17)
    const questions = Array.from({ length: oracleRuns(4_000) }, () => questionOf(dice))
    const answers = await ask('cron', questions as unknown as readonly Json[]) // Plain objects all of them.
    const differing = questions.flatMap((question, index) => {
      const theirs = answers[index]?.value ?? answers[index]?.error
      const ours = timesOf(question)
      return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ question, ours, theirs }]
    })
    expect(differing.slice(0, 3), `${differing.length} of ${questions.length} differ`).toEqual([])
  })
})

function questionOf(dice: Dice): Question {
  const schedule =
    dice.below(20) === 0 ? dice.pick(descriptors) : bounds.map(([min, max]) => fieldOf(dice, min, max)).join(' ')
  const zone = dice.pick(zones)
  const after = firstSecond + dice.below(lastSecond - firstSecond)
  return { schedule, zone, after: dice.below(2) === 0 ? beforeChange(zone, after) : after, count: 5 }
}

function fieldOf(dice: Dice, min: number, max: number): string {
  if (dice.below(3) === 0) return dice.pick(['*', '*', '?'])
  return Array.from({ length: dice.below(3) === 0 ? 2 : 1 }, () => {
    const start = min + dice.below(max - min + 1)
    const range =
      dice.below(3) === 0 ? `${start}-${start + dice.below(max - start + 1)}` : dice.below(3) === 0 ? '*' : `${start}`
    return dice.below(3) === 0 ? `${range}/${1 + dice.below(max)}` : range
  }).join(',')
}

/** Returns a time some hours before the next clock change of a zone. */
function beforeChange(zone: string, after: number): number {
  const offset = zoneOffset(zone)
  const day = 86_400
  for (let at = after; at < after + 366 * day; at += day)
    if (offset(at * 1_000) !== offset((at + day) * 1_000)) return at - (after % 7_200)
  return after
}

function timesOf({ schedule, zone, after, count }: Question): readonly (number | null)[] | string {
  const parsed = parseSchedule(schedule)
  if ('fault' in parsed) return parsed.fault
  const offset = zoneOffset(zone)
  const times: (number | null)[] = []
  let at: number | undefined = after * 1_000
  while (times.length < count && at !== undefined) {
    at = nextScheduled(parsed.schedule, at, offset)
    times.push(at === undefined ? null : at / 1_000)
  }
  return times
}
