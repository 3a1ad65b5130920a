// How does a suite get an S3? One moto for all its tests, and for each of them a proxy of its own in front, with one bucket.
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { S3Access } from '../../src/controllers/stores/s3-client-loader.ts'
import { MotoServer } from '../rds/moto-server.ts'
import { S3Proxy } from './s3-proxy.ts'

/** The first time on a machine moto is installed. */
const startLimitMs = 11 * 60_000

export const bucket = 'backups'

export interface S3Here {
  readonly proxy: S3Proxy
  readonly access: S3Access
}

/** Call it in a suite; what it returns, in a test. */
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

/** A way of its own to the moto at this URL, with the bucket. Stop the proxy. */
export async function s3At(url: string): Promise<S3Here> {
  const proxy = await S3Proxy.start(url)
  await fetch(`${url}/${bucket}`, { method: 'PUT', headers: { authorization } })
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret-of-the-test' }
  return { proxy, access: { region: 'us-east-1', endpoint: proxy.url, forcePathStyle: true, credentials } }
}

/** How many uploads have begun and not ended, as moto itself says. */
export async function uploadsUnderWay(url: string): Promise<number> {
  const answer = await fetch(`${url}/${bucket}?uploads`, { headers: { authorization } })
  const text = await answer.text()
  if (!text.includes('<ListMultipartUploadsResult')) throw new Error(`moto does not list uploads: ${text}`)
  return text.split('<UploadId>').length - 1
}

const authorization = 'AWS4-HMAC-SHA256 Credential=test/20260310/us-east-1/s3/aws4_request'
