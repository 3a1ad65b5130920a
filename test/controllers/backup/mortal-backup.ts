// A worker as a process of its own, for crash runs that kill it: makes the backup that its one argument says, and ends.
import { flushCompileCache } from 'node:module'
import process from 'node:process'
import { type MortalStoreOptions, mortalStore } from './mortal-store.ts'
import { type Saving, saved } from './saved.ts'

export interface MortalBackup extends Omit<Saving, 'store'> {
  readonly store: MortalStoreOptions
  readonly patienceMs: number
}

// Whoever is killed writes nothing down any more.
flushCompileCache()
// Sound: the run that starts this process writes it.
const { store, patienceMs, ...rest } = JSON.parse(process.argv[2] ?? '') as MortalBackup
const mortal = mortalStore(store, rest.attempt, () => process.kill(process.pid, 'SIGKILL'))
await saved({ ...rest, store: mortal }, AbortSignal.timeout(patienceMs))
process.exit(0)
