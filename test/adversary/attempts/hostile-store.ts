// Responses of a hostile store and the worker's verdicts. Each expectation names the rule that stops the response.
import { createHash } from 'node:crypto'
import { systemClock } from '../../../src/base/clock.ts'
import { loadManifest, readArtifact } from '../../../src/controllers/backup/artifact-loader.ts'
import { tidyBackup } from '../../../src/controllers/backup/tidy-worker.ts'
import type { HostileStore, StoreAnswer } from '../hostile-store.ts'

export interface StoreAttempt {
  readonly attacker: 'hostile store'
  readonly does: string
  readonly sentence: string
  readonly answers: StoreAnswer
  readonly asks: (store: HostileStore) => Promise<unknown>
  /** Matches the worker's error, or its result as JSON. */
  readonly expected: RegExp
  /** Matches requests that the worker must not send. */
  readonly unheard?: RegExp
}

const signal = () => AbortSignal.timeout(30_000)
const folder = 'attacker/nightly/1/'
const manifest = (store: HostileStore) => loadManifest(store.client, folder, signal())
const listing = async (store: HostileStore) => {
  const keys: string[] = []
  for await (const { key } of store.client.list(folder, signal())) {
    keys.push(key)
    if (keys.length > 100_000) throw new Error('the list has no end')
  }
  return keys
}
const artifact = (store: HostileStore) =>
  readArtifact({
    store: store.client,
    folder,
    manifest: { artifact: { file: 'data.dump', sizeBytes: 10, sha256: '0'.repeat(64) } },
    clock: systemClock,
    signal: signal(),
  })
const tidy = (store: HostileStore) =>
  tidyBackup(
    { backup: { namespace: 'attacker', name: 'nightly', uid: 'u' } as never, folder },
    { store: store.client, server: undefined },
    signal(),
  )

const body =
  (text: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): StoreAnswer =>
  (_, response) => {
    response.writeHead(status, headers).end(text)
  }
const xml = (inner: string) =>
  body(`<?xml version="1.0"?><ListBucketResult>${inner}</ListBucketResult>`, { 'content-type': 'application/xml' })
const chunk = Buffer.alloc(256 * 1_024, 0x20)

function attempt(
  does: string,
  sentence: string,
  more: Omit<StoreAttempt, 'attacker' | 'does' | 'sentence'>,
): StoreAttempt {
  return { attacker: 'hostile store', does, sentence, ...more }
}

const refusesManifest = 'The worker rejects the manifest.'
const refusesArtifact = 'The worker rejects the artifact.'
const form = 'konverge/logical-backup/1'
/** Valid manifest by its checksum, from any author. `content`: JSON as JSON.stringify writes it. */
const sealed = (content: string) =>
  `{"sha256":"${createHash('sha256').update(content).digest('hex')}","manifest":${content}}`
/** Fields of a manifest that another object may have only by its prototype. */
const parts = '{"source":{"database":"victim"},"artifact":{"file":"data.dump"}}'

