// Facts of the cluster that an instance depends on: AWS credentials, and the master password. The password is generated
// once and stored in a Secret of the Database before RDS receives it. A lost Secret gets a new password, which is then
// set in RDS; the password's id in the tags reveals the difference. Pure: randomness is a parameter.
import { databaseAdmin } from '../../../../constructs/index.ts'
import type { DatabaseSpecProviderRds } from '../../../../imports/wire/database.ts'
import { type LiveObject, passwordFrom, type SecretSource } from '../../../index.ts'
import type { ReferencePolicy } from '../../references/reference-policy.ts'
import { secretText } from '../secret-text.ts'
import { type AwsIdentity, awsCredentials } from './aws-credentials.ts'
import type { InstanceAdmin, ObservedInstance } from './instance.ts'

export interface RdsFacts extends AwsIdentity {
  readonly admin: InstanceAdmin
  /** Address of the instance, once known. */
  readonly endpoint?: ObservedInstance['endpoint']
}

export interface RdsFactsInput {
  readonly rds: DatabaseSpecProviderRds
  /** The administrator's Secret, if it exists. */
  readonly adminSecret: LiveObject | undefined
  /** The Secret that the spec names for AWS, if it exists. */
  readonly awsSecret: LiveObject | undefined
  /** Last observation, if any. */
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

/** Key of the id that identifies an instance's password. */
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
