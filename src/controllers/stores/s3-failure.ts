// What did an S3-compatible store say? A reason, and whether to try again: by its code, else by the status of its answer, or by the lack
// of one. Its own sentence is told where it helps; secrets are taken out of it (I11). Pure.
import type { Remedy } from '../../index.ts'
import { StoreError, type StoreErrorCode } from './store-error.ts'

interface Meaning {
  readonly code: StoreErrorCode
  readonly remedy: Remedy
  /** Said instead of the store's own sentence. */
  readonly advice?: string
}

const unavailable: Meaning = { code: 'StoreUnavailable', remedy: 'retry' }
const invalid: Meaning = {
  code: 'CredentialsInvalid',
  remedy: 'stop',
  advice: 'the store does not take these credentials; see the Secret that holds them',
}
/** They are read when a worker begins, and the next one finds those that have been put there since. */
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
/** Another worker has swept it; or the answer was lost, and it is one file by now, which a repetition is not told. */
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
  /** `s3://backups` */
  readonly place: string
  /** What must not be told, whatever the store repeats. */
  readonly secrets: readonly string[]
}

/** Undefined for what is no failure of a request. */
export function s3Failure(thrown: unknown, { attempt, place, secrets }: FailedRequest): StoreError | undefined {
  const failure = readFailure(thrown)
  if (failure === undefined) return undefined
  const { code, status, message } = failure
  const meaning = meanings.get(code) ?? meaningOfStatus(status)
  // Cut off afterwards: of a secret at the end a part would be left.
  const said = meaning.advice ?? withoutSecrets(message, secrets).slice(0, longestMessage)
  const sentence = `could not ${attempt} in ${place}: ${status === undefined ? 'no answer: ' : ''}${code}: ${said}`
  // Without a cause: the SDK's errors carry requests and answers.
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
  /** Undefined: there was no answer. */
  readonly status: number | undefined
  readonly message: string
}

const longestMessage = 500

function readFailure(thrown: unknown): ReadFailure | undefined {
  if (!(thrown instanceof Error)) return undefined
  // The SDK's errors: a name that is the store's code, and metadata of the answer if there was one. Node's have a code of their own.
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
