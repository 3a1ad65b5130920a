// Scripts of writes to built-in kinds: pods, services, secrets and jobs that no controller changes. Controllers change
// deployments and
// stateful sets, so after their creation the scripts only dry-run writes to them.
import fc from 'fast-check'
import { isJsonObject, type JsonObject, own } from '../../../../src/base/json.ts'
import { deployments, jobs, type Kind, object, pods, secrets, services, statefulSets } from '../../kinds.ts'
import type { Query } from '../../server-under-test.ts'
import type { Step } from '../script.ts'
import { collection, form, manager, nameOf, precondition, some, step, withMetadata, writeQuery } from './objects.ts'
import { podSpec } from './pod-specs.ts'

interface Sample {
  readonly kind: Kind
  readonly body: fc.Arbitrary<JsonObject>
  /** True if controllers write this kind too. */
  readonly isOnTrial?: boolean
  /** Targets of JSON patches. */
  readonly pointers: readonly string[]
  /** Field selectors of the kind. */
  readonly selectors: readonly string[]
  readonly status?: fc.Arbitrary<JsonObject>
}

const name = fc.constantFrom('a', 'b')
const word = fc.constantFrom('x', 'y')
const labels = fc.dictionary(fc.constantFrom('tier', 'rank'), fc.constantFrom('1', '2'), { maxKeys: 2 })
const selected = { app: 'a' }

function of(kind: Kind, fields: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(name, fields, fc.option(labels, { freq: 3, nil: undefined }))
    .map(([name, fields, labels]) => object(kind, name, { ...(labels && { metadata: { labels } }), ...fields }))
}

const service = some({
  ports: fc.uniqueArray(
    some({
      name: fc.constantFrom('http', 'dns'),
      port: fc.constantFrom(80, 81, 0),
      protocol: fc.constantFrom('TCP', 'UDP'),
      targetPort: fc.constantFrom<number | string>(8080, 'http'),
      appProtocol: word,
    }),
    { maxLength: 2, selector: ({ port, protocol }) => `${String(port)}/${String(protocol ?? 'TCP')}` },
  ),
  sessionAffinity: fc.constantFrom('None', 'ClientIP'),
  publishNotReadyAddresses: fc.boolean(),
  type: fc.constantFrom('ClusterIP', 'ClusterIP', 'ExternalName'),
  externalName: fc.constantFrom('example.com'),
  ipFamilyPolicy: fc.constantFrom('SingleStack', 'RequireDualStack'),
}).map((spec): JsonObject => ({ spec: { clusterIP: 'None', ...spec } }))

const secret = some({
  data: fc.dictionary(word, fc.constantFrom('YQ==', 'Yg==', '!'), { maxKeys: 2 }),
  stringData: fc.dictionary(word, word, { maxKeys: 2 }),
  type: fc.constantFrom('Opaque', 'Opaque', 'example.com/x', 'kubernetes.io/tls'),
  immutable: fc.constantFrom(false, false, true),
})

const template = podSpec.map((spec): JsonObject => ({ metadata: { labels: selected }, spec }))
const replicas = fc.constantFrom(0, 0, 1, -1)

const deployment = fc
  .tuple(
    template,
    some({
      replicas,
      minReadySeconds: fc.constantFrom(0, 5),
      revisionHistoryLimit: fc.constantFrom(0, 10),
      progressDeadlineSeconds: fc.constantFrom(1, 600),
      strategy: fc.constantFrom<JsonObject>(
        { type: 'Recreate' },
        { rollingUpdate: { maxSurge: 1 } },
        { rollingUpdate: { maxUnavailable: '50%', maxSurge: 0 } },
        { type: 'Sideways' },
      ),
    }),
  )
  .map(
    ([template, spec]): JsonObject => ({
      spec: { paused: true, selector: { matchLabels: selected }, template, ...spec },
    }),
  )

