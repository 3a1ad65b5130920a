// External resource `snapshot` of a Backup of the method Provider: the provider's snapshot of its database. It needs no
// worker. The provider does the work; the runtime requests, observes and removes the snapshot.
import type { BackupSpec, BackupStatus } from '../../../imports/wire/backup.ts'
import {
  abandonAnnotation,
  type DesiredExternal,
  defineExternal,
  type ExternalContext,
  type ExternalRemoval,
  isAbandoned,
  type LiveObject,
} from '../../index.ts'
import { snapshotIdentifier } from '../database/rds/instance-name.ts'
import type { RdsClientLoaderOptions } from '../database/rds/rds-client-loader.ts'
import type { DesiredSnapshot } from '../database/rds/snapshot.ts'
import { SnapshotDriver } from '../database/rds/snapshot-driver.ts'
import type { BackupFacts } from './backup-loader.ts'
import type { BackupObject } from './desired-work.ts'
import { recordName } from './provider-facts.ts'

type Context = ExternalContext<BackupSpec, BackupStatus, BackupFacts>

/** Interval of observations. A finished snapshot does not change, but a user may remove it. */
const cadenceMs = 60 * 60_000

export function providerSnapshot(options: RdsClientLoaderOptions = {}) {
  return defineExternal({
    name: recordName,
    cadenceMs,
    driver: (tools) => new SnapshotDriver(tools, options),
    desired: ({ object, facts }: Context) => desiredProviderSnapshot(object, facts),
    removal: ({ object, facts }) => snapshotRemoval(object as BackupObject, facts), // Sound: the CRD requires a spec.
  })
}

export function desiredProviderSnapshot(object: LiveObject, facts: BackupFacts): DesiredExternal<DesiredSnapshot> {
  if (facts.kind !== 'provider') return { kind: 'none' }
  const desired = desiredSnapshot(object, facts)
  const { reason = 'NotLookedUp', message = 'the Database could not be looked up' } = facts.problem ?? {}
  if (facts.problem !== undefined || desired === undefined) return { kind: 'blocked', reason, message }
  return { kind: 'wanted', externalName: nameOf(object), desired }
}

export function snapshotRemoval(
  object: BackupObject,
  facts: BackupFacts | undefined,
): ExternalRemoval<DesiredSnapshot> {
  const externalName = nameOf(object)
  const { region = 'its region' } = object.status?.snapshot ?? {}
  if (isAbandoned(object))
    return { kind: 'keep', note: `in ${region}, abandoned by the annotation ${abandonAnnotation}` }
  if (object.spec.artifactPolicy !== 'Delete') {
    return { kind: 'keep', note: `in ${region}, as spec.artifactPolicy says; its tags say what it is of` }
  }
  const desired = facts?.kind === 'provider' ? desiredSnapshot(object, facts) : undefined
  if (desired !== undefined) return { kind: 'remove', externalName, desired }
  const problem = facts?.kind === 'provider' ? facts.problem : undefined
  const { reason = 'NotLookedUp', message = 'the credentials for AWS could not be looked up' } = problem ?? {}
  const help = 'set spec.artifactPolicy to Retain to leave the snapshot'
  return { kind: 'blocked', reason, message: `${message}; ${help}` }
}

function desiredSnapshot(
  { metadata }: LiveObject,
  { snapshot, access }: Extract<BackupFacts, { kind: 'provider' }>,
): DesiredSnapshot | undefined {
  if (snapshot === undefined || access === undefined) return undefined
  const { instance, database, databaseUID, databaseName, systemIdentifier } = snapshot
  return {
    access,
    source: { instance, database, databaseUID, databaseName, systemIdentifier },
    label: `${metadata.namespace}/${metadata.name}`,
  }
}

function nameOf({ metadata: { namespace = '', name, uid } }: LiveObject): string {
  return snapshotIdentifier({ namespace, name, uid })
}
