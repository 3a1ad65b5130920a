// AWS identity of the operator's calls: the Secret that the spec names, or the operator's own identity. Pure.
import type { InvalidSpec, LiveObject } from '../../../index.ts'
import { type ReferencePolicy, secretRejection } from '../../references/reference-policy.ts'
import { secretText } from '../secret-text.ts'
import type { AwsCredentials } from './instance.ts'

export interface AwsIdentity {
  /** Undefined if there is a `problem`. */
  readonly credentials: AwsCredentials | undefined
  /** Problem with the Secret of the credentials. */
  readonly problem?: InvalidSpec
}

/** `name`: name of the Secret; undefined if the spec names none. `secret`: this Secret, if it exists. */
export function awsCredentials(
  name: string | undefined,
  secret: LiveObject | undefined,
  policy: ReferencePolicy,
): AwsIdentity {
  if (name === undefined) return { credentials: { kind: 'ambient' } }
  const place = `Secret ${name}, with which the operator speaks to AWS,`
  if (secret === undefined) return broken('SecretNotFound', `${place} is missing`)
  const rejection = secretRejection(secret, 'Database', policy)
  if (rejection !== undefined) return { credentials: undefined, problem: rejection }
  const [accessKeyId, secretAccessKey, sessionToken] = credentialKeys.map((key) => secretText(secret, key)?.trim())
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? 'accessKeyId' : 'secretAccessKey'
    return broken('SecretIncomplete', `${place} has no ${missing}`)
  }
  const keys = { kind: 'keys', accessKeyId, secretAccessKey } as const
  return { credentials: sessionToken === undefined ? keys : { ...keys, sessionToken } }
}

const credentialKeys = ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const

function broken(reason: string, message: string): AwsIdentity {
  return { credentials: undefined, problem: { reason, message } }
}
