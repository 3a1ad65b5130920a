// Error codes of AWS. One row for each: its reason, and whether a retry follows.
import { describe, expect, it } from 'vitest'
import { isAboutPlace, isNotFound, rdsFailure } from '../../../../src/controllers/database/rds/rds-failure.ts'

const call = { operation: 'CreateDBInstance', region: 'eu-central-1', secrets: ['hunter2', ''] }

function sdkError(name: string, httpStatusCode: number | undefined, message = 'as AWS says it'): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } })
}

describe('a failure of RDS', () => {
  it.each([
    ['DBInstanceAlreadyExistsFault', 400, 'AlreadyExists', 'retry'],
    ['InvalidDBInstanceStateFault', 400, 'InstanceBusy', 'retry'],
    ['DBSnapshotAlreadyExistsFault', 400, 'SnapshotNameTaken', 'stop'],
    ['InstanceQuotaExceededFault', 400, 'InstanceQuotaExceeded', 'stop'],
    ['StorageQuotaExceededFault', 400, 'StorageQuotaExceeded', 'stop'],
    ['SnapshotQuotaExceededFault', 400, 'SnapshotQuotaExceeded', 'stop'],
    ['InsufficientDBInstanceCapacityFault', 400, 'InsufficientCapacity', 'stop'],
    ['AccessDenied', 403, 'AccessDenied', 'stop'],
    ['AccessDeniedException', 403, 'AccessDenied', 'stop'],
    ['UnauthorizedOperation', 403, 'AccessDenied', 'stop'],
    ['NotAuthorized', 400, 'AccessDenied', 'stop'],
    ['InvalidClientTokenId', 403, 'CredentialsInvalid', 'stop'],
    ['UnrecognizedClientException', 400, 'CredentialsInvalid', 'stop'],
    ['SignatureDoesNotMatch', 403, 'CredentialsInvalid', 'stop'],
    ['IncompleteSignature', 400, 'CredentialsInvalid', 'stop'],
    ['MissingAuthenticationToken', 403, 'CredentialsInvalid', 'stop'],
    ['InvalidAccessKeyId', 403, 'CredentialsInvalid', 'stop'],
    ['ExpiredToken', 403, 'CredentialsExpired', 'stop'],
    ['ExpiredTokenException', 400, 'CredentialsExpired', 'stop'],
    ['TokenRefreshRequired', 400, 'CredentialsExpired', 'stop'],
    ['CredentialsProviderError', undefined, 'CredentialsMissing', 'stop'],
    ['OptInRequired', 403, 'RegionNotEnabled', 'stop'],
    ['Throttling', 400, 'Throttled', 'retry'],
    ['ThrottlingException', 400, 'Throttled', 'retry'],
    ['ThrottledException', 400, 'Throttled', 'retry'],
    ['RequestLimitExceeded', 503, 'Throttled', 'retry'],
    ['TooManyRequestsException', 429, 'Throttled', 'retry'],
    ['PriorRequestNotComplete', 400, 'Throttled', 'retry'],
    ['SomethingUnheardOf', 429, 'Throttled', 'retry'],
    ['InternalFailure', 500, 'ProviderUnavailable', 'retry'],
    ['InternalError', 500, 'ProviderUnavailable', 'retry'],
    ['ServiceUnavailable', 503, 'ProviderUnavailable', 'retry'],
    ['RequestExpired', 400, 'ProviderUnavailable', 'retry'],
    ['RequestTimeTooSkewed', 403, 'ProviderUnavailable', 'retry'],
    ['SomethingUnheardOf', 502, 'ProviderUnavailable', 'retry'],
    ['DBSubnetGroupNotFoundFault', 404, 'RequestRefused', 'stop'],
    ['InvalidParameterCombination', 400, 'RequestRefused', 'stop'],
    ['KMSKeyNotAccessibleFault', 400, 'RequestRefused', 'stop'],
    ['TimeoutError', undefined, 'ProviderUnreachable', 'retry'],
    ['Error', undefined, 'ProviderUnreachable', 'retry'],
  ])('called %s with status %s is %s: %s', (name, status, code, remedy) => {
    const failure = rdsFailure(sdkError(name, status), call)
    expect(failure).toMatchObject({ code, remedy })
    if (remedy === 'stop') expect(failure.retryAfterMs).toBeGreaterThanOrEqual(60_000)
  })

  it('names the place and the message of AWS', () => {
    const failure = rdsFailure(sdkError('DBSubnetGroupNotFoundFault', 404, 'DBSubnetGroup db-net not found.'), call)
    expect(failure.message).toBe(
      'CreateDBInstance in eu-central-1: DBSubnetGroupNotFound: DBSubnetGroup db-net not found.',
    )
  })

  it('replaces AWS’s text about signatures by the remedy', () => {
    const failure = rdsFailure(sdkError('SignatureDoesNotMatch', 403, 'the canonical string was POST hunter2'), call)
    expect(failure.message).toBe(
      'CreateDBInstance in eu-central-1: SignatureDoesNotMatch: AWS does not know the access key, or the secret key is not its own; see the Secret of the credentials',
    )
  })

  it('has no secret in its message, and no cause', () => {
    const failure = rdsFailure(sdkError('InvalidParameterValue', 400, 'MasterUserPassword hunter2 is bad'), call)
    expect(failure.message).toContain('MasterUserPassword *** is bad')
    expect(failure.cause).toBeUndefined()
  })

  it('has a message also when several addresses refused', () => {
    const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:443')], '')
    expect(rdsFailure(refused, call).message).toBe(
      'RDS gave no answer to CreateDBInstance in eu-central-1: Error: connect ECONNREFUSED ::1:443',
    )
  })

  it.each([
    ['DBInstanceNotFoundFault', true],
    ['DBInstanceNotFound', true],
    ['DBSnapshotNotFoundFault', true],
    ['DBSubnetGroupNotFoundFault', false],
  ])('called %s means absence: %s', (name, expected) => {
    expect(isNotFound(sdkError(name, 404))).toBe(expected)
  })

  it.each([
    ['DBInstanceAlreadyExistsFault', false],
    ['InvalidDBInstanceStateFault', false],
    ['Throttling', true],
    ['AccessDenied', true],
  ])('called %s concerns RDS itself: %s', (name, expected) => {
    expect(isAboutPlace(rdsFailure(sdkError(name, 400), call))).toBe(expected)
  })
})
