// Errors of an S3-compatible store: a code, and whether to retry. Invariant: no error contains a secret.
import { describe, expect, it } from 'vitest'
import { s3Failure } from '../../../src/controllers/stores/s3-failure.ts'

const said = (name: string, httpStatusCode: number, message = 'says the store') =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode } })
const system = (code: string) => Object.assign(new Error(`connect ${code}`), { code })
const request = { attempt: 'store a', place: 's3://b', secrets: ['hunter2'] }

describe('a failure of S3', () => {
  it.each([
    [said('NoSuchBucket', 404), 'BucketMissing', 'stop'],
    [said('NoSuchKey', 404), 'NotStored', 'stop'],
    [said('NoSuchUpload', 404), 'StoreUnavailable', 'retry'],
    [said('AccessDenied', 403), 'AccessDenied', 'stop'],
    [said('SignatureDoesNotMatch', 403), 'CredentialsInvalid', 'stop'],
    [said('ExpiredToken', 400), 'CredentialsExpired', 'retry'],
    [said('ExpiredTokenException', 403), 'CredentialsExpired', 'retry'],
    [said('TokenRefreshRequired', 400), 'CredentialsExpired', 'retry'],
    [said('InvalidObjectState', 403), 'Archived', 'stop'],
    [said('Weird', 403), 'AccessDenied', 'stop'],
    [said('PreconditionFailed', 412), 'AlreadyStored', 'stop'],
    [said('SlowDown', 503), 'StoreUnavailable', 'retry'],
    [said('Weird', 500), 'StoreUnavailable', 'retry'],
    [said('Weird', 429), 'StoreUnavailable', 'retry'],
    [said('Weird', 400), 'StoreRefused', 'stop'],
    [system('ECONNREFUSED'), 'StoreUnavailable', 'retry'],
    [Object.assign(new Error('no answer'), { name: 'TimeoutError' }), 'StoreUnavailable', 'retry'],
  ])('%s is %s: %s', (thrown, code, remedy) => {
    expect(s3Failure(thrown, request)).toMatchObject({
      code,
      remedy,
      message: expect.stringMatching(/^could not store a in s3:\/\/b: /),
    })
  })

  it.each([
    's3:PutObject',
    's3:GetObject',
    's3:DeleteObject',
    's3:ListBucket',
    's3:ListBucketMultipartUploads',
    's3:AbortMultipartUpload',
    's3:PutObjectRetention',
  ])('names the missing privilege %s', (right) => {
    expect(s3Failure(said('AccessDenied', 403), request)?.message).toMatch(new RegExp(`${right}\\b`))
  })

  it('has the remedy for an archived object', () => {
    expect(s3Failure(said('InvalidObjectState', 403), request)?.message).toMatch(/archived.*have it restored in S3/)
  })

  it('is not made from other thrown values', () => {
    expect(s3Failure(new Error('pg_dump failed'), request)).toBeUndefined()
    expect(s3Failure('text', request)).toBeUndefined()
  })

  it('shows no secret', () => {
    expect(s3Failure(said('Weird', 400, 'your key hunter2 is odd'), request)?.message).toBe(
      'could not store a in s3://b: Weird: your key *** is odd',
    )
  })
})