const statefulSet = fc
  .tuple(
    template,
    some({
      replicas,
      serviceName: word,
      podManagementPolicy: fc.constantFrom('OrderedReady', 'Parallel', 'Sideways'),
      updateStrategy: fc.constantFrom<JsonObject>(
        { type: 'OnDelete' },
        { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      ),
      persistentVolumeClaimRetentionPolicy: fc.constantFrom<JsonObject>({ whenDeleted: 'Delete' }, {}),
      ordinals: fc.constantFrom<JsonObject>({ start: 1 }),
      volumeClaimTemplates: fc.constantFrom([
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ]),
    }),
  )
  .map(([template, spec]): JsonObject => ({ spec: { selector: { matchLabels: selected }, template, ...spec } }))

const job = fc
  .tuple(
    podSpec,
    some({
      parallelism: fc.constantFrom(0, 1, -1),
      completions: fc.constantFrom(1, 2),
      backoffLimit: fc.constantFrom(0, 3),
      suspend: fc.boolean(),
      activeDeadlineSeconds: fc.constantFrom(5, 0),
      ttlSecondsAfterFinished: fc.constantFrom(100),
      completionMode: fc.constantFrom('Indexed', 'NonIndexed'),
    }),
  )
  .map(([spec, fields]): JsonObject => {
    const template = { spec: { ...spec, restartPolicy: 'Never' } }
    return { spec: { managedBy: 'example.com/nobody', template, ...fields } }
  })

const condition = fc.record({
  type: fc.constantFrom('Ready', 'example.com/Seen'),
  status: fc.constantFrom('True', 'False', 'Perhaps'),
})

const samples: readonly Sample[] = [
  {
    kind: pods,
    body: of(
      pods,
      podSpec.map((spec): JsonObject => ({ spec: { schedulingGates: [{ name: 'example.com/hold' }], ...spec } })),
    ),
    pointers: [
      '/spec/containers/0/image',
      '/spec/tolerations/-',
      '/metadata/labels/tier',
      '/spec/activeDeadlineSeconds',
    ],
    selectors: ['status.phase=Pending', 'spec.nodeName=', 'spec.restartPolicy!=Always', 'spec.size=1'],
    status: some({
      phase: fc.constantFrom('Pending', 'Running'),
      conditions: fc.array(condition, { maxLength: 2 }),
      message: word,
    }),
  },
  {
    kind: services,
    body: of(services, service),
    pointers: ['/spec/ports/0/port', '/spec/ports/-', '/spec/sessionAffinity', '/metadata/labels'],
    selectors: ['spec.clusterIP=None', 'spec.type=ClusterIP'],
    status: fc.constantFrom<JsonObject>({ conditions: [] }, { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } }),
  },
  {
    kind: secrets,
    body: of(secrets, secret),
    pointers: ['/data/x', '/immutable', '/type', '/stringData'],
    selectors: ['type=Opaque', 'type!=Opaque'],
  },
  {
    kind: jobs,
    body: of(jobs, job),
    pointers: ['/spec/suspend', '/spec/parallelism', '/spec/template/spec/containers/0/image', '/spec/completions'],
    selectors: ['status.successful=0', 'metadata.name=a'],
    status: some({ active: fc.constantFrom(0, 1), ready: fc.constantFrom(0, 2), failed: fc.constantFrom(-1, 1) }),
  },
  {
    kind: deployments,
    body: of(deployments, deployment),
    isOnTrial: true,
    pointers: ['/spec/replicas', '/spec/template/spec/containers/0/image', '/spec/selector', '/spec/strategy/type'],
    selectors: ['metadata.name=a', 'status.replicas=0'],
    status: some({
      replicas: fc.constantFrom(0, -1),
      observedGeneration: fc.constantFrom(1),
      collisionCount: fc.constantFrom(1),
    }),
  },
  {
    kind: statefulSets,
    body: of(statefulSets, statefulSet),
    isOnTrial: true,
    pointers: ['/spec/replicas', '/spec/serviceName', '/spec/template/spec/containers/0', '/spec/updateStrategy'],
    selectors: ['metadata.name!=a'],
    status: some({ replicas: fc.constantFrom(0, 1, -1), currentReplicas: fc.constantFrom(2) }),
  },
]

/** Returns the write; a dry run if controllers write the kind too. */
function write(sample: Sample, ask: Step['ask']): Step {
  return step(sample.isOnTrial === true ? { ...ask, query: { ...ask.query, dryRun: 'All' } } : ask)
}

const patchTypes = ['merge-patch+json', 'strategic-merge-patch+json', 'strategic-merge-patch+json']

function patchesOf(sample: Sample): fc.Arbitrary<Step> {
  const { kind, body } = sample
  const fields = fc
    .tuple(
      body,
      fc.constantFrom(...patchTypes),
      writeQuery,
      fc.subarray(['spec', 'data', 'stringData', 'type', 'metadata']),
    )
    .chain(([whole, type, query, keys]) => {
      const spec = own(whole, 'spec')
      const inSpec = isJsonObject(spec) ? Object.keys(spec) : []
      return fc.subarray(inSpec).map((kept) => {
        const { name: _, ...metadata } = (whole['metadata'] ?? {}) as JsonObject // Form of the generator.
        const part = Object.fromEntries(Object.entries(whole).filter(([key]) => keys.includes(key)))
        const patch = {
          ...part,
          ...(isJsonObject(spec) && 'spec' in part
            ? { spec: Object.fromEntries(Object.entries(spec).filter(([key]) => kept.includes(key))) }
            : {}),
          metadata,
        }
        const headers = { 'content-type': `application/${type}` }
        const path = `${collection(kind)}/${nameOf(whole)}`
        return write(sample, { method: 'PATCH', path, query, headers, body: patch })
      })
    })
  const operation = fc
    .tuple(
      fc.constantFrom('add', 'replace', 'remove', 'test'),
      fc.constantFrom(...sample.pointers),
      fc.constantFrom<JsonObject[string]>('example:2', 1, 0, true, null, { key: 'x', operator: 'Exists' }, 'x'),
    )
    .map(([op, path, value]) => (op === 'remove' ? { op, path } : { op, path, value: value ?? null }))
  const operations = fc
    .tuple(name, fc.array(operation, { minLength: 1, maxLength: 2 }), manager)
    .map(([name, body, fieldManager]) =>
      write(sample, {
        method: 'PATCH',
        path: `${collection(kind)}/${name}`,
        query: { fieldManager },
        headers: { 'content-type': 'application/json-patch+json' },
        body,
      }),
    )
  return fc.oneof({ weight: 3, arbitrary: fields }, { weight: 1, arbitrary: operations })
}

