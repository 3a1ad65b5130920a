// List of the crash workflows. A new one is defined beside the code that it tests, and listed here.
import { backupCrash, backupGivenUpCrash, backupS3Crash, physicalCrash } from '../controllers/backup/backup-crash.ts'
import { restoreAnewCrash, restoreInPlaceCrash, restoreUndoneCrash } from '../controllers/backup/restore-crash.ts'
import { scheduleCrash } from '../controllers/backup/schedule-crash.ts'
import { verificationCrash, verificationGivenUpCrash } from '../controllers/backup/verification-crash.ts'
import { databaseCrash } from '../controllers/database/database-crash.ts'
import { instanceCrash } from '../controllers/database/rds/instance-crash.ts'
import { snapshotCrash } from '../controllers/database/rds/snapshot-crash.ts'
import { restoreCrash } from '../controllers/database/restore-crash.ts'
import { userCrash } from '../controllers/database-user/user-crash.ts'
import { migrationFollowCrash } from '../controllers/migration/follow-crash.ts'
import { migrationCrash } from '../controllers/migration/resource-crash.ts'
import { migrationBackCrash, migrationForwardCrash } from '../controllers/migration/worker-crash.ts'
import { upgradeBackCrash, upgradeByDumpCrash, upgradeCrash } from '../controllers/upgrade/upgrade-crash.ts'
import type { CrashWorkflow } from './crash-workflow.ts'
import type { Choice } from './draw.ts'
import type { CrashOrder } from './order.ts'

const workflows: readonly CrashWorkflow[] = [
  databaseCrash,
  userCrash,
  migrationCrash,
  migrationForwardCrash,
  migrationBackCrash,
  migrationFollowCrash,
  backupCrash,
  backupGivenUpCrash,
  backupS3Crash,
  physicalCrash,
  verificationCrash,
  verificationGivenUpCrash,
  restoreInPlaceCrash,
  restoreAnewCrash,
  restoreUndoneCrash,
  restoreCrash,
  scheduleCrash,
  upgradeCrash,
  upgradeBackCrash,
  upgradeByDumpCrash,
  instanceCrash,
  snapshotCrash,
]

export function workflowOf(name: string): CrashWorkflow {
  const found = workflows.find((one) => one.name === name)
  if (found === undefined) {
    throw new Error(`there is no workflow '${name}'; there are ${workflows.map((one) => one.name).join(', ')}`)
  }
  return found
}

/** Returns the choices for these versions of PostgreSQL. A workflow without PostgreSQL has no version. */
export function choicesOn(
  versions: readonly number[],
  order: Pick<CrashOrder, 'only' | 'onOneVersion'>,
): readonly Choice[] {
  const meant = order.only?.map(workflowOf) ?? workflows
  return meant.map((workflow, at) => {
    const { name, weight } = workflow
    if (workflow.server === 'none') return { name, weight, versions: [undefined] }
    const all = versions.filter((version) => workflow.isToldOn?.(version) ?? true)
    const one = all.slice(at % all.length).slice(0, 1)
    return { name, weight, versions: order.onOneVersion === true ? one : all }
  })
}
