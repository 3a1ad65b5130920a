// Loads the state of the cluster that a Backup of the method Provider depends on: its Database and the Secret of the
// provider.
import type { BackupSpec, BackupStatus } from '../../../imports/wire/backup.ts'
import { type ObserveContext, Secret } from '../../index.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { Place, Problem } from '../migration/migration-place.ts'
import type { ReferencePolicy } from '../references/reference-policy.ts'
import type { BackupObject } from './desired-work.ts'
import { credentialsSecretOf, type ProviderFacts, providerFacts } from './provider-facts.ts'

export interface FoundDatabase {
  readonly database: DatabaseObject | undefined
  readonly place: Place | Problem
}

interface ProviderAsk {
  readonly object: BackupObject
  readonly found: FoundDatabase
  /** Policy of the operator for references in a Database. */
  readonly policy: ReferencePolicy
}

export async function loadProvider(
  { live, nowMs }: Pick<ObserveContext<BackupSpec, BackupStatus>, 'live' | 'nowMs'>,
  { object, found: { database, place }, policy }: ProviderAsk,
): Promise<ProviderFacts> {
  const { namespace } = object.metadata
  const name = credentialsSecretOf({ object, database })
  const secret = name === undefined ? undefined : await live.find(Secret, { namespace, name })
  return providerFacts({ object, database, place, secret, policy, nowMs })
}
