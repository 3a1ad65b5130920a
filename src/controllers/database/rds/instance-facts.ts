// What must be known of the cluster before an instance can be asked for? As whom we speak to AWS, and the master password, which is
// drawn once and kept in a Secret of the Database before RDS hears of it. A Secret that was lost gets a new password, and RDS after
// it: the instance is told by the mark that goes with the password. Pure: chance comes in.
import { databaseAdmin } from '../../../../constructs/index.ts'
import type { DatabaseSpecProviderRds } from '../../../../imports/wire/database.ts'
import { type LiveObject, passwordFrom, type SecretSource } from '../../../index.ts'
import type { ReferencePolicy } from '../../references/reference-policy.ts'
import { secretText } from '../secret-text.ts'
import { type AwsIdentity, awsCredentials } from './aws-credentials.ts'
import type { InstanceAdmin, ObservedInstance } from './instance.ts'

export interface RdsFacts extends AwsIdentity {
  readonly admin: InstanceAdmin
  /** Where it serves, once that is known. */
  readonly endpoint?: ObservedInstance['endpoint']
}

export interface RdsFactsInput {
  readonly rds: DatabaseSpecProviderRds
  /** Of the administrator, if it is there. */
  readonly adminSecret: LiveObject | undefined
  /** The one that the spec names for AWS, if it is there. */
  readonly awsSecret: LiveObject | undefined
  /** As it was last seen, if it was. */
  readonly observed: ObservedInstance | undefined
  readonly secrets: SecretSource
  readonly policy: ReferencePolicy
}

export function rdsFacts({ rds, adminSecret, awsSecret, observed, secrets, policy }: RdsFactsInput): RdsFacts {
  const endpoint = observed?.endpoint ?? endpointIn(adminSecret)
  return {
    ...awsCredentials(rds.credentials.secretRef?.name, awsSecret, policy),
    admin: adminOf(adminSecret, observed, secrets),
    ...(endpoint === undefined ? {} : { endpoint }),
  }
}

/** Marks which password an instance has. */
export const passwordIDKey = 'password-id'

const passwordLength = 32
const passwordIDLength = 12

function adminOf(
  secret: LiveObject | undefined,
  observed: ObservedInstance | undefined,
  secrets: SecretSource,
): InstanceAdmin {
  const username = observed?.username ?? secretText(secret, 'username') ?? databaseAdmin
  const password = secretText(secret, 'password')
  const passwordID = secretText(secret, passwordIDKey)
  if (password !== undefined && passwordID !== undefined) return { username, password, passwordID }
  return {
    username,
    password: passwordFrom(secrets, passwordLength),
    passwordID: passwordFrom(secrets, passwordIDLength),
  }
}

function endpointIn(secret: LiveObject | undefined): ObservedInstance['endpoint'] | undefined {
  const [host, port] = [secretText(secret, 'host'), secretText(secret, 'port')]
  return host === undefined || port === undefined ? undefined : { host, port: Number(port) }
}
