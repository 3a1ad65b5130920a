// Failures of an S3-compatible store: a code, and whether to retry. Both follow from the store's code, else from the
// status of the response, or from the lack of one. The message includes the store's text where it helps, without
// secrets (I11). Pure.
import type { Remedy } from '../../index.ts'
import { StoreError, type StoreErrorCode } from './store-error.ts'

interface Meaning {
  readonly code: StoreErrorCode
  readonly remedy: Remedy
  /** Replaces the store's own text. */
  readonly advice?: string
}

const unavailable: Meaning = { code: 'StoreUnavailable', remedy: 'retry' }
const invalid: Meaning = {
  code: 'CredentialsInvalid',
  remedy: 'stop',
  advice: 'the store does not take these credentials; see the Secret that holds them',
}
/** A worker reads credentials at its start, so the next one finds renewed ones. */
const expired: Meaning = {
  code: 'CredentialsExpired',
  remedy: 'retry',
  advice:
    'the session token has expired; the next try reads the Secret again, which has to have new credentials by then',
}
const denied: Meaning = {
  code: 'AccessDenied',
  remedy: 'stop',
  advice:
    'the credentials do not allow it; they need s3:PutObject, s3:GetObject, s3:DeleteObject, s3:ListBucket, s3:ListBucketMultipartUploads and ' +
    's3:AbortMultipartUpload; for objectLockDays s3:PutObjectRetention too, and for aws:kms kms:GenerateDataKey and kms:Decrypt',
}
const missing: Meaning = { code: 'NotStored', remedy: 'stop', advice: 'it is not there' }
/**
 * Another worker swept the upload. Or the response was lost and the upload is complete, which a retry does not learn.
 */
const uploadGone: Meaning = {
  code: 'StoreUnavailable',
  remedy: 'retry',
  advice: 'the upload had ended already, by another worker perhaps',
}
const taken: Meaning = { code: 'AlreadyStored', remedy: 'stop', advice: 'it is there already' }

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  [
    'NoSuchBucket',
    { code: 'BucketMissing', remedy: 'stop', advice: 'there is no such bucket; make it, or name another' },
  ],
  ['NoSuchKey', missing],
  ['NotFound', missing],
  ['NoSuchUpload', uploadGone],
  ['PreconditionFailed', taken],
  ['ConditionalRequestConflict', { code: 'AlreadyStored', remedy: 'retry' }],
  ['AccessDenied', denied],
  ['AllAccessDisabled', denied],
  ['InvalidAccessKeyId', invalid],
  ['SignatureDoesNotMatch', invalid],
  ['InvalidToken', invalid],
  ['ExpiredToken', expired],
  ['TokenRefreshRequired', expired],
  ['CredentialsProviderError', invalid],
  [
    'InvalidObjectState',
    {
      code: 'Archived',
      remedy: 'stop',
      advice: 'it has been archived, by a lifecycle rule of the bucket perhaps; have it restored in S3, then try again',
    },
  ],
  ['AuthorizationHeaderMalformed', { code: 'StoreRefused', remedy: 'stop' }],
  ['PermanentRedirect', { code: 'StoreRefused', remedy: 'stop', advice: 'the bucket is in another region; name it' }],
  ['QuotaExceeded', { code: 'StoreFull', remedy: 'retry' }],
  ['XMinioStorageFull', { code: 'StoreFull', remedy: 'retry' }],
  ['ObjectLocked', { code: 'Locked', remedy: 'retry' }],
  ['InvalidRetentionPeriod', { code: 'StoreRefused', remedy: 'stop' }],
  ['SlowDown', unavailable],
  ['Throttling', unavailable],
  ['RequestTimeout', unavailable],
  ['RequestTimeTooSkewed', unavailable],
  ['InternalError', unavailable],
  ['ServiceUnavailable', unavailable],
])

export interface FailedRequest {
  /** Completes "could not …". */
  readonly attempt: string
  /** For example `s3://backups`. */
  readonly place: string
  /** Texts that the message must not contain, even if the store repeats them. */
  readonly secrets: readonly string[]
}

/** Returns undefined if `thrown` is no failure of a request. */
export function s3Failure(thrown: unknown, { attempt, place, secrets }: FailedRequest): StoreError | undefined {
  const failure = readFailure(thrown)
  if (failure === undefined) return undefined
  const { code, status, message } = failure
  const meaning = meanings.get(code) ?? meaningOfStatus(status)
  // Secrets are removed before the cut, which could leave a part of one.
  const said = meaning.advice ?? withoutSecrets(message, secrets).slice(0, longestMessage)
  const sentence = `could not ${attempt} in ${place}: ${status === undefined ? 'no answer: ' : ''}${code}: ${said}`
  // Without a cause: the SDK's errors contain requests and responses.
  return new StoreError({ code: meaning.code, message: sentence, remedy: meaning.remedy })
}

function meaningOfStatus(status: number | undefined): Meaning {
  if (status === undefined || status === 429 || status >= 500) return unavailable
  if (status === 404) return missing
  if (status === 412) return taken
  return status === 401 || status === 403 ? denied : { code: 'StoreRefused', remedy: 'stop' }
}

interface ReadFailure {
  readonly code: string
  /** Undefined if there was no response. */
  readonly status: number | undefined
  readonly message: string
}

const longestMessage = 500

function readFailure(thrown: unknown): ReadFailure | undefined {
  if (!(thrown instanceof Error)) return undefined
  // An error of the SDK has the store's code as its name, and metadata of the response if there was one. Node's errors
  // have a code of their own.
  const { $metadata: metadata } = thrown as { readonly $metadata?: { readonly httpStatusCode?: number } }
  const system = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  if (metadata === undefined && system === undefined && !/Timeout|CredentialsProvider/.test(thrown.name))
    return undefined
  const said = thrown instanceof AggregateError ? thrown.errors.map(String).join('; ') : thrown.message
  const code = system ?? thrown.name.replace(/Exception$/, '')
  return { code, status: metadata?.httpStatusCode, message: said }
}

function withoutSecrets(message: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((text, secret) => text.replaceAll(secret, '***'), message)
}
