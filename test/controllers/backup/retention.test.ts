// Retention of backups by keep counts of days, weeks and months. Invariant: retention keeps every backup that a restore
// needs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RetainedBackup, type RetentionPolicy, retain } from '../../../src/controllers/backup/retention.ts'

const ms = (text: string) => Date.parse(text)
const day = 86_400_000
const now = ms('2026-04-30T12:00:00Z')
const policy: RetentionPolicy = { keepLast: 1, timeZone: 'UTC' }

function backup(takenAt: string, changes: Partial<RetainedBackup> = {}): RetainedBackup {
  return { name: takenAt, takenAtMs: ms(takenAt), state: 'Completed', isVerified: false, ...changes }
}

/** One backup each night at 02:30. */
const nights = Array.from({ length: 100 }, (_, back) =>
  backup(`${new Date(now - back * day).toISOString().slice(0, 10)}T02:30:00Z`),
)
const removedOf = (backups: readonly RetainedBackup[], changes: Partial<RetentionPolicy>) =>
  retain(backups, { ...policy, ...changes }, now).removed
const keptOf = (backups: readonly RetainedBackup[], changes: Partial<RetentionPolicy>) =>
  [...retain(backups, { ...policy, ...changes }, now).kept.keys()].map((name) => name.slice(0, 10)).sort()

