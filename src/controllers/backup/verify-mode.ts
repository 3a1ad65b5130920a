// Default of the verification mode: Restore; None for a snapshot of a provider, because its test restore would need
// another paid server. Pure.
import type { BackupSpec } from '../../../imports/wire/backup.ts'

export type VerifyMode = NonNullable<BackupSpec['verify']['mode']>

export function verifyModeOf({ method, verify: { mode } }: Pick<BackupSpec, 'method' | 'verify'>): VerifyMode {
  return mode ?? (method === 'Provider' ? 'None' : 'Restore')
}
