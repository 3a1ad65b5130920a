// What did one of PostgreSQL's programs complain about? Of all that it prints only its first error counts: details, contexts and
// commands show rows (I11). Pure.
import type { Remedy } from '../../../../index.ts'
import { LogicalError, type LogicalErrorCode } from '../../logical-error.ts'
import type { DatabaseProgram } from '../../logical-tool.ts'

export interface FailedTool {
  readonly program: DatabaseProgram
  readonly exit: number | string
  readonly printed: string
  /** For messages. */
  readonly about: string
}

interface Rule {
  readonly text: RegExp
  readonly code: LogicalErrorCode
  readonly remedy: Remedy
}

/** Tools since 17 begin each session with a setting that servers before 17 do not know. What a server says has its own language. */
const newerSetting = 'Command was: SET transaction_timeout = 0;'

const rules: readonly Rule[] = [
  { text: new RegExp(newerSetting), code: 'VersionMismatch', remedy: 'stop' },
  { text: /server version mismatch|incompatible server version/, code: 'VersionMismatch', remedy: 'stop' },
  // Also by whom the server turns away at its door.
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
/** Of what a program complains about, its beginning. */
export const mostComplaints = 16 * 1_024

export function toolFailure({ program, exit, printed: all, about }: FailedTool): LogicalError {
  const printed = withoutForgiven(all)
  const complaint = complaintIn(printed)
  const said = complaint === undefined ? `it ended with ${exit}` : complaint
  const message = `${program} failed on ${about}: ${said}`
  const rule = rules.find(({ text }) => text.test(printed))
  if (rule !== undefined) return new LogicalError({ code: rule.code, message, remedy: rule.remedy })
  // One that was killed said nothing against the database.
  const isSaving = program === 'pg_dump' || program === 'pg_basebackup'
  const remedy = typeof exit === 'string' || isSaving ? 'retry' : 'stop'
  return new LogicalError({ code: isSaving ? 'DumpFailed' : 'RestoreFailed', message, remedy })
}

/**
 * Is that all that a tool had to say, which went on in spite of it? Its server is then as it would be without that setting. It says it once
 * for each of its sessions: what is restored could end a statement of its own with the same words, and would be one too many.
 */
export function isOfNewerSettingAlone(printed: string, jobs: number): boolean {
  const complaints = complaintsIn(printed)
  const isComplete = printed.length < mostComplaints && /: warning: errors ignored on restore: \d+\s*$/.test(printed)
  const sessions = jobs > 1 ? jobs + 2 : 1
  const isWithin = complaints.length > 0 && complaints.length <= sessions
  return isComplete && isWithin && complaints.every(isOfNewerSetting)
}

/** Of one that went on, what else it complains about is why it failed. */
function withoutForgiven(printed: string): string {
  const others = complaintsIn(printed).filter((complaint) => !isOfNewerSetting(complaint))
  return others.length > 0 ? others.join('') : printed
}

/** Each with the lines behind it. */
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
