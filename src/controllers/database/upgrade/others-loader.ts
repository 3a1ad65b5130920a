// Who is at work in a database, so that its move waits? The Migrations and Backups of it that have a worker, by their Jobs, Migrations for which
// servers replicate, and users who are still without rights in what was restored: asked only where a move is to begin, or its schema is to be made.
import { Backup } from '../../../../imports/wire/backup.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../../imports/wire/database-user.ts'
import { Migration } from '../../../../imports/wire/migration.ts'
import { isBeingDeleted, Job, type LiveObject, type ObserveContext, valueAt } from '../../../index.ts'
import { jobCondition } from '../../worker/job-words.ts'
import type { DatabaseFacts } from '../database-facts.ts'
import { upgradeName } from '../server-sides.ts'
import { followingMigrations } from './following-migrations.ts'
import { unservedUsers } from './unserved-users.ts'
import { mayBegin, type UpgradeAsk } from './upgrade-wish.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>

/** Nothing of what they do wakes the Database. */
const pollMs = 10_000

/** Who keeps a move from beginning. Undefined: nobody, or none is about to begin. */
export async function loadRivals(
  context: Observing,
  ask: Pick<UpgradeAsk, 'sides' | 'restore'>,
): Promise<DatabaseFacts['others']> {
  const { object, live, sagas, nowMs } = context
  const record = sagas.find(({ name }) => name === upgradeName)?.record
  if (isBeingDeleted(object) || !mayBegin({ ...ask, object, record })) return undefined
  const { namespace } = object.metadata
  // From then on none begins to follow: a database that moves has no worker of a Migration.
  const following = followingMigrations(object, await live.list(Migration, { namespace }))
  const atWork = [...following.map((name) => `${Migration.kind} ${name}`), ...(await loadOthers(context))]
  const names = [...new Set(atWork)].toSorted()
  const unserved = unservedUsers(object, await live.list(DatabaseUser, {}))
  return names.length + unserved.length === 0 ? undefined : { names, unserved, lookAgainAtMs: nowMs + pollMs }
}

/** `Migration v1`, in the order of their names. */
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
  // Of both kinds, by their definitions.
  const { databaseRef, steps = [] } = (object?.spec ?? {}) as {
    readonly databaseRef?: { readonly name: string }
    readonly steps?: readonly { readonly copy?: { readonly from: { readonly name: string } } }[]
  }
  return [databaseRef?.name, ...steps.map(({ copy }) => copy?.from.name)].filter((one) => one !== undefined)
}
