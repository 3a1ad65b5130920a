// Error for a name on a server that a backup needs and that another owner has. Pure.
import { BackupError } from './backup-error.ts'

export function nameTaken(what: 'database' | 'role', name: string): BackupError {
  const message = `${what} ${JSON.stringify(name)} is needed for this, and was not made for it; remove it, or rename it`
  return new BackupError({ code: 'NameTaken', message, remedy: 'stop' })
}
