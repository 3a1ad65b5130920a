// Desired RDS instance of a Database, and its removal. Pure.
import type { DatabaseSpecProviderRds } from '../../../../imports/wire/database.ts'
import {
  abandonAnnotation,
  type DesiredExternal,
  type ExternalRemoval,
  isAbandoned,
  type LiveObject,
} from '../../../index.ts'
import type { InstanceOrigin } from '../restore/snapshot-restore.ts'
import { secretText } from '../secret-text.ts'
import type { DatabaseObject } from '../server-connection.ts'
import type { AwsCredentials, DesiredInstance } from './instance.ts'
import type { RdsFacts } from './instance-facts.ts'
import { finalSnapshotIdentifier, instanceIdentifier } from './instance-name.ts'

export interface InstanceSurroundings {
  /** Administrator's Secret as this reconcile has left it. */
  readonly adminSecret: LiveObject | undefined
  /** Undefined if the instance starts empty or already exists. */
  readonly origin?: InstanceOrigin | undefined
}

export function desiredRdsInstance(
  object: DatabaseObject,
  facts: RdsFacts | undefined,
  { adminSecret, origin }: InstanceSurroundings,
): DesiredExternal<DesiredInstance> {
  const { rds } = object.spec.provider
  if (rds === undefined || facts === undefined) return { kind: 'none' }
  const { credentials, problem, admin } = facts
  if (credentials === undefined) return blocked(problem?.reason ?? 'SecretNotFound', problem?.message ?? '')
  // A password that RDS has and no Secret stores would be lost.
  if (secretText(adminSecret, 'password') !== admin.password) {
    return blocked('SecretNotStored', 'the Secret with the master password is not stored yet')
  }
  if (origin?.kind === 'unknown') return blocked(origin.reason, origin.message)
  const begins = origin === undefined ? {} : { restoredFrom: origin.identifier }
  const { adoptionPolicy, driftPolicy, recreateIfMissing } = object.spec
  return {
    kind: 'wanted',
    externalName: identifierOf(object, rds),
    desired: { ...desiredInstance(object, rds, { ...facts, credentials }), ...begins },
    // An existing instance was not restored from the snapshot.
    adopts: adoptionPolicy === 'Adopt' && origin === undefined,
    driftPolicy,
    recreatesIfMissing: recreateIfMissing,
  }
}

export function instanceRemoval(object: DatabaseObject, facts: RdsFacts | undefined): ExternalRemoval<DesiredInstance> {
  const { metadata, spec } = object
  const { rds } = spec.provider
  const { credentials, problem } = facts ?? {}
  if (isAbandoned(object)) {
    return { kind: 'keep', note: `let go of by its annotation ${abandonAnnotation}` }
  }
  // The CRD forbids a change of the provider.
  if (rds === undefined || spec.deletionPolicy === 'Retain') {
    return { kind: 'keep', note: rds === undefined ? 'not of this provider' : howToAdopt(object, rds) }
  }
  if (facts === undefined || credentials === undefined) {
    const { reason = 'NotLookedUp', message = 'the credentials for AWS could not be looked up' } = problem ?? {}
    return blocked(reason, message)
  }
  if (rds.deletionProtection) return blocked('ProtectionEnabled', protectedBySpec)
  const desired = desiredInstance(object, rds, { ...facts, credentials })
  const finalSnapshot = spec.deletionPolicy === 'Snapshot' ? finalSnapshotIdentifier(metadata.uid) : undefined
  return {
    kind: 'remove',
    externalName: identifierOf(object, rds),
    desired: finalSnapshot === undefined ? desired : { ...desired, finalSnapshot },
  }
}

const protectedBySpec =
  'the instance is protected from deletion; set spec.provider.rds.deletionProtection to false, or spec.deletionPolicy to Retain'

/** Returns the identifier of a new instance. An existing one keeps the recorded identifier. */
export function identifierOf(
  { metadata }: DatabaseObject,
  { instanceIdentifier: named }: DatabaseSpecProviderRds,
): string {
  const { namespace = '', name, uid } = metadata
  return named ?? instanceIdentifier({ namespace, name, uid })
}

function desiredInstance(
  { metadata, spec }: DatabaseObject,
  rds: DatabaseSpecProviderRds,
  { credentials, admin }: { readonly credentials: AwsCredentials; readonly admin: RdsFacts['admin'] },
): DesiredInstance {
  const { region, instanceClass, allocatedStorageGiB, multiAZ, deletionProtection, subnetGroupName } = rds
  const { securityGroupIDs = [] } = rds
  return {
    access: { region, credentials },
    // The CRD requires a version with this provider.
    version: spec.version ?? '',
    ...{ instanceClass, allocatedStorageGiB, multiAZ, deletionProtection, subnetGroupName, admin },
    securityGroupIDs: securityGroupIDs.length === 0 ? undefined : securityGroupIDs,
    label: `${metadata.namespace}/${metadata.name}`,
  }
}

function howToAdopt(object: DatabaseObject, rds: DatabaseSpecProviderRds): string {
  const identifier = identifierOf(object, rds)
  return (
    `in ${rds.region}; a Database with spec.provider.rds.instanceIdentifier ${identifier} and spec.adoptionPolicy Adopt takes it up ` +
    'again, and gives it a new master password'
  )
}

function blocked(reason: string, message: string): { kind: 'blocked'; reason: string; message: string } {
  return { kind: 'blocked', reason, message }
}
