// How does nobody write to a database for a while? Those who may log in to it no longer may, and their sessions are ended; afterwards
// exactly they may again. Who they are is recorded by the caller before the first is turned away: who may not log in for another reason
// stays away. Both ways may be cut off and repeated at any time. A login that serves other databases of the server as well is turned
// away from those too.

export interface WriteFreeze {
  /** One statement. Of those in `record` also how they stand now. */
  observe(record: FreezeRecord | undefined): Promise<WriterFacts>
  /** Turns them away in one transaction, and ends all sessions in the database but ours. Some take a moment to go. */
  freeze(record: FreezeRecord): Promise<void>
  /** Lets them in again, in one transaction. Those that are no longer there are left out. */
  thaw(record: FreezeRecord): Promise<void>
}

/** Stored before `freeze` is called the first time (I3), and until `thaw` has been. Strings, so that it fits where notes are kept. */
export interface FreezeRecord {
  readonly logins: readonly string[]
}

export interface WriterFacts {
  /** Roles that may log in, and into this database, but for superusers and the operator's own; and those asked about. */
  readonly logins: readonly { readonly name: string; readonly canLogin: boolean }[]
  /** In this database, but for the operator's own. */
  readonly sessions: number
  /** Transactions that have been prepared, and that somebody is going to commit. */
  readonly prepared: number
}

export type FreezeStanding =
  /** These can still log in. `unrecorded`: came since; a record with them has to be stored first. */
  | { readonly kind: 'open'; readonly recorded: readonly string[]; readonly unrecorded: readonly string[] }
  | { readonly kind: 'draining'; readonly message: string }
  | { readonly kind: 'frozen' }

export function recordOf({ logins }: WriterFacts, before?: FreezeRecord): FreezeRecord {
  const open = logins.filter(({ canLogin }) => canLogin).map(({ name }) => name)
  return { logins: [...new Set([...(before?.logins ?? []), ...open])].toSorted() }
}

export function freezeStanding(record: FreezeRecord, { logins, sessions, prepared }: WriterFacts): FreezeStanding {
  const open = logins.filter(({ canLogin }) => canLogin).map(({ name }) => name)
  if (open.length > 0) {
    const known = new Set(record.logins)
    const isRecorded = (name: string) => known.has(name)
    return {
      kind: 'open',
      recorded: open.filter(isRecorded),
      unrecorded: open.filter((name) => !isRecorded(name)),
    }
  }
  if (sessions > 0) return { kind: 'draining', message: `${counted(sessions, 'session')} still there` }
  if (prepared > 0) {
    const message = `${counted(prepared, 'prepared transaction')} still there; COMMIT PREPARED or ROLLBACK PREPARED ends one`
    return { kind: 'draining', message }
  }
  return { kind: 'frozen' }
}

/** Those that are to be let in again and are not; none: it is as it was. */
export function stillAway(record: FreezeRecord, { logins }: WriterFacts): readonly string[] {
  const away = new Set(logins.filter(({ canLogin }) => !canLogin).map(({ name }) => name))
  return record.logins.filter((name) => away.has(name))
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`
}
