// Error message of a PostgreSQL program. Invariant: only its first error line is used, because details, contexts and
// commands contain rows (I11). Pure.
import type { Remedy } from '../../../../index.ts'
import { LogicalError, type LogicalErrorCode } from '../../logical-error.ts'
import type { DatabaseProgram } from '../../logical-tool.ts'

export interface FailedTool {
  readonly program: DatabaseProgram
  readonly exit: number | string
  readonly printed: string
  /** For messages: the object of the run. */
  readonly about: string
}

interface Rule {
  readonly text: RegExp
  readonly code: LogicalErrorCode
  readonly remedy: Remedy
}

/**
 * pg_restore since 17 starts each session with a setting that servers before 17 do not know. The command line is
 * matched, because the server's error message may be localized.
 */
const newerSetting = 'Command was: SET transaction_timeout = 0;'

const rules: readonly Rule[] = [
  { text: new RegExp(newerSetting), code: 'VersionMismatch', remedy: 'stop' },
  { text: /server version mismatch|incompatible server version/, code: 'VersionMismatch', remedy: 'stop' },
  // Includes servers that reject the connection by pg_hba.conf.
  {
    text: /no pg_hba\.conf entry for replication|replication role to start|permission denied to start WAL sender/,
    code: 'ReplicationRefused',
    remedy: 'stop',
  },
  { text: /can only write single tablespace/, code: 'TablespacesRefused', remedy: 'stop' },
  {
    text: /WAL segment \S+ has already been removed|could not find any WAL files/,
    code: 'LogMissing',
    remedy: 'retry',
  },
  { text: /exceeds max_wal_senders/, code: 'Contention', remedy: 'retry' },
  {
    text: /connection to server|could not connect|server closed the connection|terminating connection|SSL error/,
    code: 'ServerUnreachable',
    remedy: 'retry',
  },
  { text: /lock timeout|deadlock detected/, code: 'Contention', remedy: 'retry' },
  { text: /No space left on device|Disk quota exceeded|could not extend file/, code: 'StorageFull', remedy: 'retry' },
]

const longestMessage = 300
/** Characters of a program's error output that are kept, from its start. */
export const mostComplaints = 16 * 1_024

export function toolFailure({ program, exit, printed: all, about }: FailedTool): LogicalError {
  const printed = withoutForgiven(all)
  const complaint = complaintIn(printed)
  const said = complaint === undefined ? `it ended with ${exit}` : complaint
  const message = `${program} failed on ${about}: ${said}`
  const rule = rules.find(({ text }) => text.test(printed))
  if (rule !== undefined) return new LogicalError({ code: rule.code, message, remedy: rule.remedy })
  // A program that was killed reported no error of the database.
  const isSaving = program === 'pg_dump' || program === 'pg_basebackup'
  const remedy = typeof exit === 'string' || isSaving ? 'retry' : 'stop'
  return new LogicalError({ code: isSaving ? 'DumpFailed' : 'RestoreFailed', message, remedy })
}

/**
 * Returns whether the only error of a program that continued is the unknown newer setting, without which the server
 * behaves the same. Allows one such error for each session of the program. A restored object could end a statement with
 * the same words, which would be one error too many.
 */
export function isOfNewerSettingAlone(printed: string, jobs: number): boolean {
  const complaints = complaintsIn(printed)
  const isComplete = printed.length < mostComplaints && /: warning: errors ignored on restore: \d+\s*$/.test(printed)
  const sessions = jobs > 1 ? jobs + 2 : 1
  const isWithin = complaints.length > 0 && complaints.length <= sessions
  return isComplete && isWithin && complaints.every(isOfNewerSetting)
}

/** For a program that continued, the other errors are the cause of the failure. */
function withoutForgiven(printed: string): string {
  const others = complaintsIn(printed).filter((complaint) => !isOfNewerSetting(complaint))
  return others.length > 0 ? others.join('') : printed
}

/** Returns each error line with its following lines. */
function complaintsIn(printed: string): readonly string[] {
  return printed.split(/^(?=\S+: error: )/m).filter((part) => /^\S+: error: /.test(part))
}

function isOfNewerSetting(complaint: string): boolean {
  return complaint.split('\n').some((line) => line === newerSetting)
}

function complaintIn(printed: string): string | undefined {
  const line = printed.split('\n').find((text) => /: error: /.test(text))
  const complaint = line?.replace(/^.*?: error: /, '')
  return complaint === undefined ? undefined : complaint.slice(0, longestMessage)
}
