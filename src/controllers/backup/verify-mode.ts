// How is a backup proven where its spec does not say it? By restoring it; but what a provider keeps is believed, as a server would have to be
// paid for to try it. Pure.
import type { BackupSpec } from '../../../imports/wire/backup.ts'

export type VerifyMode = NonNullable<BackupSpec['verify']['mode']>

export function verifyModeOf({ method, verify: { mode } }: Pick<BackupSpec, 'method' | 'verify'>): VerifyMode {
  return mode ?? (method === 'Provider' ? 'None' : 'Restore')
}
