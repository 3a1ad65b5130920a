// One backup beside a Disturber: it is made, verified, and compared with the state that the Disturber recorded.
import { discardBackup, makeBackup } from '../../src/controllers/backup/backup-worker.ts'
import type { Manifest } from '../../src/controllers/backup/manifest.ts'
import { verifyBackup } from '../../src/controllers/backup/verification-worker.ts'
import { type BackupStage, order, verification } from '../controllers/backup/backup-stage.ts'
import { never } from '../controllers/stores/contents.ts'
import { type Disturber, stateOf } from './disturber.ts'

export interface BesideRun {
  readonly run: number
  /**
   * `verified`: the backup holds a committed state. `falseAlarm`: its verification failed. `falseProof`: it is
   * verified, and its state was never committed.
   * `notMade`: the backup reports that definitions changed during all tries.
   */
  readonly kind: 'verified' | 'falseAlarm' | 'falseProof' | 'notMade'
  readonly message?: string
  readonly tookMs: number
}

export async function runBeside(run: number, stage: BackupStage, disturber: Disturber): Promise<BesideRun> {
  const startedMs = performance.now()
  const uid = `1b4e28ba-2fa1-11d2-883f-${String(run).padStart(12, '0')}`
  const backup = { ...order.backup, uid }
  const told = (kind: BesideRun['kind'], message?: string): BesideRun => ({
    ...{ run, kind, tookMs: Math.round(performance.now() - startedMs) },
    ...(message === undefined ? {} : { message }),
  })
  let folder: string
  let manifest: Manifest
  try {
    ;({ folder, manifest } = await makeBackup({ ...order, backup }, stage.backupTools(), never))
  } catch (error) {
    return told(String(error).includes('no backup could be made in') ? 'notMade' : 'falseAlarm', String(error))
  }
  const difference = differenceFromState(manifest, disturber)
  try {
    await verifyBackup({ ...verification, backup, folder, queries: [] }, stage.verificationTools(), never)
  } catch (error) {
    return told('falseAlarm', `${error}`)
  } finally {
    await discardBackup(stage.store, folder, never)
  }
  return difference === undefined ? told('verified') : told('falseProof', difference)
}

function differenceFromState({ contents }: Manifest, disturber: Disturber): string | undefined {
  const saved = stateOf(contents.tables)
  const ledger = contents.tables.find(({ name }) => name === 'ledger')
  const state = disturber.stateAt(ledger?.hash ?? null)
  if (state === undefined) return 'its ledger is of no state that was committed'
  const names = [...new Set([...saved.keys(), ...state.keys()])]
  const found = names.filter((name) => saved.get(name) !== state.get(name))
  if (found.length === 0) return undefined
  return found.map((name) => `${name}: ${saved.get(name) ?? 'none'} instead of ${state.get(name) ?? 'none'}`).join('; ')
}
