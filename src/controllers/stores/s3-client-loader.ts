// Speaks to an S3-compatible store by the AWS SDK, loaded when the first backup asks for it and not before. The SDK repeats requests itself, with
// backoff; every wait and every answer has a limit.
import type { S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../../index.ts'
import { type AnswerLimits, answerStep, boundAnswers, usualAnswers } from './answer-watcher.ts'
import { StoreError } from './store-error.ts'

export type S3Sdk = typeof import('@aws-sdk/client-s3') & Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>

export interface S3Access {
  readonly region: string
  /** Of a store that is not AWS's own. */
  readonly endpoint?: string | undefined
  /** The bucket in the path and not in the host's name, as most stores but AWS's want it. */
  readonly forcePathStyle?: boolean | undefined
  /** Undefined: the identity that the worker has at AWS. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined
}

export interface S3Limits {
  readonly connectMs: number
  /** For an answer to begin, and between any two pieces of it. */
  readonly silenceMs: number
  readonly attempts: number
  /** Of everything but downloads. */
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
    // Other stores do not all know the newer checksums; ours is in the manifest.
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
