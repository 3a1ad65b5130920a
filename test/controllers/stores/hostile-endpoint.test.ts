// An S3 endpoint that sends without end, in bytes, pages or time. Invariant: what the client reads of it is bounded.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { loadArtifact, loadManifest } from '../../../src/controllers/backup/artifact-loader.ts'
import { RdsClient } from '../../../src/controllers/database/rds/rds-client.ts'
import { S3Store } from '../../../src/controllers/stores/s3-store-driver.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { keysOf, never } from './contents.ts'
import { HostileEndpoint } from './hostile-endpoint.ts'

const mebibyte = 1_024 * 1_024

function storeAt({ access }: HostileEndpoint, clock = systemClock): S3Store {
  const limits = { connectMs: 1_000, silenceMs: 1_000, attempts: 2 }
  const store = new S3Store({ bucket: 'backups', prefix: 'prod/', access, limits, clock })
  onTestFinished(() => store.close())
  return store
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-hostile-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('an artifact is not read beyond the size in its manifest', async () => {
  const endpoint = await HostileEndpoint.start((self) => (answer) => self.pour(answer, 200))
  const toFile = join(await newFolder(), 'artifact.dump')
  const artifact = { file: 'data-one.dump', sizeBytes: 10, sha256: '0'.repeat(64) }
  const loading = loadArtifact({
    ...{ store: storeAt(endpoint), folder: 'shop/', manifest: { artifact }, toFile },
    ...{ clock: systemClock, signal: never },
  })
  await expect(loading).rejects.toMatchObject({
    code: 'ChecksumMismatch',
    message: expect.stringContaining('has more than 10 bytes'),
  })
  expect((await stat(toFile)).size).toBeLessThanOrEqual(mebibyte)
  expect(endpoint.sentBytes).toBeLessThan(16 * mebibyte)
})

it('a manifest is not read beyond the size limit of a manifest', async () => {
  const endpoint = await HostileEndpoint.start((self) => (answer) => self.pour(answer, 200, '{"form":"'))
  await expect(loadManifest(storeAt(endpoint), 'shop/', never)).rejects.toMatchObject({ code: 'ManifestRefused' })
  expect(endpoint.sentBytes).toBeLessThan(80 * mebibyte)
})

it.each([
  { title: 'a listing', status: 200, head: '<ListBucketResult><Contents><Key>' },
  { title: 'an error', status: 403, head: '<Error><Code>AccessDenied</Code><Message>' },
])('$title is not read into memory without a limit', async ({ status, head }) => {
  const endpoint = await HostileEndpoint.start((self) => (answer) => self.pour(answer, status, head))
  await expect(keysOf(storeAt(endpoint))).rejects.toMatchObject({
    ...{ code: 'StoreRefused', remedy: 'stop' },
    message: expect.stringMatching(/list what is there in s3:\/\/backups\/prod: the answer has more than \d+ bytes/),
  })
  expect(endpoint.sentBytes).toBeLessThan(32 * mebibyte)
})

it('an error in place of a download is not read into memory without a limit', async () => {
  const endpoint = await HostileEndpoint.start((self) => (answer) => self.pour(answer, 403, '<Error><Message>'))
  await expect(loadManifest(storeAt(endpoint), 'shop/', never)).rejects.toMatchObject({ code: 'StoreRefused' })
  expect(endpoint.sentBytes).toBeLessThan(32 * mebibyte)
})

it.each([
  { title: 'with keys', content: '<Contents><Key>prod/a</Key><Size>1</Size></Contents>' },
  { title: 'without keys', content: '' },
])('a listing with endless pages fails, $title', async ({ content }) => {
  const endpoint = await HostileEndpoint.start((self) => (answer) => {
    const isLast = self.requests.length > 400
    const more = `<IsTruncated>${!isLast}</IsTruncated><NextContinuationToken>again</NextContinuationToken>`
    answer.end(`<ListBucketResult>${content}${isLast ? '' : more}</ListBucketResult>`)
  })
  await expect(keysOf(storeAt(endpoint))).rejects.toMatchObject({
    code: 'StoreRefused',
    message: expect.stringContaining('lists without an end'),
  })
})

it('keys outside of the requested prefix are ignored', async () => {
  const endpoint = await HostileEndpoint.start(() => (answer) => {
    const keys = ['prod/shop/a', 'production/b', '../etc/passwd']
    answer.end(
      `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
    )
  })
  expect(await keysOf(storeAt(endpoint))).toEqual(['shop/a'])
})

it.each([
  { title: 'a listing', work: (store: S3Store) => keysOf(store), wholeMs: 121_000 },
  {
    title: 'a manifest',
    work: (store: S3Store) => loadManifest(store, 'shop/', never),
    wholeMs: 301_000,
  },
])('$title that trickles fails', async ({ work, wholeMs }) => {
  const clock = new SimClock()
  const begun = Promise.withResolvers<void>()
  const endpoint = await HostileEndpoint.start(() => (answer) => {
    answer.writeHead(200, { etag: '"a"' })
    const dripping = setInterval(() => answer.write('<'), 20)
    answer.on('close', () => clearInterval(dripping))
    begun.resolve()
  })
  const outcome = work(storeAt(endpoint, clock)).then(
    () => 'came to an end',
    (error: unknown) => error,
  )
  await begun.promise
  // The client reads the answer when its limit exists.
  await expect.poll(() => clock.nextTimerMs()).toBeDefined()
  await clock.advance(wholeMs)
  expect(await outcome).toMatchObject({ code: 'StoreUnavailable', remedy: 'retry' })
})

it('an answer of RDS is not read into memory without a limit', async () => {
  const endpoint = await HostileEndpoint.start(
    (self) => (answer) => self.pour(answer, 200, '<DescribeDBInstancesResponse>'),
  )
  const { tools } = engineHere()
  const client = new RdsClient(tools, { endpoint: endpoint.access.endpoint })
  const credentials = { kind: 'keys', accessKeyId: 'id', secretAccessKey: 'key' } as const
  const caller = { namespace: 'shop', access: { region: 'eu-central-1', credentials }, secrets: [], signal: never }
  const describe = client.call('DescribeDBInstances', caller, (rds, options) => rds.describeDBInstances({}, options))
  await expect(describe).rejects.toThrow(/more than \d+ bytes/)
  expect(endpoint.sentBytes).toBeLessThan(32 * mebibyte)
})

it('a call to RDS continues while calls with many other credentials arrive', async () => {
  const none = '<DescribeDBInstancesResponse><DescribeDBInstancesResult/></DescribeDBInstancesResponse>'
  const held = Promise.withResolvers<void>()
  const endpoint = await HostileEndpoint.start(() => async (answer, request) => {
    if (request.headers.authorization?.includes('Credential=victim/') === true) await held.promise
    answer.writeHead(200, { 'content-type': 'text/xml' }).end(none)
  })
  const { tools } = engineHere()
  const client = new RdsClient(tools, { endpoint: endpoint.access.endpoint })
  const describes = (namespace: string, accessKeyId: string) => {
    const credentials = { kind: 'keys', accessKeyId, secretAccessKey: 'key' } as const
    const caller = { namespace, access: { region: 'eu-central-1', credentials }, secrets: [], signal: never }
    return client.call('DescribeDBInstances', caller, (rds, options) => rds.describeDBInstances({}, options))
  }
  const outcome = describes('victim', 'victim').then(
    () => 'answered',
    (thrown: unknown) => String(thrown),
  )
  await waitUntil({ what: 'the call of the victim' }, async () => endpoint.requests.length === 1)
  for (let count = 0; count < 40; count++) await describes('evil', `evil-${count}`)
  held.resolve()
  expect(await outcome).toBe('answered')
})
