// Reads the facts that an instance depends on: the administrator's Secret, and the Secret that the spec names for AWS.
// The administrator's Secret is in memory, except in the first reconciliations.
import { databaseServerNames } from '../../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseSpecProviderRds, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { childNamed, type LiveObject, type ObserveContext, Secret } from '../../../index.ts'
import type { ReferencePolicy } from '../../references/reference-policy.ts'
import type { ObservedInstance } from './instance.ts'
import { type RdsFacts, rdsFacts } from './instance-facts.ts'

export interface LoadedFacts {
  readonly facts: RdsFacts
  readonly adminSecret: LiveObject | undefined
}

export async function loadRdsFacts(
  { object, children, live, secrets }: ObserveContext<DatabaseSpec, DatabaseStatus>,
  rds: DatabaseSpecProviderRds,
  { observed, policy }: { observed: ObservedInstance | undefined; policy: ReferencePolicy },
): Promise<LoadedFacts> {
  const { namespace, name } = object.metadata
  const { adminSecret: adminName } = databaseServerNames(name)
  const { secretRef } = rds.credentials
  const kept = childNamed({ object, children }, Secret, adminName)
  const [adminSecret, awsSecret] = await Promise.all([
    kept ?? live.find(Secret, { namespace, name: adminName }),
    secretRef === undefined ? undefined : live.find(Secret, { namespace, name: secretRef.name }),
  ])
  return { facts: rdsFacts({ rds, adminSecret, awsSecret, observed, secrets, policy }), adminSecret }
}
