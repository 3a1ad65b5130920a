// Values that the server stores differently: by defaults, canonical spellings, dropped zeros, pruning and an admission
// webhook. The operator stays idle, by the record of every request (I1). Runs on every server; the webhook only where
// the server has webhooks.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { LiveObject } from '../../../src/object/object.ts'
import { type BundledObject, Bundles, installBundles, turnCount } from '../bundles.ts'
import type { Hand } from '../hand.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

export interface RewritingOptions {
  readonly start: StartStoryServer
  /** Starts to rewrite the value `shout` of ConfigMaps to upper case; the result ends it. Absent: no rewriting. */
  readonly rewrite?: (namespace: string) => Promise<() => Promise<void>>
}

export function describeRewrittenValues({ start, rewrite }: RewritingOptions): void {
  const rewrites = rewrite !== undefined
  let server: StoryServer
  let space: Bundles
  let hand: Hand
  let operator: StoryOperator
  let endRewriting: (() => Promise<void>) | undefined

  beforeAll(async () => {
    server = await start()
    space = new Bundles(server, 'rewritten')
    hand = space.hand
    await installBundles(server)
    await space.createNamespace()
    endRewriting = await rewrite?.(space.namespace)
    operator = await space.startOperator()
  })
  afterAll(async () => {
    await operator.stop()
    await endRewriting?.()
    await server.stop()
  })

  const childWrites = async () => {
    const writes = await server.operatorWrites(space.namespace)
    return writes.flatMap(({ resource, verb }) =>
      resource === 'bundles' || resource === 'events' ? [] : [`${verb} ${resource}`],
    )
  }
  let looks = 0
  /** Requests one more reconcile and waits for it. */
  async function anotherTurn(): Promise<void> {
    const before = turnCount(operator, 'rewritten')
    looks += 1
    await hand.annotate('bundle', 'rewritten', { look: String(looks) })
    await space.turns(operator, 'rewritten', before + 1)
  }

  it('writes nothing when idle, and after a restart at most one apply each', async () => {
    expect(wanted).toHaveLength(10)
    await space.want('rewritten', ...wanted.map(([object]) => ({ object: { ...object, metadata: { name: 'x' } } })))
    for (const [{ kind }] of wanted) {
      await space.until(`${kind} x`, async () => (await hand.find(kind, 'x')) !== undefined)
    }
    expect((await hand.find('configmap', 'x'))?.data?.['shout'], 'the webhook').toBe(rewrites ? 'QUIET' : 'quiet')
    expect((await hand.find('pruned', 'x'))?.spec, 'null was pruned').toMatchObject({ size: 3 })
    await anotherTurn()
    const atRest = await childWrites()
    // Other writers change children, for example their status, and so reconcile the resource a few times more.
    for (let turn = 0; turn < 3; turn++) await anotherTurn()
    expect((await childWrites()).slice(atRest.length)).toEqual([])

    await operator.stop()
    operator = await space.startOperator()
    await space.turns(operator, 'rewritten', 1)
    await anotherTurn()
    const afterRestart = (await childWrites()).slice(atRest.length)
    expect(afterRestart, 'at most one apply each').toEqual([...new Set(afterRestart)])
    for (let turn = 0; turn < 3; turn++) await anotherTurn()
    expect((await childWrites()).slice(atRest.length + afterRestart.length)).toEqual([])
  })

  it('keeps integers beyond 2^53 unchanged, and stays idle', async () => {
    const [largest, smallest] = ['9223372036854775807', '-9223372036854775808']
    const text = (name: string) =>
      `{"apiVersion":"test.konverge.dev/v1","kind":"Pruned","metadata":{"name":"${name}"},"spec":{"quota":${largest},"quotas":[9007199254740993,${smallest}]}}`
    const bundle = `{"apiVersion":"test.konverge.dev/v1","kind":"Bundle","metadata":{"name":"large"},"spec":{"objects":[{"object":${text('large')}}]}}`
    const path = `/apis/test.konverge.dev/v1/namespaces/${space.namespace}`
    const answer = await server.request({
      ...{ method: 'PATCH', path: `${path}/bundles/large?fieldManager=kubectl`, body: bundle },
      contentType: 'application/apply-patch+yaml',
    })
    expect(answer.status).toBeLessThan(300)
    await space.condition('large', 'Ready', 'Settled')
    const child = await server.request({ method: 'GET', path: `${path}/pruneds/large` })
    expect(child.text).toContain(`"quota":${largest}`)
    expect(child.text).toContain(`[9007199254740993,${smallest}]`)
    const before = await childWrites()
    await hand.annotate('bundle', 'large', { look: 'again' })
    await space.turns(operator, 'large', 2)
    expect(await childWrites()).toEqual(before)
  })

  it('removes fields inside an atomic value that were dropped while no operator ran', async () => {
    const custom = (mode: object) => ({ apiVersion: 'test.konverge.dev/v1', kind: 'Pruned', spec: { modes: [mode] } })
    const builtIn = (endpoint: object) => ({
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
      endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }],
    })
    const want = (...objects: readonly BundledObject['object'][]) =>
      space.want('dropped', ...objects.map((object) => ({ object: { ...object, metadata: { name: 'dropped' } } })))
    const found = async () => {
      const [mode] = ((await hand.find('pruned', 'dropped'))?.spec?.['modes'] ?? []) as readonly unknown[]
      const slice = (await hand.find('endpointslice', 'dropped')) as unknown as { endpoints?: readonly unknown[] }
      return { mode, endpoint: slice?.endpoints?.[0] }
    }
    await want(custom({ name: 'a', on: false, note: 'old' }), builtIn({ hostname: 'old' }))
    await space.condition('dropped', 'Ready', 'Settled')
    expect(await found()).toEqual({
      mode: { name: 'a', on: false, note: 'old' },
      endpoint: expect.objectContaining({ hostname: 'old' }),
    })
    await operator.stop()
    await want(custom({ name: 'a' }), builtIn({}))
    operator = await space.startOperator()
    await space.condition('dropped', 'Ready', 'Settled')
    expect(await found()).toEqual({
      mode: { name: 'a', on: true },
      endpoint: expect.not.objectContaining({ hostname: 'old' }),
    })
  })

  it('removes fields inside an atomic value that a user added under the manager of the operator', async () => {
    const child = { apiVersion: 'test.konverge.dev/v1', kind: 'Pruned', spec: { modes: [{ name: 'a' }] } }
    await space.want('forged', { object: { ...child, metadata: { name: 'forged' } } })
    await space.condition('forged', 'Ready', 'Settled')
    const modes = async () => (await hand.find('pruned', 'forged'))?.spec?.['modes']
    const path = `/apis/test.konverge.dev/v1/namespaces/${space.namespace}/pruneds/forged`
    const live: LiveObject = JSON.parse((await server.request({ method: 'GET', path })).text)
    const { name, namespace, labels, annotations, ownerReferences, managedFields = [] } = live.metadata
    const metadata = { name, namespace, labels, annotations, ownerReferences }
    const answer = await server.request({
      ...{ method: 'PATCH', contentType: 'application/apply-patch+yaml' },
      path: `${path}?force=true&fieldManager=${encodeURIComponent(managedFields[0]?.manager ?? '')}`,
      body: JSON.stringify({ ...child, metadata, spec: { modes: [{ name: 'a', note: 'forged' }] } }),
    })
    expect(answer.text).toContain('forged')
    expect(answer.status).toBe(200)
    await space.until('the note is gone', async () => !JSON.stringify(await modes()).includes('note'))
    expect(await modes()).toEqual([{ name: 'a', on: true }])
  })
}

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
  // The webhook writes it in upper case.
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
  // The server prunes a null that the schema forbids, and the default takes its place.
  [
    {
      apiVersion: 'test.konverge.dev/v1',
      kind: 'Pruned',
      spec: { size: null, modes: [{ name: 'a' }, { name: 'b', on: false }] },
    },
    'pruning and defaults of a CRD',
  ],
]
