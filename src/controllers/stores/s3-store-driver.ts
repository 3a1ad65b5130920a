// Store in a bucket. Large files are uploaded in parts, with two at most in memory. An interrupted download resumes
// where it stopped.
// Invariant: the last request makes the parts one file; until then the key has none.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../../index.ts'
import { AnswerError } from './answer-watcher.ts'
import { checkedKey, checkedPrefix } from './artifact-key.ts'
import type { ArtifactStore, FoundArtifact, PutCall, StoredArtifact } from './artifact-store.ts'
import { digesting } from './digesting.ts'
import { withoutStall } from './flow-watcher.ts'
import { loadS3Sdk, type S3Access, type S3Limits, type S3Sdk, s3Client, usualLimits } from './s3-client-loader.ts'
import { s3Failure } from './s3-failure.ts'
import { StoreError } from './store-error.ts'

export interface S3StoreOptions {
  readonly bucket: string
  /** Prefix of every key: empty, or ends with a slash. */
  readonly prefix: string
  readonly access: S3Access
  /** Encryption by the store: `AES256`, `aws:kms`. */
  readonly encryption?: { readonly algorithm: 'AES256' | 'aws:kms'; readonly keyId?: string } | undefined
  /** Returns the time until which a stored file is locked against removal; called for every file. */
  readonly lockedUntil?: (() => Date) | undefined
  readonly limits?: S3Limits
  readonly clock: Clock
  /** Default: loads the packages of the AWS SDK. */
  readonly loadSdk?: () => Promise<S3Sdk>
}

interface Opened {
  readonly sdk: S3Sdk
  readonly client: S3Client
}

const mebibyte = 1_024 * 1_024
const usualPartBytes = 8 * mebibyte
/** Limit of parts; S3 accepts 10,000. */
const mostParts = 9_000
/** Limit of consecutive resumptions of a download that makes no progress. */
const mostResumptions = 5
/** Bytes that count as progress of a download. */
const leastProgress = 64 * 1_024
/** Limits of a listing. Only the folder of one backup is listed, which has a handful of files. A page may be empty. */
const [mostKeys, mostPages] = [10_000, 200]
/** Limit after which a download that receives almost nothing counts as hung. */
const flowMs = 5 * 60_000

export class S3Store implements ArtifactStore {
  readonly place: string
  readonly #options: S3StoreOptions
  #opened: Promise<Opened> | undefined
  /** Failure of the last download that hung. */
  #stalled: StoreError | undefined

  constructor(options: S3StoreOptions) {
    this.place = `s3://${options.bucket}/${options.prefix}`.replace(/\/$/, '')
    this.#options = options
  }