describe('retention', () => {
  it('keeps the last backups', () => {
    expect(keptOf(nights, { keepLast: 3 })).toEqual(['2026-04-28', '2026-04-29', '2026-04-30'])
  })

  it('keeps the newest backup of each day, week and month', () => {
    expect(keptOf(nights, { keepDaily: 2, keepWeekly: 3, keepMonthly: 3 })).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-19', // A Sunday: the last day of its week.
      '2026-04-26',
      '2026-04-29',
      '2026-04-30',
    ])
  })

  it('counts only days that have a backup', () => {
    const few = [backup('2026-04-30T02:30:00Z'), backup('2026-04-02T02:30:00Z'), backup('2026-04-01T02:30:00Z')]
    expect(keptOf(few, { keepDaily: 2 })).toEqual(['2026-04-02', '2026-04-30'])
  })

  it("begins a day at midnight of the policy's time zone", () => {
    const two = [backup('2026-03-29T21:30:00Z'), backup('2026-03-29T22:30:00Z'), backup('2026-04-30T00:00:00Z')]
    expect(removedOf(two, { keepDaily: 3 })).toEqual(['2026-03-29T21:30:00Z'])
    // In Berlin the second one is from the next day, because the clocks went forward that night.
    expect(removedOf(two, { keepDaily: 3, timeZone: 'Europe/Berlin' })).toEqual([])
  })

  it('removes backups that are too old, but not the last one', () => {
    expect(keptOf(nights, { keepMonthly: 3, maxAgeMs: 40 * day })).toEqual(['2026-03-31', '2026-04-30'])
    expect(keptOf(nights.slice(60), { keepLast: 2, maxAgeMs: day })).toHaveLength(2)
  })

  it('removes nothing for its age when no newer backup exists, or when a clock is ahead', () => {
    const rules = { ...policy, keepDaily: 20, maxAgeMs: 30 * day }
    expect(retain(nights.slice(0, 20), rules, now + 365 * day).removed).toEqual([])
  })

  it('keeps the newest backup of an earlier Database of the name, and the newest verified one', () => {
    const of = (databaseUID: string, index: number, isVerified = false) => ({
      ...(nights[index] ?? backup('none')),
      ...{ databaseUID, isVerified },
    })
    const lost = [of('lost', 4), of('lost', 5), of('lost', 6, true), of('lost', 7, true)]
    const given = [of('again', 0, true), of('again', 1, true), of('again', 2, true), of('other', 3), ...lost]
    const { kept, removed } = retain(given, { ...policy, keepLast: 2 }, now)
    expect([...kept.keys()].map((name) => name.slice(5, 10))).toEqual(['04-30', '04-29', '04-27', '04-26', '04-24'])
    expect(removed.map((name) => name.slice(5, 10))).toEqual(['04-23', '04-25', '04-28'])
  })

  it('keeps the backup that a Database is restored from, however old it is', () => {
    const awaited = backup('2025-01-01T02:30:00Z', { isAwaited: true })
    const { kept, removed } = retain([...nights, awaited], { ...policy, maxAgeMs: day }, now)
    expect(kept.get(awaited.name)).toEqual(['Awaited'])
    expect(removed).not.toContain(awaited.name)
  })

  it('keeps the newest verified backup, however old it is', () => {
    const verified = backup('2025-01-01T02:30:00Z', { isVerified: true })
    const older = backup('2024-12-31T02:30:00Z', { isVerified: true })
    const { kept, removed } = retain([...nights, verified, older], { ...policy, maxAgeMs: day }, now)
    expect(kept.get(verified.name)).toEqual(['NewestVerified'])
    expect(removed[0]).toBe(older.name)
  })

  it('does not count failed and running backups', () => {
    const failed = backup('2026-04-30T03:00:00Z', { state: 'Failed' })
    const active = backup('2026-04-30T04:00:00Z', { state: 'Active' })
    const old = backup('2026-01-01T00:00:00Z', { state: 'Failed' })
    const { kept, removed } = retain([failed, active, old, ...nights.slice(0, 2)], policy, now)
    expect([...kept]).toEqual(
      expect.arrayContaining([
        [active.name, ['UnderWay']],
        ['2026-04-30T02:30:00Z', ['Last']],
        [failed.name, ['RecentFailure']],
      ]),
    )
    expect(removed).toEqual([old.name, '2026-04-29T02:30:00Z'])
  })

  it('keeps an unverified artifact as long as a verified one, and does not count it against verified ones', () => {
    const unproven = nights.slice(0, 2).map((night) => ({ ...night, state: 'Unproven' as const }))
    expect(keptOf([...unproven, ...nights.slice(2)], { keepLast: 2 })).toEqual([
      ...['2026-04-27', '2026-04-28', '2026-04-29', '2026-04-30'],
    ])
    const old = { ...backup('2026-03-31T02:30:00Z'), state: 'Unproven' as const }
    const others = nights.filter(({ name }) => name !== old.name)
    expect(retain([old, ...others], { ...policy, keepMonthly: 2 }, now).kept.get(old.name)).toEqual(['Monthly'])
  })

  it('keeps a backup during its verification, and removes none in exchange until it succeeds', () => {
    const proving = backup('2026-04-30T04:00:00Z', { state: 'Proving' })
    const { kept, removed } = retain([proving, ...nights.slice(0, 2)], policy, now)
    expect([...kept]).toEqual([
      [proving.name, ['UnderWay']],
      ['2026-04-30T02:30:00Z', ['Last']],
    ])
    expect(removed).toEqual(['2026-04-29T02:30:00Z'])
  })

  it('removes no existing backup in exchange for one from the future', () => {
    const future = backup('2027-01-01T00:00:00Z', { isVerified: true })
    const { kept } = retain([future, ...nights], policy, now)
    expect(kept.get(future.name)).toEqual(['FromTheFuture'])
    expect(kept.get('2026-04-30T02:30:00Z')).toEqual(['Last'])
  })

  it('keeps its guarantees for any set of backups', () => {
    const count = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined })
    const anyPolicy = fc.record({
      keepLast: fc.integer({ min: 1, max: 5 }),
      keepDaily: count,
      keepWeekly: count,
      keepMonthly: count,
      maxAgeMs: fc.option(fc.integer({ min: 0, max: 100 * day }), { nil: undefined }),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'),
    })
    const anyBackup = fc.record({
      takenAtMs: fc.integer({ min: now - 200 * day, max: now + day }),
      state: fc.constantFrom('Active', 'Proving', 'Completed', 'Completed', 'Unproven', 'Failed'),
      isVerified: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(anyBackup, { maxLength: 40 }), anyPolicy, (given, rules) => {
        const backups = given.map((each, index) => ({
          ...{ ...each, name: `b${index}` },
          isVerified: each.isVerified && each.state === 'Completed',
        }))
        const { kept, removed } = retain(backups, rules, now)
        expect([...kept.keys(), ...removed].sort()).toEqual(backups.map(({ name }) => name).sort())
        const complete = backups.filter(({ state, takenAtMs }) => state === 'Completed' && takenAtMs <= now)
        // A failed verification removes no backup sooner.
        const ifProven = retain(
          backups.map((each) => (each.state === 'Unproven' ? { ...each, state: 'Completed' as const } : each)),
          rules,
          now,
        )
        const stored = backups.filter(({ state }) => state !== 'Failed').map(({ name }) => name)
        expect(stored.filter((name) => removed.includes(name) && ifProven.kept.has(name))).toEqual([])
        const keptComplete = complete.filter(({ name }) => kept.has(name))
        expect(keptComplete.length).toBeGreaterThanOrEqual(Math.min(rules.keepLast, complete.length))
        const verified = complete.filter(({ isVerified }) => isVerified)
        const newest = Math.max(...verified.map(({ takenAtMs }) => takenAtMs))
        expect(verified.length === 0 || verified.some((one) => one.takenAtMs === newest && kept.has(one.name))).toBe(
          true,
        )
        expect(backups.every(({ state, name }) => state !== 'Active' || kept.has(name))).toBe(true)
        // A second run keeps the same backups.
        expect(
          retain(
            backups.filter(({ name }) => kept.has(name)),
            rules,
            now,
          ).removed,
        ).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
