// What must be known of the cluster before an instance can be asked for? As whom we speak to AWS, and the master password, which is
// drawn once and kept in a Secret of the Database before RDS hears of it. A Secret that was lost gets a new password, and RDS after
// it: the instance is told by the mark that goes with the password. Pure: chance comes in.
import { databaseAdmin } from '../../../../constructs/index.ts'
import type { DatabaseSpecProviderRds } from '../../../../imports/wire/database.ts'
import { type LiveObject, passwordFrom, type Refusal, type SecretSource } from '../../../index.ts'
import { secretText } from '../secret-text.ts'
import type { AwsCredentials, InstanceAdmin, ObservedInstance } from './instance.ts'

export interface RdsFacts {
  /** Undefined: see `problem`. */
  readonly credentials: AwsCredentials | undefined
  /** What is wrong with the Secret of the credentials. */
  readonly problem?: Refusal
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
}

export function rdsFacts({ rds, adminSecret, awsSecret, observed, secrets }: RdsFactsInput): RdsFacts {
  const endpoint = observed?.endpoint ?? endpointIn(adminSecret)
  return {
    ...credentialsOf(rds, awsSecret),
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

function credentialsOf(
  { credentials: { secretRef } }: DatabaseSpecProviderRds,
  secret: LiveObject | undefined,
): Pick<RdsFacts, 'credentials' | 'problem'> {
  if (secretRef === undefined) return { credentials: { kind: 'ambient' } }
  const place = `Secret ${secretRef.name}, with which the operator speaks to AWS,`
  if (secret === undefined) return broken('SecretNotFound', `${place} is missing`)
  const [accessKeyId, secretAccessKey, sessionToken] = credentialKeys.map((key) => secretText(secret, key)?.trim())
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? 'accessKeyId' : 'secretAccessKey'
    return broken('SecretIncomplete', `${place} has no ${missing}`)
  }
  const keys = { kind: 'keys', accessKeyId, secretAccessKey } as const
  return { credentials: sessionToken === undefined ? keys : { ...keys, sessionToken } }
}

const credentialKeys = ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const

function broken(reason: string, message: string): Pick<RdsFacts, 'credentials' | 'problem'> {
  return { credentials: undefined, problem: { reason, message } }
}