export const hostileStoreAttempts: readonly StoreAttempt[] = [
  attempt('sends a manifest that is not JSON', refusesManifest, {
    answers: body('<html>'),
    asks: manifest,
    expected: /ManifestRefused.*no JSON/,
  }),
  attempt('sends a manifest that is a list', refusesManifest, {
    answers: body('[]'),
    asks: manifest,
    expected: /ManifestRefused.*was not written by a Backup/,
  }),
  attempt('sends a manifest with 100,000 nested levels', refusesManifest, {
    answers: body(`{"sha256":"","manifest":{"form":"${form}","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
    asks: manifest,
    expected: /ManifestRefused.*nested deeper/,
  }),
  attempt('sends a manifest of another form', refusesManifest, {
    answers: body(sealed('{"form":"evil/1"}')),
    asks: manifest,
    expected: /ManifestRefused.*is of the form "evil\/1"/,
  }),
  attempt('sends a manifest with a wrong digest', refusesManifest, {
    answers: body(sealed(`{"form":"${form}","a":1}`).replace('"a":1', '"a":2')),
    asks: manifest,
    expected: /ManifestRefused.*was changed after it was written/,
  }),
  attempt('sends a manifest that contains `__proto__`', refusesManifest, {
    answers: body(sealed(`{"form":"${form}","__proto__":${parts}}`)),
    asks: manifest,
    expected: /ManifestRefused.*has in source\.database what this version does not write/,
  }),
  attempt('sends an endless manifest', refusesManifest, {
    answers: (_, response, store) => store.pour(response.writeHead(200), chunk),
    asks: manifest,
    expected: /ManifestRefused.*too large/,
  }),
  attempt('reports that no manifest exists', refusesManifest, {
    answers: body('<Error><Code>NoSuchKey</Code></Error>', { 'content-type': 'application/xml' }, 404),
    asks: manifest,
    expected: /ManifestRefused.*no manifest/,
  }),
  attempt('sends the manifest byte by byte, endlessly', 'The deadline of the worker’s Job ends the worker.', {
    answers: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{')
    },
    asks: (store) => loadManifest(store.client, folder, AbortSignal.timeout(5_000)),
    expected: /TimeoutError/,
  }),
  attempt('sends nothing', 'The worker fails.', {
    answers: () => undefined,
    asks: manifest,
    expected: /StoreUnavailable.*no answer/,
  }),
  attempt('redirects the worker to another host', 'The worker sends no request there; its signature covers the host.', {
    answers: (request, response) =>
      void response.writeHead(301, { location: `http://127.0.0.1:${request.socket.localPort}/stolen` }).end(),
    asks: manifest,
    expected: /StoreRefused/,
    unheard: /stolen/,
  }),
  attempt('redirects the worker to another region by an error', 'The worker fails with the store’s error.', {
    answers: body(
      '<Error><Code>PermanentRedirect</Code><Endpoint>169.254.169.254</Endpoint></Error>',
      { 'content-type': 'application/xml', 'x-amz-bucket-region': 'evil' },
      301,
    ),
    asks: manifest,
    expected: /StoreRefused.*PermanentRedirect: the bucket is in another region/,
    unheard: /evil/,
  }),
  attempt('sends an artifact that is longer than its size in the manifest', refusesArtifact, {
    answers: body('x'.repeat(1_000)),
    asks: artifact,
    expected: /ChecksumMismatch.*has more than 10 bytes/,
  }),
  attempt('sends an artifact of the right length with other bytes', refusesArtifact, {
    answers: body('x'.repeat(10)),
    asks: artifact,
    expected: /ChecksumMismatch.*was changed/,
  }),
  attempt('sends an endless artifact', 'The worker stops one byte after the size in the manifest.', {
    answers: (_, response, store) => store.pour(response.writeHead(200), chunk),
    asks: artifact,
    expected: /ChecksumMismatch.*has more than 10 bytes/,
  }),
  attempt('lists keys above the folder', 'The worker ignores a key with another prefix or with "..".', {
    answers: (request, response, store) => {
      if (request.url?.includes('list-type') !== true)
        return body('<Error><Code>NoSuchKey</Code></Error>', { 'content-type': 'application/xml' }, 404)(
          request,
          response,
          store,
        )
      xml(
        '<IsTruncated>false</IsTruncated><Contents><Key>own/attacker/nightly/1/../../../victim/data.dump</Key><Size>1</Size></Contents>',
      )(request, response, store)
    },
    asks: tidy,
    expected: /InvalidKey/,
    unheard: /^DELETE/m,
  }),
  attempt('lists the same page repeatedly', 'The worker detects that the list repeats a page.', {
    answers: xml(
      '<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken><Contents><Key>own/a</Key><Size>1</Size></Contents>',
    ),
    asks: listing,
    expected: /StoreRefused/,
  }),
  attempt('answers a list with an XML entity that grows', 'The worker expands no entity.', {
    answers: body(
      `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "${'x'.repeat(1_000)}">${Array.from({ length: 8 }, (_, at) => `<!ENTITY ${String.fromCharCode(98 + at)} "${`&${String.fromCharCode(97 + at)};`.repeat(10)}">`).join('')}]><ListBucketResult><Contents><Key>own/attacker/nightly/1/&i;</Key></Contents></ListBucketResult>`,
      { 'content-type': 'application/xml' },
    ),
    asks: listing,
    expected: /^\["attacker\/nightly\/1\/"\]$/,
  }),
  attempt('rejects requests with a page of a megabyte that repeats the request', 'The worker’s error is short.', {
    answers: (request, response) =>
      void response.writeHead(403).end(`${request.headers.authorization}${'x'.repeat(1_000_000)}`),
    asks: manifest,
    expected: /^StoreError AccessDenied.{1,2000}$/s,
  }),
]
