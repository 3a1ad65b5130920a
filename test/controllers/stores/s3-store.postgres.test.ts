// A bucket as a store, also over a connection that rejects requests, breaks and hangs. Needs moto, which is installed
// with the tests that need processes.
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { loadS3Sdk } from '../../../src/controllers/stores/s3-client-loader.ts'
import { S3Store, type S3StoreOptions } from '../../../src/controllers/stores/s3-store-driver.ts'
import { bucket, type S3Here, s3ForSuite } from '../../s3/on-s3.ts'
import type { S3Verdict } from '../../s3/s3-proxy.ts'
import { brokenAfter, keysOf, never, pieces, whole } from './contents.ts'
import { behavesAsStore } from './store-behaviour.ts'

const mebibyte = 1_024 * 1_024
/** The file has three parts. */
const large = () => pieces(20, mebibyte)

function storeAt({ access }: S3Here, changes: Partial<S3StoreOptions> = {}): S3Store {
  const limits = { connectMs: 1_000, silenceMs: 1_000, attempts: 3 }
  const store = new S3Store({ bucket, prefix: 'prod/', access, limits, clock: systemClock, ...changes })
  onTestFinished(() => store.close())
  return store
}

describe('a bucket as a store', () => {
  const startS3 = s3ForSuite()

  behavesAsStore(async () => storeAt(await startS3()))

  it('uploads a large file in parts', async () => {
    const s3 = await startS3()
    const store = storeAt(s3)
    const stored = await store.put('a/data', large(), { signal: never })
    expect(stored.sizeBytes).toBe(20 * mebibyte)
    // A busy machine may send a part twice.
    const parts = s3.proxy.requests.filter(({ line }) => line.includes('partNumber'))
    expect(parts.length).toBeGreaterThanOrEqual(3)
    expect((await whole(store.read('a/data', never))).equals(await whole(large()))).toBe(true)
  })

  it('leaves no parts of a large file that fails', async () => {
    const store = storeAt(await startS3())
    const broken = new Error('the tool was killed')
    await expect(store.put('a', brokenAfter(20_000, broken), { signal: never })).rejects.toBe(broken)
    expect(await keysOf(store)).toEqual([])
    expect(await store.sweep('', never)).toBe(0)
  })

  it('removes the parts that a dead worker left, under its prefix only', async () => {
    const s3 = await startS3()
    s3.proxy.judge = ({ line }) => (/^(POST .*uploadId|DELETE)/.test(line) ? 'cutBefore' : 'pass')
    const store = storeAt(s3)
    await expect(store.put('a/data', large(), { signal: never })).rejects.toMatchObject({ code: 'StoreUnavailable' })
    s3.proxy.judge = () => 'pass'
    expect(await keysOf(store)).toEqual([])
    expect(await store.sweep('b/', never)).toBe(0)
    expect(await store.sweep('a/', never)).toBe(1)
    expect(await store.sweep('', never)).toBe(0)
  })

  it.each([{ status: 500, code: 'InternalError' }, { status: 503, code: 'SlowDown' }, 'cutBefore', 'hang'] as const)(
    'recovers from a single %j of every request',
    async (verdict: S3Verdict) => {
      const s3 = await startS3()
      const store = storeAt(s3)
      const failed = new Set<string>()
      s3.proxy.judge = ({ line }) => {
        if (failed.has(line)) return 'pass'
        failed.add(line)
        return verdict
      }
      await store.put('a', large(), { signal: never })
      expect((await whole(store.read('a', never))).length).toBe(20 * mebibyte)
      expect(await keysOf(store)).toEqual(['a'])
      await store.delete('a', never)
      // Start of an upload, its part, its end, read, list, and delete.
      expect(failed.size).toBe(6)
    },
  )

  it('reports an upload that had already ended as retryable', async () => {
    const s3 = await startS3()
    const gone = { status: 404, code: 'NoSuchUpload' } as const
    s3.proxy.judge = ({ line }) => (/^POST .*uploadId/.test(line) ? gone : 'pass')
    await expect(storeAt(s3).put('a', large(), { signal: never })).rejects.toMatchObject({
      ...{ code: 'StoreUnavailable', remedy: 'retry' },
      message: expect.stringMatching(/NoSuchUpload: the upload had ended already/),
    })
  })

  it('reports the remedy for a file with more parts than a store accepts', async () => {
    const sdk = await loadS3Sdk()
    const Upload = new Proxy(sdk.Upload, {
      construct: (target, args) => Object.assign(Reflect.construct(target, args), { MAX_PARTS: 1 }),
    })
    const store = storeAt(await startS3(), { loadSdk: async () => ({ ...sdk, Upload }) })
    await expect(store.put('a', large(), { signal: never })).rejects.toMatchObject({
      ...{ code: 'StoreRefused', remedy: 'stop' },
      message: expect.stringMatching(/^could not store a in .*: it is much larger than the database, .* \(compress\)$/),
    })
    expect(await keysOf(store)).toEqual([])
    expect(await store.sweep('', never)).toBe(0)
  })

  it('continues an interrupted download', async () => {
    const s3 = await startS3()
    const store = storeAt(s3)
    await store.put('a', large(), { signal: never })
    let cuts = 0
    s3.proxy.judge = ({ line }) => (line.startsWith('GET') && cuts++ < 4 ? 'cutInside' : 'pass')
    expect((await whole(store.read('a', never))).equals(await whole(large()))).toBe(true)
    expect(cuts).toBeGreaterThan(4)
  })

  it.each([
    ['hang', /no answer/],
    [{ status: 500, code: 'InternalError' }, /InternalError/],
    ['cutBefore', /no answer/],
  ] as const)('fails when the store answers %j permanently', async (verdict, message) => {
    const s3 = await startS3()
    s3.proxy.judge = () => verdict
    const failure = { code: 'StoreUnavailable', remedy: 'retry', message: expect.stringMatching(message) }
    await expect(storeAt(s3).put('a', pieces(1), { signal: never })).rejects.toMatchObject(failure)
    await expect(whole(storeAt(s3).read('a', never))).rejects.toMatchObject(failure)
  })

  it.each([
    [{ status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    [{ status: 403, code: 'SignatureDoesNotMatch' }, 'CredentialsInvalid'],
  ] as const)('reports %j once, with the reason', async (verdict, code) => {
    const s3 = await startS3()
    s3.proxy.judge = () => verdict
    await expect(storeAt(s3).put('a', pieces(1), { signal: never })).rejects.toMatchObject({ code, remedy: 'stop' })
    expect(s3.proxy.requests).toHaveLength(1)
  })

  it('reports a missing bucket', async () => {
    const store = storeAt(await startS3(), { bucket: 'elsewhere' })
    const message = expect.stringMatching(
      /^could not store a in s3:\/\/elsewhere\/prod: NoSuchBucket: there is no such bucket/,
    )
    await expect(store.put('a', pieces(1), { signal: never })).rejects.toMatchObject({ code: 'BucketMissing', message })
  })
})
