// Client of an S3-compatible store. It loads the AWS SDK when the first backup needs it. The SDK retries requests
// itself, with backoff.
// Invariant: every wait and every response has a limit.
import type { S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../../index.ts'
import { type AnswerLimits, answerStep, boundAnswers, usualAnswers } from './answer-watcher.ts'
import { StoreError } from './store-error.ts'

export type S3Sdk = typeof import('@aws-sdk/client-s3') & Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>

export interface S3Access {
  readonly region: string
  /** Endpoint of a store outside AWS. */
  readonly endpoint?: string | undefined
  /** Puts the bucket into the path instead of the host name, as most stores but AWS's require. */
  readonly forcePathStyle?: boolean | undefined
  /** Undefined: the worker's identity at AWS. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined
}

export interface S3Limits {
  readonly connectMs: number
  /** Limit until a response starts, and between any two pieces of it. */
  readonly silenceMs: number
  readonly attempts: number
  /** Limits of all responses but downloads. */
  readonly answers?: AnswerLimits
}

export const usualLimits: S3Limits = { connectMs: 5_000, silenceMs: 30_000, attempts: 5 }

export interface S3Speaking {
  readonly access: S3Access
  readonly limits: S3Limits
  readonly clock: Clock
}

export async function loadS3Sdk(): Promise<S3Sdk> {
  try {
    const [client, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
    return { ...client, Upload }
  } catch {
    const message =
      'a backup in S3 needs the AWS SDK, which is not installed with the operator: npm install @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3'
    throw new StoreError({ code: 'SdkMissing', message, remedy: 'stop' })
  }
}

export function s3Client(sdk: S3Sdk, { access, limits, clock }: S3Speaking): S3Client {
  const { region, endpoint, forcePathStyle, credentials } = access
  const client = new sdk.S3Client({
    region,
    maxAttempts: limits.attempts,
    requestHandler: {
      connectionTimeout: limits.connectMs,
      requestTimeout: limits.silenceMs,
      socketTimeout: limits.silenceMs,
      throwOnRequestTimeout: true,
    },
    // Some stores do not know the newer checksums; the manifest has konverge's own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    ...(credentials === undefined ? {} : { credentials: { ...credentials } }),
  })
  const isDownload = (command: string) => command === 'GetObjectCommand'
  client.middlewareStack.add(boundAnswers({ ...(limits.answers ?? usualAnswers), clock, isDownload }), answerStep)
  return client
}
