// Readers of texts of users, workers, stores and servers: each returns a value, returns nothing, or throws a coded
// error.

import { createHash } from 'node:crypto'
import { join, resolve, sep } from 'node:path'
import fc from 'fast-check'
import { durationMs } from '../../src/base/duration.ts'
import { canonicalJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { applyJsonPatch, applyMergePatch, mergePatchBetween } from '../../src/base/json-patch.ts'
import { manifestKey } from '../../src/controllers/backup/artifact-layout.ts'
import { readManifest } from '../../src/controllers/backup/manifest.ts'
import { readPhysicalManifest } from '../../src/controllers/backup/physical-manifest.ts'
import { readSchedule } from '../../src/controllers/backup/schedule.ts'
import { orderedFolder, orderedWork, workDigest, workOrderIn } from '../../src/controllers/backup/work-order.ts'
import { workReportIn } from '../../src/controllers/backup/work-report.ts'
import { ledgerIn } from '../../src/controllers/engines/postgres/globals/ledger.ts'
import { markOf, successionIn, tokenIn } from '../../src/controllers/engines/postgres/mark.ts'
import { orderDigest, workerOrderIn } from '../../src/controllers/migration/worker-order.ts'
import { reportIn } from '../../src/controllers/migration/worker-report.ts'
import { checkedKey, checkedPrefix, isKey } from '../../src/controllers/stores/artifact-key.ts'
import { parseKubeConfig, selectContext } from '../../src/kube/kube-config.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { canonicalQuantity, parseQuantity, quantityFault, quantityInMilli } from '../../src/object/quantity.ts'
import { recordedReach } from '../../src/reconcile/inventory.ts'
import { steeringOf } from '../../src/reconcile/steering.ts'
import { claim, claimClean, claimOneLine, claimSentence, coded, type HostileProperty } from './claims.ts'
import { hostileJson, hostileJsonText, hostileText, hostileTexts, mutated } from './hostile-values.ts'
import { logicalManifest, physicalManifest } from './sample-manifests.ts'

const nowMs = Date.UTC(2026, 0, 1)
const folder = 'shop/crm/uid/2026-01-01T0000Z-uid/'

function manifestText(sample: object): fc.Arbitrary<string> {
  const sealed = (manifest: unknown) =>
    JSON.stringify({
      sha256: createHash('sha256')
        .update(JSON.stringify(manifest) ?? '')
        .digest('hex'),
      manifest,
    })
  return fc.oneof(
    { weight: 4, arbitrary: mutated(sample).map(sealed) },
    { weight: 1, arbitrary: mutated({ sha256: '', manifest: sample }).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: hostileJsonText },
    {
      weight: 1,
      arbitrary: hostileJsonText.map(
        (text) => `{"sha256":"","manifest":{"form":"konverge/logical-backup/1","a":${text}}}`,
      ),
    },
  )
}

function claimReading(reading: ReturnType<typeof readManifest> | ReturnType<typeof readPhysicalManifest>): void {
  claimClean(reading)
  if (reading.kind === 'refused') {
    claimSentence(reading.fault, 1_024)
    claimOneLine(reading.fault)
    return
  }
  const { file, sizeBytes } = reading.manifest.artifact
  claim(sizeBytes >= 0, () => `the artifact has ${sizeBytes} bytes`)
  const key = coded(() => checkedKey(`${folder}${file}`))
  if ('value' in key) claimBelow(key.value, folder)
  claimBelow(manifestKey(folder), folder)
}

function claimBelow(key: string, prefix = ''): void {
  const root = resolve('/store', prefix)
  claim(join('/store', key).startsWith(root + sep), () => `${key} leads out of /store/${prefix}`)
}

function objectWith(annotations: Record<string, string>): LiveObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', annotations },
  }
}

function withoutNulls(value: unknown): Json {
  return value as Json
}

function hasNull(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && Object.values(value).some(hasNull)
}

const jsonObject = fc.oneof(
  hostileTexts,
  fc.dictionary(hostileText, hostileJson, { maxKeys: 4 }),
) as fc.Arbitrary<JsonObject>

