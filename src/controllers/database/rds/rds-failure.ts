// Maps failures of the AWS SDK to a reason and a remedy, by RDS's error code or by a missing answer. RDS's own message
// is included if it helps. Invariant: secrets that the operator sent are removed from it (I11).
import { CodedError, type Remedy } from '../../../index.ts'

export type RdsReason =
  | 'AccessDenied'
  /** The name is taken. */
  | 'AlreadyExists'
  | 'CredentialsExpired'
  | 'CredentialsInvalid'
  | 'CredentialsMissing'
  /** The instance is busy, and accepts the request later. */
  | 'InstanceBusy'
  | 'InstanceQuotaExceeded'
  | 'InsufficientCapacity'
  | 'ProviderUnavailable'
  | 'ProviderUnreachable'
  | 'RegionNotEnabled'
  | 'RequestRefused'
  | 'SdkMissing'
  /** The snapshot is busy, and accepts the request later. */
  | 'SnapshotBusy'
  | 'SnapshotFailed'
  | 'SnapshotImpossible'
  | 'SnapshotMissing'
  | 'SnapshotNameTaken'
  | 'SnapshotQuotaExceeded'
  | 'StorageQuotaExceeded'
  | 'Throttled'
  | 'VersionTooOld'

export class RdsError extends CodedError<RdsReason> {
  override readonly name = 'RdsError'
}

interface Meaning {
  readonly reason: RdsReason
  readonly remedy: Remedy
  readonly retryAfterMs?: number
  /** Replaces RDS's own message. */
  readonly advice?: string
}

const minuteMs = 60_000
const throttled: Meaning = { reason: 'Throttled', remedy: 'retry' }
const unavailable: Meaning = { reason: 'ProviderUnavailable', remedy: 'retry' }
const denied: Meaning = { reason: 'AccessDenied', remedy: 'stop', retryAfterMs: 10 * minuteMs }
const invalid: Meaning = {
  reason: 'CredentialsInvalid',
  remedy: 'stop',
  retryAfterMs: 5 * minuteMs,
  advice: 'AWS does not know the access key, or the secret key is not its own; see the Secret of the credentials',
}
const expired: Meaning = {
  reason: 'CredentialsExpired',
  remedy: 'stop',
  retryAfterMs: 5 * minuteMs,
  advice: 'the session of the credentials has expired; put new ones into their Secret',
}
const missing: Meaning = {
  reason: 'CredentialsMissing',
  remedy: 'stop',
  retryAfterMs: minuteMs,
  advice:
    'the operator has no identity at AWS; name a Secret in spec.provider.rds.credentials.secretRef, or give its service account a role',
}
const quota = (reason: RdsReason): Meaning => ({ reason, remedy: 'stop', retryAfterMs: 10 * minuteMs })
const refused: Meaning = { reason: 'RequestRefused', remedy: 'stop', retryAfterMs: 10 * minuteMs }

