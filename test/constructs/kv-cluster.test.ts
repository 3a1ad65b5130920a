import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KvClusterProps, kvClusterProps, kvNames, kvSelectorLabels } from '../../constructs/index.ts'
import type { ReplicatedKVStoreSpec, ReplicatedKVStoreSpecInput } from '../../imports/index.ts'
import { at, render } from './render.ts'

const image = 'valkey/valkey:8.0'
const plain: KvClusterProps = { name: 'cart', image }
const podTemplateOf = (props: KvClusterProps) => at(render(props).only('StatefulSet'), 'spec', 'template')
const containerOf = (props: KvClusterProps) => at(podTemplateOf(props), 'spec', 'containers', 0)

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$/)
const anyProps: fc.Arbitrary<KvClusterProps> = fc.record(
  {
    name,
    image: fc.constantFrom(image, 'redis:7'),
    replicas: fc.integer({ min: 1, max: 9 }),
    port: fc.integer({ min: 1, max: 65535 }),
    storage: fc.record(
      { size: fc.constantFrom('1Gi', '10Gi'), storageClassName: fc.constantFrom('', 'fast') },
      { requiredKeys: [] },
    ),
    env: fc.uniqueArray(
      fc.record(
        { name: fc.stringMatching(/^[A-Z]{1,5}$/), value: fc.constantFrom('', 'x') },
        { requiredKeys: ['name'] },
      ),
      { selector: (variable) => variable.name, maxLength: 4 },
    ),
    args: fc.array(fc.constantFrom('--verbose', '--dir'), { maxLength: 2 }),
    resources: fc.record(
      { limits: fc.constantFrom({}, { cpu: 1 }), requests: fc.constantFrom({}, { memory: '1Gi' }) },
      { requiredKeys: [] },
    ),
    podTemplate: fc.record(
      {
        annotations: fc.constantFrom({}, { a: '' }),
        nodeSelector: fc.constantFrom({}, { zone: 'a' }),
        tolerations: fc.constantFrom([], [{ key: 'dedicated', value: '', operator: 'Exists' as const }]),
      },
      { requiredKeys: [] },
    ),
    probes: fc.record(
      {
        readiness: fc.constantFrom({}, { initialDelaySeconds: 0 }, { httpGet: {} }),
        liveness: fc.constantFrom({ tcpSocket: {} }, { exec: { command: ['true'] }, periodSeconds: 3 }),
      },
      { requiredKeys: [] },
    ),
    updateStrategy: fc.constantFrom({}, { partition: 1 }, { maxUnavailable: '50%' }),
    pvcRetention: fc.constantFrom({}, { whenScaled: 'Delete' as const }),
    pdb: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name', 'image'] },
)

describe('KvCluster', () => {
  it('renders these objects, in an applicable order', () => {
    const { objects } = render({ ...plain, replicas: 3 })
    expect(objects.map((object) => `${object['kind']} ${at(object, 'metadata', 'name')}`)).toEqual([
      'ServiceAccount cart',
      'Service cart-headless',
      'Service cart',
      'StatefulSet cart',
      'PodDisruptionBudget cart',
    ])
  })

  it('declares that the StatefulSet needs the others, and that the PodDisruptionBudget comes last', () => {
    const { cluster } = render({ ...plain, replicas: 2 })
    const { serviceAccount, headlessService, clientService, statefulSet, podDisruptionBudget } = cluster
    expect(statefulSet.node.dependencies).toEqual([serviceAccount, headlessService, clientService])
    expect(podDisruptionBudget?.node.dependencies).toEqual([statefulSet])
  })

  it.each<[string, Partial<KvClusterProps>, boolean]>([
    ['a single replica, which it would keep from ever moving', {}, false],
    ['two replicas', { replicas: 2 }, true],
    ['two replicas, switched on', { replicas: 2, pdb: { enabled: true } }, true],
    ['two replicas, switched off', { replicas: 2, pdb: { enabled: false } }, false],
    ['a single replica, switched on', { replicas: 1, pdb: { enabled: true } }, false],
  ])('decides on a PodDisruptionBudget for %s', (_name, props, isWanted) => {
    const { objects, cluster } = render({ ...plain, ...props })
    expect(objects.some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(isWanted)
    expect(cluster.podDisruptionBudget !== undefined).toBe(isWanted)
  })

  it('disrupts one pod at a time', () => {
    expect(at(render({ ...plain, replicas: 3 }).only('PodDisruptionBudget'), 'spec')).toEqual({
      maxUnavailable: 1,
      selector: { matchLabels: { 'data.konverge.dev/replicatedkvstore': 'cart' } },
    })
  })

  it('lets peers find one another before they are ready, and clients only ready ones', () => {
    const { only } = render(plain)
    expect(at(only('Service', 'cart-headless'), 'spec')).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
    })
    expect(at(only('Service', 'cart'), 'spec')).toEqual({
      selector: { 'data.konverge.dev/replicatedkvstore': 'cart' },
      ports: [{ name: 'kv', port: 6379, protocol: 'TCP', targetPort: 'kv' }],
    })
  })

  it('sets the pod’s name and the address of its peers before the user’s variables', () => {
    expect(at(containerOf({ ...plain, port: 7000, env: [{ name: 'SELF', value: '$(POD_NAME)' }] }), 'env')).toEqual([
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'KV_PEERS', value: 'cart-headless:7000' },
      { name: 'SELF', value: '$(POD_NAME)' },
    ])
  })

  it('conforms to the Pod Security Standard “restricted”', () => {
    const spec = at(podTemplateOf(plain), 'spec')
    expect(at(spec, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(at(spec, 'automountServiceAccountToken')).toBe(false)
    expect(at(spec, 'serviceAccountName')).toBe('cart')
    expect(at(containerOf(plain), 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('can write to /data, which is its volume, and to /tmp, because its root is read-only', () => {
    const mounts = at(containerOf(plain), 'volumeMounts')
    expect(mounts).toEqual([
      { name: 'data', mountPath: '/data' },
      { name: 'temporary', mountPath: '/tmp' },
    ])
    expect(at(podTemplateOf(plain), 'spec', 'volumes')).toEqual([{ name: 'temporary', emptyDir: { sizeLimit: '1Gi' } }])
  })

  it.each<[string, KvClusterProps['probes'], object]>([
    ['nothing is said', undefined, { tcpSocket: { port: 'kv' } }],
    [
      'only times are given',
      { readiness: { periodSeconds: 5, initialDelaySeconds: 0 } },
      { tcpSocket: { port: 'kv' }, periodSeconds: 5 },
    ],
    ['a port is given', { readiness: { tcpSocket: { port: 9000 } } }, { tcpSocket: { port: 9000 } }],
    [
      'a request is wanted',
      { readiness: { httpGet: { path: '/ready' } } },
      { httpGet: { path: '/ready', port: 'kv' } },
    ],
    [
      'a command is given',
      { readiness: { exec: { command: ['ping'] }, timeoutSeconds: 2 } },
      { exec: { command: ['ping'] }, timeoutSeconds: 2 },
    ],
  ])('probes readiness when %s', (_name, probes, expected) => {
    expect(at(containerOf({ ...plain, ...(probes && { probes }) }), 'readinessProbe')).toEqual(expected)
    expect(at(containerOf(plain), 'livenessProbe')).toEqual({ tcpSocket: { port: 'kv' } })
  })

  it('labels volume claims with the store’s name', () => {
    const claim = at(
      render({ ...plain, storage: { size: '5Gi', storageClassName: '' } }).only('StatefulSet'),
      'spec',
      'volumeClaimTemplates',
      0,
    )
    expect(at(claim, 'metadata')).toEqual({ name: 'data', labels: { 'data.konverge.dev/replicatedkvstore': 'cart' } })
    expect(at(claim, 'spec')).toEqual({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: '',
    })
  })

  it('passes on scheduling constraints that no library knows yet', () => {
    const affinity = { nodeAffinity: { fromTheFuture: [{ weight: 0 }] } }
    expect(at(podTemplateOf({ ...plain, podTemplate: { affinity } }), 'spec', 'affinity')).toEqual(affinity)
  })

  it.each<[string, Partial<KvClusterProps>, RegExp]>([
    ['a name that no label can hold with a revision', { name: 'a'.repeat(53) }, /at most 52/],
    ['a name with a dot', { name: 'a.b' }, /Services/],
    ['a name that begins with a digit', { name: '1a' }, /Services/],
    ['a name that ends with a dash', { name: 'a-' }, /Services/],
    ['no replica', { replicas: 0 }, /0 replicas/],
    ['half a replica', { replicas: 1.5 }, /1.5 replicas/],
    ['a variable of its own', { env: [{ name: 'KV_PEERS', value: 'x' }] }, /KV_PEERS is set/],
  ])('rejects %s', (_name, props, message) => {
    expect(() => render({ ...plain, ...props })).toThrow(message)
  })

  it('accepts the longest name', () => {
    expect(render({ ...plain, name: 'a'.repeat(52) }).objects.length).toBe(4)
  })
})

describe('any KvCluster', () => {
  it('renders the same bytes for the same props, wherever it is in a tree', () => {
    fc.assert(
      fc.property(anyProps, (props) => {
        const elsewhere = render(structuredClone(props), { chart: 'another', store: 'place' })
        expect(JSON.stringify(elsewhere.objects)).toBe(JSON.stringify(render(props).objects))
      }),
    )
  })

  it('has names that are DNS labels, and pods that its selectors select', () => {
    fc.assert(
      fc.property(anyProps, (props) => {
        const { objects, only } = render(props)
        for (const object of objects) expect(at(object, 'metadata', 'name')).toMatch(/^[a-z][-a-z0-9]{0,61}[a-z0-9]?$/)
        const labels = at(only('StatefulSet'), 'spec', 'template', 'metadata', 'labels')
        const selectors = objects.flatMap((object) => [
          at(object, 'spec', 'selector', 'matchLabels') ?? at(object, 'spec', 'selector') ?? {},
        ])
        for (const selector of selectors) expect(labels).toMatchObject(selector as object)
        expect(at(only('StatefulSet'), 'spec', 'selector', 'matchLabels')).toEqual(kvSelectorLabels(props.name))
        expect(at(only('StatefulSet'), 'spec', 'serviceName')).toBe(kvNames(props.name).headlessService)
      }),
    )
  })

  it('changes only the count when it is scaled, and the PodDisruptionBudget', () => {
    fc.assert(
      fc.property(anyProps, fc.integer({ min: 1, max: 9 }), (props, replicas) => {
        const before = render(props).objects.filter(({ kind }) => kind !== 'PodDisruptionBudget')
        const after = render({ ...props, replicas }).objects.filter(({ kind }) => kind !== 'PodDisruptionBudget')
        const uncounted = (objects: typeof before) =>
          objects.map((object) =>
            object['kind'] === 'StatefulSet'
              ? { ...object, spec: { ...(object['spec'] as object), replicas: 0 } }
              : object,
          )
        expect(uncounted(after)).toEqual(uncounted(before))
        expect(at(after[3], 'spec', 'replicas')).toBe(replicas)
      }),
    )
  })

  it('declares no value that the API server drops', () => {
    fc.assert(
      fc.property(anyProps, (props) => {
        expect(render(props).objects.flatMap((object) => droppedIn(object, ''))).toEqual([])
      }),
    )
  })
})

/** Kept although empty: behind a pointer, or in a string map. */
const keptAlthoughEmpty = /\.(allowPrivilegeEscalation|automountServiceAccountToken|storageClassName|annotations\.a)$/

/** Returns the paths of zero and empty values, which the API server drops from optional fields. */
function droppedIn(value: unknown, path: string): string[] {
  if (keptAlthoughEmpty.test(path)) return []
  if (value === null || value === '' || value === 0 || value === false) return [path]
  if (typeof value !== 'object') return []
  const entries = Object.entries(value)
  return entries.length === 0 ? [path] : entries.flatMap(([key, inner]) => droppedIn(inner, `${path}.${key}`))
}

describe('kvClusterProps', () => {
  it('gives the same manifests for a spec as written and as the server returns it', () => {
    const written: ReplicatedKVStoreSpecInput = { image, storageClassName: 'fast', updateStrategy: { partition: 1 } }
    // The response of a real API server; see the real test of the CRD.
    const read: ReplicatedKVStoreSpec = {
      image,
      storageClassName: 'fast',
      updateStrategy: { partition: 1 },
      replicas: 1,
      port: 6379,
      storage: { size: '1Gi', reuseRetained: 'Refuse' },
      pvcRetention: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      pdb: { enabled: true },
    }
    expect(render(kvClusterProps('cart', written)).objects).toEqual(render(kvClusterProps('cart', read)).objects)
  })

  it('uses every field', () => {
    expect(
      kvClusterProps('cart', { image, storageClassName: '', storage: { size: '2Gi' }, port: 1, args: ['a'] }),
    ).toEqual({
      name: 'cart',
      image,
      storage: { size: '2Gi', storageClassName: '' },
      port: 1,
      args: ['a'],
    })
  })
})
