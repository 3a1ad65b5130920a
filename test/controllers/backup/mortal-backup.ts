// A worker as a process for crash runs that kill it: makes the backup of its one argument.
import { flushCompileCache } from 'node:module'
import process from 'node:process'
import { type MortalStoreOptions, mortalStore } from './mortal-store.ts'
import { type Saving, saved } from './saved.ts'

export interface MortalBackup extends Omit<Saving, 'store'> {
  readonly store: MortalStoreOptions
  readonly patienceMs: number
}

// A killed process logs nothing.
flushCompileCache()
// Sound: the run that starts this process writes it.
const { store, patienceMs, ...rest } = JSON.parse(process.argv[2] ?? '') as MortalBackup
const mortal = mortalStore(store, rest.attempt, () => process.kill(process.pid, 'SIGKILL'))
await saved({ ...rest, store: mortal }, AbortSignal.timeout(patienceMs))
process.exit(0)