  async put(key: string, content: AsyncIterable<Uint8Array>, call: PutCall): Promise<StoredArtifact> {
    const { sdk, client } = await this.#open()
    const { stream, result } = digesting()
    const upload = new sdk.Upload({
      client,
      params: { ...this.#at(key), ...this.#storing(), Body: stream, ...(call.ifAbsent ? { IfNoneMatch: '*' } : {}) },
      ...partsFor(call.expectedBytes),
    })
    // If the content fails or the signal aborts, the stream breaks, and the upload removes the parts that it sent.
    const fed = pipeline(content, stream, { signal: call.signal }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    try {
      await upload.done()
    } catch (error) {
      stream.destroy()
      const broken = await fed
      if (call.signal.aborted) throw call.signal.reason
      throw this.#failure(isOfContent(broken?.error) ? broken?.error : error, `store ${key}`)
    }
    return result()
  }

  async *read(key: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { client, sdk } = await this.#open()
    let [offset, resumptions] = [0, 0]
    let etag: string | undefined
    for (;;) {
      const from = offset
      try {
        const range = offset === 0 ? {} : { Range: `bytes=${offset}-`, IfMatch: etag }
        const command = new sdk.GetObjectCommand({ ...this.#at(key), ...range })
        const answer = await client.send(command, { abortSignal: signal })
        etag = answer.ETag
        // Sound: in Node the body is a Readable, whose chunks are buffers.
        for await (const chunk of this.#flowing(key, answer.Body as Readable as AsyncIterable<Uint8Array>)) {
          offset += chunk.byteLength
          yield chunk
        }
        return
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const failure = this.#failure(error, `read ${key}`)
        // A store that sends single bytes would be asked without end.
        const mayPass = failure instanceof StoreError && failure.remedy === 'retry' && failure !== this.#stalled
        resumptions = offset - from < leastProgress ? resumptions + 1 : 0
        if (!mayPass || offset === 0 || resumptions >= mostResumptions) throw failure
      }
    }
  }

  async find(key: string, signal: AbortSignal): Promise<FoundArtifact | undefined> {
    try {
      const { ContentLength: sizeBytes = 0 } = await this.#ask(`look for ${key}`, signal, ({ sdk, client }) =>
        client.send(new sdk.HeadObjectCommand(this.#at(key)), { abortSignal: signal }),
      )
      return { key, sizeBytes }
    } catch (error) {
      if (error instanceof StoreError && error.code === 'NotStored') return undefined
      throw error
    }
  }

  async *list(prefix: string, signal: AbortSignal): AsyncIterable<FoundArtifact> {
    const { bucket: Bucket, prefix: own } = this.#options
    const Prefix = own + checkedPrefix(prefix)
    let token: string | undefined
    let [pages, keys] = [0, 0]
    do {
      pages += 1
      if (pages > mostPages || keys > mostKeys) throw this.#endless('list what is there')
      const page = await this.#ask('list what is there', signal, ({ sdk, client }) =>
        client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token }), {
          abortSignal: signal,
        }),
      )
      for (const { Key = '', Size: sizeBytes = 0 } of page.Contents ?? []) {
        // Some stores ignore the prefix.
        if (!Key.startsWith(Prefix)) continue
        keys += 1
        yield { key: Key.slice(own.length), sizeBytes }
      }
      token = page.NextContinuationToken
    } while (token !== undefined)
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask(`remove ${key}`, signal, ({ sdk, client }) =>
      client.send(new sdk.DeleteObjectCommand(this.#at(key)), { abortSignal: signal }),
    )
  }

  async sweep(prefix: string, signal: AbortSignal): Promise<number> {
    const { bucket: Bucket, prefix: own } = this.#options
    const Prefix = own + checkedPrefix(prefix)
    let [swept, pages] = [0, 0]
    let markers: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined
    do {
      pages += 1
      if (pages > mostPages || swept > mostKeys) throw this.#endless('list unfinished uploads')
      const page = await this.#ask('list unfinished uploads', signal, ({ sdk, client }) =>
        client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...markers }), { abortSignal: signal }),
      )
      // Some stores ignore the prefix.
      const ours = (page.Uploads ?? []).filter(({ Key }) => Key?.startsWith(Prefix))
      for (const { Key, UploadId } of ours) {
        await this.#ask('remove an unfinished upload', signal, ({ sdk, client }) =>
          client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal: signal }),
        )
      }
      swept += ours.length
      markers = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
    } while (markers !== undefined)
    return swept
  }

  async close(): Promise<void> {
    const opened = await this.#opened
    opened?.client.destroy()
  }

  #open(): Promise<Opened> {
    const { loadSdk = loadS3Sdk, access, limits = usualLimits, clock } = this.#options
    this.#opened ??= loadSdk().then((sdk) => ({ sdk, client: s3Client(sdk, { access, limits, clock }) }))
    return this.#opened
  }

  async #ask<Answer>(attempt: string, signal: AbortSignal, send: (opened: Opened) => Promise<Answer>): Promise<Answer> {
    const opened = await this.#open()
    try {
      return await send(opened)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw this.#failure(error, attempt)
    }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#options.prefix + checkedKey(key) }
  }

  /** Settings for every stored file. */
  #storing(): object {
    const { encryption, lockedUntil } = this.#options
    return {
      ...(encryption === undefined
        ? {}
        : { ServerSideEncryption: encryption.algorithm, SSEKMSKeyId: encryption.keyId }),
      ...(lockedUntil === undefined
        ? {}
        : { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: lockedUntil(), ChecksumAlgorithm: 'SHA256' }),
    }
  }

  #flowing(key: string, content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const message = `could not read ${key} in ${this.place}: the store has sent next to nothing for ${flowMs / 60_000} min`
    const stalled = () => {
      this.#stalled = new StoreError({ code: 'StoreUnavailable', message, remedy: 'retry' })
      return this.#stalled
    }
    return withoutStall(content, { clock: this.#options.clock, limitMs: flowMs, stalled })
  }

  #endless(attempt: string): StoreError {
    const message = `could not ${attempt} in ${this.place}: the store lists without an end; have somebody look at it`
    return new StoreError({ code: 'StoreRefused', message, remedy: 'stop' })
  }

  #outOfBounds({ code, message: said }: AnswerError, attempt: string): StoreError {
    const message = `could not ${attempt} in ${this.place}: ${said.split('\n')[0]}`
    const isLarge = code === 'AnswerTooLarge'
    return new StoreError({
      code: isLarge ? 'StoreRefused' : 'StoreUnavailable',
      message,
      remedy: isLarge ? 'stop' : 'retry',
    })
  }

  #tooLong(attempt: string): StoreError {
    const message = `could not ${attempt} in ${this.place}: it is much larger than the database, and has more parts than a store takes; have it packed (compress)`
    return new StoreError({ code: 'StoreRefused', message, remedy: 'stop' })
  }

  #failure(error: unknown, attempt: string): unknown {
    if (error instanceof StoreError) return error
    if (isTooLong(error)) return this.#tooLong(attempt)
    if (error instanceof AnswerError) return this.#outOfBounds(error, attempt)
    const { secretAccessKey = '', sessionToken = '' } = this.#options.access.credentials ?? {}
    return s3Failure(error, { attempt, place: this.place, secrets: [secretAccessKey, sessionToken] }) ?? error
  }
}

/** The library's error has no code. */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && /^Exceeded \d+ parts/.test(error.message)
}

/** Returns a part size that keeps the number of parts within the limit, and at most two parts in memory. */
function partsFor(expectedBytes = 0): { readonly partSize: number; readonly queueSize: number } {
  const partSize = Math.max(usualPartBytes, Math.ceil(expectedBytes / mostParts / mebibyte) * mebibyte)
  return { partSize, queueSize: partSize > 2 * usualPartBytes ? 1 : 2 }
}

/** False if reading only stopped because the upload failed: that is no failure of the content. */
function isOfContent(error: unknown): boolean {
  const isOurs = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
  return error !== undefined && !isOurs
}
