// As whom do we speak to AWS? By the Secret that a spec names, or as whoever the operator itself is. Pure.
import type { InvalidSpec, LiveObject } from '../../../index.ts'
import { type ReferencePolicy, secretRejection } from '../../references/reference-policy.ts'
import { secretText } from '../secret-text.ts'
import type { AwsCredentials } from './instance.ts'

export interface AwsIdentity {
  /** Undefined: see `problem`. */
  readonly credentials: AwsCredentials | undefined
  /** What is wrong with the Secret of the credentials. */
  readonly problem?: InvalidSpec
}

/** `name`: of the Secret, undefined where none is named; `secret`: that one, if it is there. */
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
