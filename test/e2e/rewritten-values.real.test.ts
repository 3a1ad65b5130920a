// Does the operator rest when the server spells things its own way? Objects whose declared values come back rewritten, by
// defaults, canonical spellings, dropped zeros, pruning and an admission webhook, with the audit log as the witness (I1).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { type BundledObject, Bundles, installBundles } from './bundles.ts'
import type { OperatorHere } from './operator-here.ts'
import { RewritingWebhook } from './rewriting-webhook.ts'
import { operatorWrites } from './stores.ts'

const cluster = attachToControlPlane()
const space = new Bundles(cluster, 'rewritten')
const webhook = new RewritingWebhook(cluster, space.namespace)
let operator: OperatorHere

beforeAll(async () => {
  await installBundles(cluster)
  await space.createNamespace()
  await webhook.start()
  operator = await space.startOperator()
})
afterAll(async () => {
  await operator.stop()
  await webhook.stop()
})

const selector = { matchLabels: { app: 'x' } }
const template = {
  metadata: { labels: { app: 'x' } },
  spec: {
    hostNetwork: false,
    nodeSelector: {},
    containers: [
      {
        name: 'app',
        image: 'nginx:1',
        command: [],
        ports: [{ containerPort: 80 }],
        resources: { requests: { cpu: 0.5, memory: '1024Mi' }, limits: { cpu: '1000m' } },
        env: [
          { name: 'EMPTY', value: '' },
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
      },
    ],
  },
}
const wanted: readonly (readonly [BundledObject['object'], string])[] = [
  // In upper case, says the webhook.
  [{ apiVersion: 'v1', kind: 'ConfigMap', data: { shout: 'quiet', empty: '' } }, 'admission webhook'],
  [
    { apiVersion: 'v1', kind: 'Secret', stringData: { login: 'x' }, data: { other: 'eA==' }, immutable: false },
    'stringData',
  ],
  [
    { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 1, minReadySeconds: 0, selector, template } },
    'quantities, zeros, empty values',
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: {
        serviceName: 'x',
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
          },
        ],
      },
    },
    'defaults in templates of claims',
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Service',
      spec: {
        selector: { app: 'x' },
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      },
    },
    'allocated and defaulted fields',
  ],
  [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      spec: { tls: [], defaultBackend: { service: { name: 'x', port: { number: 80 } } } },
    },
    'an empty list',
  ],
  [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 80 }] }] },
    },
    'defaulted leaves in atomic lists',
  ],
  [
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '0.5Gi' } } },
        ],
      },
    },
    'quantities',
  ],
  [
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      spec: {
        schedule: '0 0 1 1 *',
        suspend: false,
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
      },
    },
    'defaults in templates of jobs',
  ],
  // A null is pruned where none is allowed, and the default takes its place.
  [
    {
      apiVersion: 'test.konverge.dev/v1',
      kind: 'Pruned',
      spec: { size: null, modes: [{ name: 'a' }, { name: 'b', on: false }] },
    },
    'pruning and defaults of a CRD',
  ],
]
const childWrites = async () => {
  const writes = operatorWrites(await cluster.auditEvents())
  return writes.flatMap(({ objectRef, verb }) =>
    objectRef?.namespace !== space.namespace || objectRef.resource === 'bundles' || objectRef.resource === 'events'
      ? []
      : [`${verb} ${objectRef.resource}`],
  )
}
let looks = 0
/** Asks for one more turn and waits for it. */
async function anotherTurn(): Promise<void> {
  const before = operator.turnCount('rewritten')
  looks += 1
  await space.kubectl('annotate', 'bundle', 'rewritten', `look=${looks}`, '--overwrite')
  await operator.turns('rewritten', before + 1)
}

it('writes nothing at rest, and after a restart at most one apply each', async () => {
  expect(wanted).toHaveLength(10)
  await space.want('rewritten', ...wanted.map(([object]) => ({ object: { ...object, metadata: { name: 'x' } } })))
  const kinds = wanted.map(([{ kind }]) => (kind === 'Pruned' ? 'pruneds.test.konverge.dev' : kind))
  for (const kind of kinds) {
    await space.until(`${kind} x`, async () => (await space.live(kind, 'x')) !== undefined)
  }
  expect((await space.live('configmap', 'x'))?.data?.['shout'], 'the webhook works').toBe('QUIET')
  expect((await space.live('pruneds.test.konverge.dev', 'x'))?.spec, 'null was pruned').toMatchObject({ size: 3 })
  await anotherTurn()
  const atRest = await childWrites()
  // What others do to children, such as their status, wakes the resource a few times more.
  for (let turn = 0; turn < 3; turn++) await anotherTurn()
  expect((await childWrites()).slice(atRest.length)).toEqual([])

  await operator.stop()
  operator = await space.startOperator()
  await operator.turns('rewritten', 1)
  await anotherTurn()
  const afterRestart = (await childWrites()).slice(atRest.length)
  expect(afterRestart, 'at most one apply each').toEqual([...new Set(afterRestart)])
  for (let turn = 0; turn < 3; turn++) await anotherTurn()
  expect((await childWrites()).slice(atRest.length + afterRestart.length)).toEqual([])
})