function belowOf(sample: Sample): fc.Arbitrary<Step> {
  const { kind, status } = sample
  const path = name.map((name) => `${collection(kind)}/${name}`)
  const merge = { 'content-type': 'application/merge-patch+json' }
  const toStatus = fc
    .tuple(path, status ?? fc.constant({}))
    .map(([path, status]) =>
      write(sample, { method: 'PATCH', path: `${path}/status`, headers: merge, body: { status } }),
    )
  const toScale = fc.tuple(path, replicas, fc.constantFrom('GET', 'PATCH', 'PUT')).map(([path, replicas, method]) => {
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: path.slice(-1) },
      spec: { replicas },
    }
    if (method === 'GET') return step({ method, path: `${path}/scale` })
    return method === 'PUT'
      ? write(sample, { method, path: `${path}/scale`, body: scale })
      : write(sample, { method: 'PATCH', path: `${path}/scale`, headers: merge, body: { spec: { replicas } } })
  })
  return fc.oneof(toStatus, toScale)
}

function readsOf({ kind, selectors }: Sample): fc.Arbitrary<Step> {
  const query: fc.Arbitrary<Query> = fc.oneof(
    fc.constant({}),
    fc.constantFrom(...selectors).map((fieldSelector) => ({ fieldSelector })),
    fc.constantFrom<Query>({ labelSelector: 'tier=1' }, { limit: 1 }, { resourceVersion: '0' }),
  )
  return fc.oneof(
    fc
      .tuple(name, form)
      .map(([name, headers]) => step({ method: 'GET', path: `${collection(kind)}/${name}`, headers })),
    fc.tuple(query, form).map(([query, headers]) => step({ method: 'GET', path: collection(kind), query, headers })),
  )
}

function removalOf({ kind, isOnTrial }: Sample): fc.Arbitrary<Step> {
  return fc
    .tuple(name, fc.constantFrom<JsonObject>({}, { preconditions: { uid: 'x' } }, { gracePeriodSeconds: 0 }))
    .map(([name, options]) => {
      const body = { propagationPolicy: 'Background', ...options, ...(isOnTrial ? { dryRun: ['All'] } : {}) }
      return step({ method: 'DELETE', path: `${collection(kind)}/${name}`, body })
    })
}

function stepsOf(sample: Sample): fc.Arbitrary<Step> {
  const { kind, body } = sample
  const create = fc
    .tuple(body, writeQuery)
    .map(([body, query]) => write(sample, { method: 'POST', path: collection(kind), query, body }))
  const update = fc.tuple(body, writeQuery).chain(([body, query]) =>
    precondition(nameOf(body)).map((metadata) => {
      const path = `${collection(kind)}/${nameOf(body)}`
      return write(sample, { method: 'PUT', path, query, body: withMetadata(body, metadata) })
    }),
  )
  const apply = fc
    .tuple(body, manager, fc.option(fc.constant(true), { freq: 2, nil: undefined }))
    .map(([body, fieldManager, force]) => {
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      const path = `${collection(kind)}/${nameOf(body)}`
      return write(sample, { method: 'PATCH', path, query: { fieldManager, force }, headers, body })
    })
  return fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 4, arbitrary: update },
    { weight: 6, arbitrary: apply },
    { weight: 5, arbitrary: patchesOf(sample) },
    { weight: 2, arbitrary: belowOf(sample) },
    { weight: 3, arbitrary: readsOf(sample) },
    { weight: 1, arbitrary: removalOf(sample) },
  )
}

/** Creates two initial objects of the kind. If controllers write it too, creates one and waits for them. */
function beginningOf({ kind, body, isOnTrial }: Sample): fc.Arbitrary<Step[]> {
  return fc.tuple(body, body).map((bodies) => [
    ...bodies.slice(isOnTrial === true ? 1 : 0).map((body, index) => {
      const name = index === 0 ? 'a' : 'b'
      const spec = own(body, 'spec')
      const calm = isOnTrial === true && isJsonObject(spec) ? { ...body, spec: { ...spec, replicas: 0 } } : body
      return step({ method: 'POST', path: collection(kind), body: withMetadata(calm, { name }) })
    }),
    ...(isOnTrial === true ? [step({ method: 'GET', path: collection(kind) }, 'settle')] : []),
  ])
}

export const builtInSteps: fc.Arbitrary<Step[]> = fc
  .constantFrom(...samples)
  .chain((sample) =>
    fc
      .tuple(beginningOf(sample), fc.array(stepsOf(sample), { minLength: 20, maxLength: 30, size: 'max' }))
      .map(([beginning, steps]) => [...beginning, ...steps]),
  )
