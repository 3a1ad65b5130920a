// Retention of backups: it keeps the newest ones, and of older days, weeks and months the newest each, up to a maximum
// age. It always keeps the newest verified backup, each backup that a Database bootstraps from, and the last
// `keepLast`. Only complete backups count. A stored backup that failed its verification stays as long as if it had
// passed, but does not replace another one. Pure.

export interface RetainedBackup {
  readonly name: string
  /** Scheduled time of its snapshot, milliseconds since the epoch. */
  readonly takenAtMs: number
  readonly state:
    | 'Active'
    /** It is stored, and its first verification is running. */
    | 'Proving'
    /** It is stored and verified as its spec requires. */
    | 'Completed'
    /** It is stored, and its verification failed. */
    | 'Unproven'
    /** It has no artifact. */
    | 'Failed'
  /** It was restored, and its data matched. */
  readonly isVerified: boolean
  /** Uid of its Database: an earlier Database may have had the same name. */
  readonly databaseUID?: string | undefined
  /** A Database bootstraps from it, or will. */
  readonly isAwaited?: boolean
}

export interface RetentionPolicy {
  /** At least 1. */
  readonly keepLast: number
  /** Number of days that have a backup, of each of which the newest is kept; the same for weeks and months. */
  readonly keepDaily?: number | undefined
  readonly keepWeekly?: number | undefined
  readonly keepMonthly?: number | undefined
  /** Age relative to the newest backup: a wrong clock removes nothing, and a schedule that stopped loses nothing. */
  readonly maxAgeMs?: number | undefined
  /** IANA time zone in which days begin. */
  readonly timeZone: string
}

export type KeepReason =
  | 'UnderWay'
  | 'Last'
  | 'Daily'
  | 'Weekly'
  | 'Monthly'
  | 'NewestVerified'
  /** The newest, or the newest verified, of an earlier Database with the same name. */
  | 'EarlierDatabase'
  /** A Database bootstraps from it. */
  | 'Awaited'
  /** Its time is in the future: a clock is wrong, and no decision depends on it. */
  | 'FromTheFuture'
  /** A recent failure, kept for diagnosis. */
  | 'RecentFailure'

export interface Retention {
  readonly kept: ReadonlyMap<string, readonly KeepReason[]>
  /** Oldest first. */
  readonly removed: readonly string[]
}

/** Failed backups that are kept: they hold no data, and older ones have no further information. */
const mostFailures = 10

export function retain(backups: readonly RetainedBackup[], policy: RetentionPolicy, nowMs: number): Retention {
  const newestFirst = backups.toSorted(
    (left, right) => right.takenAtMs - left.takenAtMs || (left.name < right.name ? 1 : -1),
  )
  const reasons = new Map<string, KeepReason[]>()
  const keep = (backup: RetainedBackup, reason: KeepReason) => {
    const known = reasons.get(backup.name) ?? []
    if (!known.includes(reason)) reasons.set(backup.name, [...known, reason])
  }
  const past = newestFirst.filter((backup) => {
    if (backup.takenAtMs > nowMs) keep(backup, 'FromTheFuture')
    if (backup.isAwaited === true) keep(backup, 'Awaited')
    return backup.takenAtMs <= nowMs
  })
  for (const backup of past) if (backup.state === 'Active' || backup.state === 'Proving') keep(backup, 'UnderWay')
  const complete = past.filter(({ state }) => state === 'Completed')
  const stored = past.filter(({ state }) => state === 'Completed' || state === 'Unproven')
  for (const among of [complete, stored]) {
    for (const { backup, reason } of keptByPolicy(among, policy)) keep(backup, reason)
  }
  const since = lastOf(complete, policy).at(-1)?.takenAtMs ?? Number.NEGATIVE_INFINITY
  const failures = past.filter(({ state, takenAtMs }) => state === 'Failed' && takenAtMs >= since)
  for (const backup of failures.slice(0, mostFailures)) keep(backup, 'RecentFailure')
  return {
    kept: reasons,
    removed: newestFirst
      .filter(({ name }) => !reasons.has(name))
      .map(({ name }) => name)
      .reverse(),
  }
}

interface Keep {
  readonly backup: RetainedBackup
  readonly reason: KeepReason
}

function keptByPolicy(newestFirst: readonly RetainedBackup[], policy: RetentionPolicy): readonly Keep[] {
  const { maxAgeMs = Number.POSITIVE_INFINITY } = policy
  const verified = newestFirst.filter(({ isVerified }) => isVerified).slice(0, 1)
  const newestMs = newestFirst[0]?.takenAtMs ?? 0
  const young = newestFirst.filter(({ takenAtMs }) => newestMs - takenAtMs <= maxAgeMs)
  const because = (reason: KeepReason, backups: readonly RetainedBackup[]) =>
    backups.map((backup) => ({ backup, reason }))
  return [
    ...because('Last', lastOf(newestFirst, policy)),
    ...because('NewestVerified', verified),
    ...because('EarlierDatabase', ofEarlierDatabases(newestFirst)),
    ...periods(policy).flatMap(({ reason, count, period }) =>
      because(reason, newestOfEach(young, ({ takenAtMs }) => period(takenAtMs)).slice(0, count)),
    ),
  ]
}

/** A recreated, empty Database must not remove the backups of the lost one. */
function ofEarlierDatabases(newestFirst: readonly RetainedBackup[]): readonly RetainedBackup[] {
  const earlier = newestFirst.filter(({ databaseUID }) => databaseUID !== newestFirst[0]?.databaseUID)
  const verified = earlier.filter(({ isVerified }) => isVerified)
  return [earlier, verified].flatMap((backups) => newestOfEach(backups, ({ databaseUID = '' }) => databaseUID))
}

function lastOf(newestFirst: readonly RetainedBackup[], { keepLast }: RetentionPolicy): readonly RetainedBackup[] {
  return newestFirst.slice(0, Math.max(1, keepLast))
}

interface Period {
  readonly reason: KeepReason
  readonly count: number
  /** The same text for all times of one period. */
  readonly period: (ms: number) => string
}

function periods({ keepDaily = 0, keepWeekly = 0, keepMonthly = 0, timeZone }: RetentionPolicy): readonly Period[] {
  const dates = new Intl.DateTimeFormat('en-CA', { timeZone, calendar: 'iso8601', dateStyle: 'short' })
  // `2026-03-29`
  const day = (ms: number) => dates.format(ms)
  return [
    { reason: 'Daily', count: keepDaily, period: day },
    { reason: 'Weekly', count: keepWeekly, period: (ms) => mondayOf(day(ms)) },
    { reason: 'Monthly', count: keepMonthly, period: (ms) => day(ms).slice(0, '2026-03'.length) },
  ]
}

/** The Monday of its week. A date has no time zone, so arithmetic in UTC is exact. */
function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`)
  const sinceMonday = (day.getUTCDay() + 6) % 7
  return new Date(day.getTime() - sinceMonday * 86_400_000).toISOString().slice(0, '2026-03-29'.length)
}

function newestOfEach(
  newestFirst: readonly RetainedBackup[],
  group: (backup: RetainedBackup) => string,
): readonly RetainedBackup[] {
  const newest = new Map<string, RetainedBackup>()
  for (const backup of newestFirst) {
    const at = group(backup)
    if (!newest.has(at)) newest.set(at, backup)
  }
  return [...newest.values()]
}
