// Reads the resources whose work blocks a move of a database, only before a move starts or its schema is created. They
// are Migrations and Backups with an active Job, Migrations that replicate, and users without rights in a restored
// database.
import { Backup } from '../../../../imports/wire/backup.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../../imports/wire/database-user.ts'
import { Migration } from '../../../../imports/wire/migration.ts'
import { isBeingDeleted, Job, type LiveObject, type ObserveContext, valueAt } from '../../../index.ts'
import { jobCondition } from '../../worker/job-words.ts'
import type { DatabaseFacts } from '../database-facts.ts'
import { upgradeName } from '../server-sides.ts'
import { mayBegin, type UpgradeAsk } from './desired-upgrade.ts'
import { followingMigrations } from './following-migrations.ts'
import { unservedUsers } from './unserved-users.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>

/** Their changes trigger no reconciliation of the Database. */
const pollMs = 10_000

/** Returns the resources that block a move. Undefined: none, or no move is due. */
export async function loadOtherDatabases(
  context: Observing,
  ask: Pick<UpgradeAsk, 'sides' | 'restore'>,
): Promise<DatabaseFacts['others']> {
  const { object, live, sagas, nowMs } = context
  const record = sagas.find(({ name }) => name === upgradeName)?.record
  if (isBeingDeleted(object) || !mayBegin({ ...ask, object, record })) return undefined
  const { namespace } = object.metadata
  // No new replication can start afterwards, because a moving database admits no Migration worker.
  const following = followingMigrations(object, await live.list(Migration, { namespace }))
  const atWork = [...following.map((name) => `${Migration.kind} ${name}`), ...(await loadOthers(context))]
  const names = [...new Set(atWork)].toSorted()
  const unserved = unservedUsers(object, await live.list(DatabaseUser, {}))
  return names.length + unserved.length === 0 ? undefined : { names, unserved, lookAgainAtMs: nowMs + pollMs }
}

/** Returns e.g. `Migration v1`, sorted by name. */
export async function loadOthers({ object, live }: Pick<Observing, 'object' | 'live'>): Promise<readonly string[]> {
  const { namespace, name } = object.metadata
  const jobs = (await live.list(Job, { namespace })).filter(isAtWork)
  const owners = jobs.flatMap(({ metadata }) => metadata.ownerReferences ?? [])
  const others: string[] = []
  for (const owner of owners) {
    const at = { namespace, name: owner.name }
    const databases =
      owner.kind === Migration.kind
        ? databasesOf(await live.find(Migration, at))
        : owner.kind === Backup.kind
          ? databasesOf(await live.find(Backup, at))
          : []
    if (databases.includes(name)) others.push(`${owner.kind} ${owner.name}`)
  }
  return [...new Set(others)].toSorted()
}

function isAtWork(job: LiveObject): boolean {
  const isOver = jobCondition(job, 'Complete') !== undefined || jobCondition(job, 'Failed') !== undefined
  return !isOver && valueAt(job, 'spec', 'suspend') !== true
}

function databasesOf(object: LiveObject | undefined): readonly string[] {
  // Fields of both kinds, by their CRDs.
  const { databaseRef, steps = [] } = (object?.spec ?? {}) as {
    readonly databaseRef?: { readonly name: string }
    readonly steps?: readonly { readonly copy?: { readonly from: { readonly name: string } } }[]
  }
  return [databaseRef?.name, ...steps.map(({ copy }) => copy?.from.name)].filter((one) => one !== undefined)
}
