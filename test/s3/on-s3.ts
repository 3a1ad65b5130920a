// S3 for a suite: one moto for all its tests, and for each test its own proxy with one bucket.
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { S3Access } from '../../src/controllers/stores/s3-client-loader.ts'
import { MotoServer } from '../rds/moto-server.ts'
import { S3Proxy } from './s3-proxy.ts'

/** The first run on a machine installs moto. */
const startLimitMs = 11 * 60_000

export const bucket = 'backups'

export interface S3Here {
  readonly proxy: S3Proxy
  readonly access: S3Access
}

/** Starts moto for a suite. Call it in a suite, and its result in a test. */
export function s3ForSuite(): () => Promise<S3Here> {
  let moto: MotoServer | undefined
  beforeAll(async () => {
    moto = await MotoServer.start()
  }, startLimitMs)
  afterAll(() => moto?.stop())
  return async () => {
    if (moto === undefined) throw new Error('moto has not been started yet; ask for S3 in a test.')
    const here = await s3At(moto.url)
    onTestFinished(() => here.proxy.stop())
    return here
  }
}

/** Returns a new proxy for the moto at this URL, with the bucket. The caller stops the proxy. */
export async function s3At(url: string): Promise<S3Here> {
  const proxy = await S3Proxy.start(url)
  await fetch(`${url}/${bucket}`, { method: 'PUT', headers: { authorization } })
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret-of-the-test' }
  return { proxy, access: { region: 'us-east-1', endpoint: proxy.url, forcePathStyle: true, credentials } }
}

/** Returns the number of unfinished multipart uploads, from moto itself. */
export async function uploadsUnderWay(url: string): Promise<number> {
  const answer = await fetch(`${url}/${bucket}?uploads`, { headers: { authorization } })
  const text = await answer.text()
  if (!text.includes('<ListMultipartUploadsResult')) throw new Error(`moto does not list uploads: ${text}`)
  return text.split('<UploadId>').length - 1
}

const authorization = 'AWS4-HMAC-SHA256 Credential=test/20260310/us-east-1/s3/aws4_request'