const reportText = fc.oneof(
  { weight: 2, arbitrary: hostileJsonText },
  {
    weight: 3,
    arbitrary: mutated({
      outcome: 'Completed',
      reason: 'Word',
      message: 'text',
      restored: { providerID: 'pg://1/2', former: 'x' },
      made: {
        artifact: { uri: 's3://a/b', bytes: 1, sha256: 'a', manifestSha256: 'b', format: 'c', toolVersion: '17' },
        source: { databaseUID: 'u', systemIdentifier: '1', serverVersion: '17', snapshotLSN: '0/1' },
        startedAt: '2026-01-01T00:00:00Z',
        completedAt: '2026-01-01T00:00:00Z',
      },
    }).map((value) => JSON.stringify(value) ?? ''),
  },
)

const commentText = fc.oneof(
  hostileText,
  hostileJsonText.map((text) => `konverge ${text}`),
  mutated({
    uid: 'u',
    generation: 1,
    holder: 'h',
    succession: { request: 'r', replaced: 'x' },
    roles: ['a'],
    request: 'r',
    holds: 'rows',
  }).map((value) => `konverge ${JSON.stringify(value)}`),
)

const quantityText = fc.oneof(
  hostileText,
  fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.stringMatching(/^\d{0,25}(\.\d{0,25})?$/),
      fc.constantFrom('', 'm', 'Ki', 'Gi', 'E', 'e9', 'e-9', 'e999', 'n', 'k', 'Ei'),
    )
    .map((parts) => parts.join('')),
)

const cronField = fc.oneof(
  fc.constantFrom(
    '*',
    '0',
    '59',
    '*/5',
    '1-9',
    'MON',
    'L',
    'W',
    '#',
    '?',
    '31',
    '1,2,3',
    '*/0',
    '5-1',
    '99',
    'JAN',
    '7',
  ),
  hostileText,
)
const cronText = fc.oneof(
  hostileText,
  fc.tuple(cronField, cronField, cronField, cronField, cronField).map((fields) => fields.join(' ')),
)

