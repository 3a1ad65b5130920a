// Which backups stay? The newest ones, and of older days, weeks and months the newest each, until they are too old. Whatever the policy
// says, the newest verified backup stays, what a Database is restored from, and as many as `keepLast` says. Only what is complete counts; what
// is stored and was not proven stays as long as if it had been, and pushes nothing out. Pure.

export interface RetainedBackup {
  readonly name: string
  /** The moment whose data it holds, milliseconds since the epoch. */
  readonly takenAtMs: number
  readonly state:
    | 'Active'
    /** It is stored, and is being proven for the first time. */
    | 'Proving'
    /** It is stored, and as proven as it is to be. */
    | 'Completed'
    /** It is stored, and its proof came to nothing. */
    | 'Unproven'
    /** There is no artifact of it. */
    | 'Failed'
  /** It has been restored, and was found equal. */
  readonly isVerified: boolean
  /** Which Database it is of: another one may have had its name. */
  readonly databaseUID?: string | undefined
  /** A Database is being restored from it, or is to be. */
  readonly isAwaited?: boolean
}

export interface RetentionPolicy {
  /** At least 1. */
  readonly keepLast: number
  /** Of how many days that have one, the newest each; so for weeks and months. */
  readonly keepDaily?: number | undefined
  readonly keepWeekly?: number | undefined
  readonly keepMonthly?: number | undefined
  /** Counted back from the newest that there is, as a clock may be wrong, and where none is made any more none is to go. */
  readonly maxAgeMs?: number | undefined
  /** Where a day begins. IANA's name. */
  readonly timeZone: string
}

export type KeepReason =
  | 'UnderWay'
  | 'Last'
  | 'Daily'
  | 'Weekly'
  | 'Monthly'
  | 'NewestVerified'
  /** The newest of an earlier Database of this name, and the newest verified one. */
  | 'EarlierDatabase'
  /** By a Database that is restored from it. */
  | 'Awaited'
  /** Somebody's clock is wrong; nothing is decided by it. */
  | 'FromTheFuture'
  /** Failed not long ago: people may want to know why. */
  | 'RecentFailure'

export interface Retention {
  readonly kept: ReadonlyMap<string, readonly KeepReason[]>
  /** Oldest first. */
  readonly removed: readonly string[]
}

/** Failures hold no data; older ones than these tell nothing new. */
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

/** An empty one that was made again under the name must not push out what there is of the one that was lost. */
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
  /** The same text for moments of the same period. */
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

/** The Monday of its week. A date alone has no time zone, so that this is plain arithmetic in UTC. */
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
