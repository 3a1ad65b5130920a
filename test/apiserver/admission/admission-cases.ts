// Cluster states and objects for the admission tests.
import type { JsonObject } from '../../../src/base/json.ts'
import { podBases, podWords } from '../built-in/pod-cases.ts'

const namespace = 'shop'

const always = ['shop', 'kube-system'].map(
  (name): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
)

function account(name: string, parts: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, annotations }, ...parts }
}

function priorityClass(name: string, value: number, parts: JsonObject = {}): JsonObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...parts }
}

function storageClass(name: string, isDefault: boolean, parts: JsonObject = {}, created = '2026-01-01'): JsonObject {
  const annotations = isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {}
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations, creationTimestamp: `${created}T00:00:00Z` },
    provisioner: 'example.com/disk',
    ...parts,
  }
}

const limited = { 'kubernetes.io/enforce-mountable-secrets': 'true' }
const agent: JsonObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'agent', namespace: 'kube-system' },
}
const plainAccounts = [agent, ...['default', 'store', 'web'].map((name) => account(name))]
const named = { secrets: [{ name: 'login' }, { name: 'a' }], imagePullSecrets: [{ name: 'registry' }, { name: 'a' }] }

/** The control plane waits for a missing account for a while, so only few pods may lack theirs. */
export const worlds: readonly (readonly JsonObject[])[] = [
  [...always, ...plainAccounts, storageClass('fast', true, { allowVolumeExpansion: true })],
  [
    ...always,
    ...plainAccounts,
    priorityClass('high', 1_000, { preemptionPolicy: 'Never' }),
    priorityClass('low', 10, { globalDefault: true, preemptionPolicy: 'PreemptLowerPriority' }),
    storageClass('fast', true, { allowVolumeExpansion: true }),
    storageClass('slow', true, {}, '2026-02-01'),
  ],
  [
    ...always,
    agent,
    account('default', { automountServiceAccountToken: false }),
    account('store', { imagePullSecrets: [{ name: 'registry' }], automountServiceAccountToken: true }),
    priorityClass('high', 1_000, { globalDefault: true, preemptionPolicy: 'Never' }),
    priorityClass('higher', 2_000, { globalDefault: true, preemptionPolicy: 'Never' }),
    storageClass('b', true),
    storageClass('a', true, { allowVolumeExpansion: true }),
  ],
  [
    ...always,
    agent,
    account('default', named, limited),
    account('store', named, limited),
    priorityClass('high', 5),
    storageClass('fast', false),
  ],
  [...always, ...plainAccounts],
]

const metadata = { name: 'data', namespace, annotations: { note: 'x' }, finalizers: ['example.com/keep'] }

const pods = [
  ...podBases,
  {
    metadata: { name: 'web-0', namespace, annotations: { note: 'x' } },
    spec: {
      containers: [{ name: 'web', image: 'nginx' }],
      initContainers: [{ name: 'init', image: 'nginx', volumeMounts: [{ name: 'login', mountPath: '/login' }] }],
      volumes: [{ name: 'login', secret: { secretName: 'login' } }],
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
      priorityClassName: 'high',
      priority: 1_000,
      preemptionPolicy: 'Never',
      imagePullSecrets: [{ name: 'registry' }],
    },
  },
  {
    metadata: { name: 'web-0', namespace },
    spec: {
      serviceAccountName: 'store',
      containers: [
        {
          name: 'web',
          image: 'nginx',
          volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'a' } } }],
          envFrom: [{ secretRef: { name: 'login' } }],
        },
        { name: 'side', image: 'nginx' },
      ],
      volumes: [{ name: 'token', emptyDir: {} }],
    },
  },
  {
    metadata: { name: 'mirror', namespace, annotations: { 'kubernetes.io/config.mirror': 'x' } },
    spec: { containers: [{ name: 'web', image: 'nginx' }], nodeName: 'node-0' },
  },
  {
    metadata: { generateName: 'web-', namespace },
    spec: {
      containers: [{ name: 'web', image: 'nginx' }],
      volumes: [{ name: 'kube-api-access-12345', emptyDir: {} }],
      tolerations: [{ operator: 'Exists' }],
    },
  },
]

const claims = [
  {
    metadata,
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Bound' },
  },
  {
    metadata,
    spec: { storageClassName: 'fast', resources: { requests: { storage: '5Gi' } } },
    status: { phase: 'Bound' },
  },
  {
    metadata,
    spec: { storageClassName: 'fast', resources: { requests: { storage: '2Gi' } } },
    status: { phase: 'Pending' },
  },
  {
    metadata: { ...metadata, annotations: { 'volume.beta.kubernetes.io/storage-class': 'slow' } },
    spec: { storageClassName: '', resources: { requests: { storage: '3Gi' } } },
    status: { phase: 'Bound' },
  },
]

interface AdmittedKind {
  readonly resource: string
  readonly objects: readonly JsonObject[]
}

function kind(resource: string, apiVersion: string, kind: string, objects: readonly JsonObject[]): AdmittedKind {
  return { resource, objects: objects.map((object) => ({ apiVersion, kind, ...object })) }
}

const podKind = kind('pods', 'v1', 'Pod', pods)
const claimKind = kind('persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', claims)

/** Admission concerns mainly pods and claims. */
export const admittedBases: readonly AdmittedKind[] = [
  podKind,
  podKind,
  podKind,
  claimKind,
  claimKind,
  kind('nodes', 'v1', 'Node', [
    { metadata: { name: 'node-0' } },
    { metadata: { name: 'node-1' }, spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } },
  ]),
  kind('persistentvolumes', 'v1', 'PersistentVolume', [
    { metadata: { name: 'disk', finalizers: ['kubernetes.io/pv-protection'] }, spec: { capacity: { storage: '1Gi' } } },
    { metadata: { name: 'disk' }, spec: { storageClassName: 'fast', capacity: { storage: '1Gi' } } },
  ]),
  kind('priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass', [
    priorityClass('high', 1, { globalDefault: true }),
    priorityClass('low', 10, { globalDefault: true }),
    priorityClass('mean', 100),
  ]),
  kind('configmaps', 'v1', 'ConfigMap', [{ metadata, data: { a: 'b' } }]),
]

export const admissionWords: readonly string[] = [
  ...podWords,
  'default',
  'store',
  'high',
  'low',
  'fast',
  'slow',
  'login',
  'registry',
  'Never',
  'PreemptLowerPriority',
  'NoExecute',
  'node.kubernetes.io/unreachable',
  '1Gi',
  '10Gi',
]