const kubeconfigText = mutated({
  'current-context': 'a',
  contexts: [{ name: 'a', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://x', 'certificate-authority-data': 'YQ==' } }],
  users: [
    {
      name: 'u',
      user: {
        token: 't',
        exec: {
          command: 'x',
          args: ['a'],
          env: [{ name: 'A', value: 'b' }],
          apiVersion: 'client.authentication.k8s.io/v1',
        },
      },
    },
  ],
}).map((value) => JSON.stringify(value) ?? '')

export const readerProperties: readonly HostileProperty[] = [
  {
    name: 'a manifest of a database is read or refused in one sentence, and its file is in its folder',
    property: fc.property(manifestText(logicalManifest), (text) => claimReading(readManifest(text))),
  },
  {
    name: 'a manifest of a server is read or refused in one sentence, and its file is in its folder',
    property: fc.property(manifestText(physicalManifest), (text) => claimReading(readPhysicalManifest(text))),
  },
  {
    name: 'a report of a worker of a Backup is one or is none',
    property: fc.property(reportText, (text) => {
      const report = workReportIn(text)
      claimClean(report)
      if (report === undefined) return
      claim(['Completed', 'Interrupted', 'Stopped'].includes(report.outcome), () => report.outcome)
      claim(report.message === undefined || typeof report.message === 'string', () => 'the message is no text')
      claim(
        report.made === undefined || typeof report.made.artifact.uri === 'string',
        () => 'the artifact has no place',
      )
    }),
  },
  {
    name: 'a report of a worker of a Migration is one or is none',
    property: fc.property(reportText, (text) => {
      const report = reportIn(text)
      claimClean(report)
      for (const field of Object.values(report ?? {})) claim(typeof field === 'string', () => 'a field is no text')
    }),
  },
  {
    name: 'an order of a worker is one of this version or none, also with the digest of its text',
    property: fc.property(hostileJsonText, (text) => {
      claimClean(workOrderIn(text, workDigest(text), ['backup']))
      claimClean(workerOrderIn(text, orderDigest(text)))
      orderedWork(text)
      orderedFolder(text)
    }),
  },
  {
    name: 'a mark in a comment is a whole one or none',
    property: fc.property(commentText, (comment) => {
      for (const token of [tokenIn(comment), ledgerIn(comment)?.token]) {
        claimClean(token)
        claim(
          token === undefined || (typeof token.uid === 'string' && Number.isInteger(token.generation)),
          () => comment,
        )
      }
      const succession = successionIn(comment)
      claim(succession === undefined || typeof succession.request === 'string', () => comment)
    }),
  },
  {
    name: 'a mark that was written is read again',
    property: fc.property(hostileText, fc.nat(), hostileText, (uid, generation, request) => {
      fc.pre(uid !== '')
      const comment = markOf({ uid, generation }, { request })
      claim(tokenIn(comment)?.uid === uid && successionIn(comment)?.request === request, () => comment)
    }),
  },
  {
    name: 'annotations of an inventory lead to kinds and valid namespaces',
    property: fc.property(hostileTexts, hostileText, hostileText, (others, kinds, namespaces) => {
      const annotations = {
        ...others,
        'applyset.kubernetes.io/contains-group-kinds': kinds,
        'applyset.kubernetes.io/additional-namespaces': namespaces,
      }
      const reach = recordedReach(objectWith(annotations))
      claimClean(reach)
      for (const name of reach.namespaces)
        claim(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63, () => name)
    }),
  },
  {
    name: 'annotations that steer are followed or complained of in one bounded sentence',
    property: fc.property(hostileTexts, hostileText, hostileText, hostileText, (others, paused, now, interval) => {
      const steering = steeringOf(
        objectWith({
          ...others,
          ...(paused.length % 2 === 0 ? {} : { 'konverge.dev/paused': paused }),
          'konverge.dev/reconcile-now': now,
          'konverge.dev/reconcile-interval': interval,
        }),
      )
      claimClean(steering)
      for (const text of [steering.pause, steering.complaint]) if (text !== undefined) claimSentence(text, 1_024)
      claim(
        (steering.token ?? '').length <= 256,
        () => `a token of ${steering.token?.length} characters goes into status`,
      )
      claim(steering.intervalMs === undefined || steering.intervalMs >= 10_000, () => String(steering.intervalMs))
    }),
  },
  {
    name: 'a duration is finite or none',
    property: fc.property(hostileText, (text) => {
      const ms = durationMs(text)
      claim(ms === undefined || (Number.isFinite(ms) && ms >= 0), () => String(ms))
    }),
  },
  {
    name: 'a quantity is canonical once and for all, or none',
    property: fc.property(quantityText, (text) => {
      const canonical = canonicalQuantity(text)
      if (canonical !== undefined && canonical.length <= 128)
        claim(canonicalQuantity(canonical) !== undefined, () => canonical)
      parseQuantity(text)
      quantityInMilli(text)
      const fault = quantityFault(text)
      if (fault !== undefined) claimOneLine(fault)
    }),
  },
  {
    name: 'a schedule is read or refused in one bounded sentence',
    property: fc.property(cronText, fc.option(hostileText, { nil: undefined }), (expression, timeZone) => {
      const reading = readSchedule({ expression, timeZone }, nowMs)
      if (reading.kind !== 'refused') return
      claimSentence(reading.message)
    }),
  },
  {
    name: 'the key of an artifact leads nowhere but below its store',
    property: fc.property(hostileText, hostileText, (first, second) => {
      for (const key of [first, `${first}/${second}`, `${folder}${first}`]) {
        const checked = coded(() => checkedKey(key))
        claim('value' in checked === isKey(key), () => key)
        if ('value' in checked) claimBelow(checked.value)
        coded(() => checkedPrefix(key))
      }
    }),
  },
  {
    name: 'a kubeconfig is read or refused by a coded error',
    property: fc.property(fc.oneof(hostileText, hostileJsonText, kubeconfigText), (text) => {
      coded(() => selectContext(parseKubeConfig({ text, origin: 'the text' })))
    }),
  },
  {
    name: 'a merge patch leads from the one to the other and pollutes nothing',
    property: fc.property(jsonObject, jsonObject, (before, after) => {
      const patch = mergePatchBetween(before, after)
      const patched = applyMergePatch(before, patch ?? {})
      claimClean(patched)
      claim(
        canonicalJson(patched) === canonicalJson(withoutNulls(after)) || hasNull(after) || hasNull(before),
        () => 'the patch leads elsewhere',
      )
    }),
  },
  {
    name: 'a JSON patch is applied or refused by a coded error',
    property: fc.property(
      jsonObject,
      hostileText,
      hostileJson,
      fc.constantFrom('add', 'replace', 'test'),
      (document, path, value, op) => {
        const operations = [{ op, path: `/${path}`, value: value as Json }] as Parameters<typeof applyJsonPatch>[1]
        const patched = coded(() => applyJsonPatch(document, operations))
        if ('value' in patched) claimClean(patched.value)
      },
    ),
  },
]
