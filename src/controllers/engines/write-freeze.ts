// Write freeze of a database: logins of its writers are disabled and their sessions terminated; a thaw restores exactly
// these logins. The caller records the logins before the first is disabled, so that a login disabled for another reason
// stays disabled. Both directions can be interrupted and repeated. A frozen login is disabled for all databases of the
// server.

export interface WriteFreeze {
  /** One statement. Includes the current state of the logins in `record`. */
  observe(record: FreezeRecord | undefined): Promise<WriterFacts>
  /**
   * Disables the logins in one transaction, and terminates all sessions in the database except the operator's. Some
   * sessions take a moment to end.
   */
  freeze(record: FreezeRecord): Promise<void>
  /** Enables the logins again in one transaction. Skips missing roles. */
  thaw(record: FreezeRecord): Promise<void>
}

/** Stored before the first `freeze` (I3), until after `thaw`. Strings, as the store for notes requires. */
export interface FreezeRecord {
  readonly logins: readonly string[]
}

export interface WriterFacts {
  /** Roles that may log in to this database, except superusers and the operator's own, and the roles in `record`. */
  readonly logins: readonly { readonly name: string; readonly canLogin: boolean }[]
  /** Sessions in this database, except the operator's. */
  readonly sessions: number
  /** Prepared transactions, which can still commit. */
  readonly prepared: number
}

export type FreezeState =
  /** These roles can still log in. `unrecorded`: not in the record; store a record with them first. */
  | { readonly kind: 'open'; readonly recorded: readonly string[]; readonly unrecorded: readonly string[] }
  | { readonly kind: 'draining'; readonly message: string }
  | { readonly kind: 'frozen' }

export function recordOf({ logins }: WriterFacts, before?: FreezeRecord): FreezeRecord {
  const open = logins.filter(({ canLogin }) => canLogin).map(({ name }) => name)
  return { logins: [...new Set([...(before?.logins ?? []), ...open])].toSorted() }
}

export function freezeState(record: FreezeRecord, { logins, sessions, prepared }: WriterFacts): FreezeState {
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

/** Returns the recorded logins that are still disabled. Empty: the thaw is complete. */
export function stillAway(record: FreezeRecord, { logins }: WriterFacts): readonly string[] {
  const away = new Set(logins.filter(({ canLogin }) => !canLogin).map(({ name }) => name))
  return record.logins.filter((name) => away.has(name))
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`
}