/** Keyed by AWS's codes, without the suffix that the SDK adds to some. */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['DBInstanceAlreadyExists', { reason: 'AlreadyExists', remedy: 'retry' }],
  ['InvalidDBInstanceState', { reason: 'InstanceBusy', remedy: 'retry', retryAfterMs: 30_000 }],
  ['InvalidDBSnapshotState', { reason: 'SnapshotBusy', remedy: 'retry', retryAfterMs: 30_000 }],
  ['DBSnapshotAlreadyExists', { reason: 'SnapshotNameTaken', remedy: 'stop', retryAfterMs: 10 * minuteMs }],
  ['InstanceQuotaExceeded', quota('InstanceQuotaExceeded')],
  ['StorageQuotaExceeded', quota('StorageQuotaExceeded')],
  ['SnapshotQuotaExceeded', quota('SnapshotQuotaExceeded')],
  ['InsufficientDBInstanceCapacity', { reason: 'InsufficientCapacity', remedy: 'stop', retryAfterMs: 5 * minuteMs }],
  ['AccessDenied', denied],
  ['UnauthorizedOperation', denied],
  ['NotAuthorized', denied],
  ['InvalidClientTokenId', invalid],
  ['UnrecognizedClient', invalid],
  ['SignatureDoesNotMatch', invalid],
  ['IncompleteSignature', invalid],
  ['MissingAuthenticationToken', invalid],
  ['InvalidAccessKeyId', invalid],
  ['ExpiredToken', expired],
  ['TokenRefreshRequired', expired],
  ['CredentialsProviderError', missing],
  ['OptInRequired', { reason: 'RegionNotEnabled', remedy: 'stop', retryAfterMs: 10 * minuteMs }],
  ['Throttling', throttled],
  ['Throttled', throttled],
  ['RequestLimitExceeded', throttled],
  ['TooManyRequests', throttled],
  ['PriorRequestNotComplete', throttled],
  ['InternalFailure', unavailable],
  ['InternalError', unavailable],
  ['ServiceUnavailable', unavailable],
  // The SDK learns the clock skew from the answer, and corrects the next request.
  ['RequestExpired', unavailable],
  ['RequestTimeTooSkewed', unavailable],
])

export interface FailedCall {
  /** Name in the API, e.g. `CreateDBInstance`. */
  readonly operation: string
  readonly region: string
  /** Values that no message may contain, even if RDS repeats them. */
  readonly secrets: readonly string[]
}

export function rdsFailure(thrown: unknown, { operation, region, secrets }: FailedCall): RdsError {
  const { code, status, message } = readFailure(thrown)
  const meaning = meanings.get(code) ?? meaningOfStatus(status)
  const { reason, remedy, retryAfterMs, advice } = meaning
  const what = `${operation} in ${region}`
  const sentence =
    reason === 'ProviderUnreachable'
      ? `RDS gave no answer to ${what}: ${withoutSecrets(message, secrets)}`
      : `${what}: ${code}: ${advice ?? withoutSecrets(message, secrets)}`
  // Without a cause, because the SDK's errors contain requests and answers.
  return new RdsError({ code: reason, message: sentence, remedy, retryAfterMs })
}

/** Returns whether RDS answered that the instance or snapshot does not exist. */
export function isNotFound(thrown: unknown): boolean {
  return /^DB(Instance|Snapshot)NotFound$/.test(readFailure(thrown).code)
}

/** Returns whether the failure concerns RDS itself, not only the requested object. */
export function isAboutPlace({ code, remedy }: RdsError): boolean {
  return remedy === 'stop' || !isAboutThing.has(code)
}

const isAboutThing: ReadonlySet<RdsReason> = new Set<RdsReason>(['InstanceBusy', 'SnapshotBusy', 'AlreadyExists'])

function meaningOfStatus(status: number | undefined): Meaning {
  if (status === undefined) return { reason: 'ProviderUnreachable', remedy: 'retry' }
  if (status === 429) return throttled
  return status >= 500 ? unavailable : refused
}

interface ReadFailure {
  readonly code: string
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  readonly message: string
}

function readFailure(thrown: unknown): ReadFailure {
  if (!(thrown instanceof Error)) return { code: 'UnknownError', status: undefined, message: String(thrown) }
  // SDK errors have AWS's code as their name, and metadata if there was an answer.
  const { $metadata: metadata } = thrown as { readonly $metadata?: { readonly httpStatusCode?: number } }
  const code = thrown.name.replace(/(Fault|Exception)$/, '')
  return { code, status: metadata?.httpStatusCode, message: sentenceOf(thrown) }
}

const longestMessage = 500

function sentenceOf(thrown: Error): string {
  // A refused connection to a name with several addresses has its messages in nested errors.
  const said = thrown instanceof AggregateError ? thrown.errors.map(String).join('; ') : thrown.message
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
  return (said === '' ? code : said).slice(0, longestMessage)
}

function withoutSecrets(message: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((text, secret) => text.replaceAll(secret, '***'), message)
}
