// Test objects of the core kinds: realistic ones of each, and values for their texts.
import type { JsonObject } from '../../../src/base/json.ts'
import { podBases, podWords } from './pod-cases.ts'

export interface CoreKindCase {
  readonly apiVersion: string
  readonly kind: string
  /** Accepted on creation; `apiVersion` and `kind` are added. */
  readonly bases: readonly JsonObject[]
  /** Values for texts. */
  readonly words: readonly string[]
  /** Statuses that may follow each other, for kinds with a status endpoint. */
  readonly statuses: readonly JsonObject[]
  /** Number of questions per operation. */
  readonly runs: number
}

const metadata = {
  name: 'web',
  namespace: 'shop',
  uid: 'f0000000-0000-4000-8000-000000000001',
  labels: { app: 'web' },
  annotations: { note: 'x' },
  finalizers: ['example.com/keep'],
}
const clusterMetadata = { name: 'web', uid: 'f0000000-0000-4000-8000-000000000002', labels: { app: 'web' } }
const text = (plain: string) => Buffer.from(plain).toString('base64')

const serviceBases: readonly JsonObject[] = [
  {
    metadata,
    spec: {
      selector: { app: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http', appProtocol: 'example.com/h2' },
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 5353 },
      ],
      clusterIP: '10.0.0.10',
      clusterIPs: ['10.0.0.10'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      externalIPs: ['203.0.113.7'],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      trafficDistribution: 'PreferSameZone',
    },
  },
  { metadata, spec: { clusterIP: 'None', clusterIPs: ['None'], selector: { app: 'web' }, ports: [{ port: 80 }] } },
  {
    metadata,
    spec: {
      type: 'LoadBalancer',
      ports: [{ port: 80, nodePort: 30_080, targetPort: 8080 }],
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 31_000,
      loadBalancerClass: 'example.com/lb',
      loadBalancerIP: '203.0.113.9',
      loadBalancerSourceRanges: ['10.0.0.0/8', ' 192.168.0.0/16'],
      clusterIP: '10.0.0.11',
      clusterIPs: ['10.0.0.11', 'fd00::11'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    },
  },
  {
    metadata: {
      ...metadata,
      annotations: {
        'service.kubernetes.io/topology-mode': 'Auto',
        'service.kubernetes.io/topology-aware-hints': 'Auto',
      },
    },
    spec: {
      type: 'NodePort',
      ports: [{ port: 80, nodePort: 30_081 }],
      clusterIP: '10.0.0.12',
      clusterIPs: ['10.0.0.12'],
    },
  },
  { metadata, spec: { type: 'ExternalName', externalName: 'db.example.com.' } },
]

const claimBases: readonly JsonObject[] = [
  {
    metadata: { ...metadata, annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  {
    metadata,
    spec: {
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      storageClassName: 'fast',
      volumeMode: 'Block',
      volumeName: 'pv-1',
      volumeAttributesClassName: 'gold',
      selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      resources: { requests: { storage: '1.5Gi' }, limits: { storage: '2Gi' } },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' },
    },
  },
  {
    metadata,
    spec: {
      accessModes: ['ReadWriteOncePod'],
      resources: { requests: { storage: '10M' } },
      dataSourceRef: { apiGroup: 'example.com', kind: 'Populator', name: 'p' },
    },
  },
]

const volumeBases: readonly JsonObject[] = [
  {
    metadata: clusterMetadata,
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      volumeAttributesClassName: 'gold',
      mountOptions: ['noatime'],
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'web' },
      csi: {
        driver: 'disk.example.com',
        volumeHandle: 'vol-1',
        controllerPublishSecretRef: { name: 's', namespace: 'n' },
        nodeExpandSecretRef: { name: 's', namespace: 'n' },
      },
    },
  },
  {
    metadata: { ...clusterMetadata, annotations: { 'volume.beta.kubernetes.io/mount-options': 'x' } },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'], nfs: { server: 'nfs', path: '/x' } },
  },
  {
    metadata: clusterMetadata,
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      local: { path: '/mnt/disk' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] },
                { key: 'beta.kubernetes.io/os', operator: 'Exists' },
              ],
            },
          ],
        },
      },
    },
  },
  {
    metadata: clusterMetadata,
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Recycle',
      hostPath: { path: '/data', type: 'Directory' },
    },
  },
]

const containerStatus = {
  name: 'kv',
  image: 'kv:1',
  imageID: '',
  ready: true,
  restartCount: 1,
  state: { terminated: { exitCode: 1 } },
}

export const coreKindCases: readonly CoreKindCase[] = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    bases: podBases,
    words: podWords,
    statuses: [
      { phase: 'Pending', qosClass: 'Burstable' },
      {
        phase: 'Running',
        qosClass: 'Burstable',
        observedGeneration: 1,
        podIP: '10.0.0.5',
        podIPs: [{ ip: '10.0.0.5' }, { ip: 'fd00::5' }],
        hostIP: '10.1.0.1',
        hostIPs: [{ ip: '10.1.0.1' }],
        nominatedNodeName: 'node-2',
        conditions: [
          { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null, observedGeneration: 1 },
          { type: 'example.com/ready', status: 'True', lastProbeTime: null, lastTransitionTime: null },
        ],
        containerStatuses: [containerStatus],
        initContainerStatuses: [{ ...containerStatus, name: 'init', state: { terminated: { exitCode: 0 } } }],
      },
      {
        phase: 'Running',
        podIP: '10.0.0.5',
        containerStatuses: [{ ...containerStatus, state: { running: {} } }],
        initContainerStatuses: [{ ...containerStatus, name: 'init', state: { running: {} } }],
        conditions: [{ type: 'Ready', status: 'False', lastProbeTime: null, lastTransitionTime: null }],
      },
    ],
    runs: 700,
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    bases: serviceBases,
    words: [
      'None',
      'ClusterIP',
      'NodePort',
      'LoadBalancer',
      'ExternalName',
      'Local',
      'Cluster',
      'ClientIP',
      'PreferClose',
      'PreferSameNode',
      'SingleStack',
      'PreferDualStack',
      'IPv4',
      'IPv6',
      'UDP',
      'SCTP',
      '10.0.0.10',
      '10.0.0.11',
      'fd00::11',
      'FD00::0011',
      '10.0.0.010',
      '::ffff:10.0.0.1',
      '127.0.0.1',
      '169.254.1.1',
      '10.0.0.1/8',
      'http',
    ],
    statuses: [
      { loadBalancer: {} },
      { loadBalancer: { ingress: [{ ip: '203.0.113.9', ipMode: 'VIP' }, { hostname: 'lb.example.com' }] } },
      { loadBalancer: { ingress: [{ ip: '203.0.113.010' }] } },
    ],
    runs: 700,
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    bases: [
      { metadata, data: { level: 'debug', 'a.b': 'x' }, binaryData: { blob: text('blob') } },
      { metadata, data: { level: 'debug' }, immutable: true },
      { metadata },
    ],
    words: ['debug', text('x'), 'level'],
    statuses: [],
    runs: 200,
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    bases: [
      { metadata, data: { password: text('x'), level: text('y') }, stringData: { level: 'plain' } },
      { metadata, type: 'kubernetes.io/basic-auth', data: { username: text('x') }, immutable: true },
      { metadata, type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': text('{"auths":{}}') } },
      { metadata, type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '{}' } },
      { metadata, type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': text('k') } },
      { metadata, type: 'kubernetes.io/tls', data: { 'tls.crt': text('x'), 'tls.key': text('y') } },
      {
        metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': 'web' } },
        type: 'kubernetes.io/service-account-token',
      },
    ],
    words: ['Opaque', 'kubernetes.io/tls', text('[]'), text('{"a":'), text('nope'), '[1]', 'true'],
    statuses: [],
    runs: 300,
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    bases: claimBases,
    words: [
      'ReadWriteMany',
      'ReadWriteOncePod',
      'ReadWriteOnce',
      'fast',
      'slow',
      'Filesystem',
      'Block',
      '2Gi',
      '512Mi',
      '0',
      '-1Gi',
      '1.0000001',
      'PersistentVolumeClaim',
      'VolumeSnapshot',
      'snapshot.storage.k8s.io',
      'other',
      'NodeResizePending',
      'Bound',
    ],
    statuses: [
      { phase: 'Pending' },
      { phase: 'Bound', capacity: { storage: '1Gi' }, currentVolumeAttributesClassName: 'gold' },
      {
        phase: 'Bound',
        capacity: { storage: '1Gi' },
        allocatedResources: { storage: '2Gi' },
        allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
      },
    ],
    runs: 500,
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    bases: volumeBases,
    words: ['Retain', 'Recycle', 'Delete', 'ReadWriteOncePod', '/', '/..', 'Block', 'In', 'Exists', '0', '-1', '2Gi'],
    statuses: [
      { phase: 'Pending' },
      { phase: 'Bound', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' },
      { phase: 'Bound' },
      { phase: 'Released', lastPhaseTransitionTime: '2026-01-01T00:00:00Z', message: 'x' },
    ],
    runs: 400,
  },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    bases: [
      { metadata: clusterMetadata },
      { metadata: { name: 'other' }, spec: { finalizers: ['example.com/keep', 'kubernetes'] } },
    ],
    words: ['kubernetes', 'orphan', 'Active', 'Terminating', 'example.com/other'],
    statuses: [{ phase: 'Active' }, { phase: 'Terminating' }],
    runs: 200,
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    bases: [
      {
        metadata: { ...metadata, annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: [{ name: 'a', namespace: 'b' }],
        imagePullSecrets: [{ name: 'registry' }],
        automountServiceAccountToken: false,
      },
      { metadata },
    ],
    words: [],
    statuses: [],
    runs: 200,
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    bases: [
      {
        metadata: clusterMetadata,
        spec: {
          podCIDR: '10.1.0.0/24',
          podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'],
          providerID: 'kind://node-1',
          taints: [
            { key: 'dedicated', value: 'kv', effect: 'NoSchedule' },
            { key: 'dedicated', effect: 'NoExecute' },
          ],
        },
        status: {
          capacity: { cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '2' },
          addresses: [
            { type: 'InternalIP', address: '10.0.0.1' },
            { type: 'Hostname', address: 'node-1' },
          ],
          declaredFeatures: ['A', 'B/c'],
          nodeInfo: {
            machineID: '',
            systemUUID: '',
            bootID: '',
            kernelVersion: '',
            osImage: '',
            containerRuntimeVersion: '',
            kubeletVersion: '',
            kubeProxyVersion: '',
            operatingSystem: '',
            architecture: '',
            swap: { capacity: 5 },
          },
        },
      },
      { metadata: clusterMetadata, spec: { unschedulable: true, podCIDR: '10.2.0.0/24' } },
    ],
    words: [
      '10.1.0.0/24',
      '10.1.0.1/24',
      'fd00:1::/64',
      'FD00:1::/64',
      'dedicated',
      'NoExecute',
      '0.5',
      '-1',
      'A',
      'C',
    ],
    statuses: [
      {},
      { capacity: { cpu: '4' }, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
      { capacity: { cpu: '4' }, allocatable: { cpu: '3500m' }, declaredFeatures: ['A'] },
    ],
    runs: 400,
  },
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    bases: [
      {
        metadata,
        subsets: [
          {
            addresses: [{ ip: '10.0.0.5', hostname: 'web-0', nodeName: 'node-1' }],
            notReadyAddresses: [{ ip: 'fd00::5' }],
            ports: [
              { name: 'http', port: 80 },
              { name: 'dns', port: 53, protocol: 'UDP', appProtocol: 'a/b' },
            ],
          },
        ],
      },
      {
        metadata: { ...metadata, labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
        subsets: [{ addresses: [{ ip: '10.0.0.5' }] }],
      },
    ],
    words: ['127.0.0.1', '0.0.0.0', '::', 'fe80::1', '224.0.0.5', '10.0.0.05', 'FD00::5', 'http', 'SCTP'],
    statuses: [],
    runs: 300,
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    bases: [
      {
        metadata,
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 80, protocol: 'TCP', appProtocol: 'a/b' }, { port: 81 }],
        endpoints: [
          {
            addresses: ['10.0.0.5', '10.0.0.6'],
            conditions: { ready: true },
            hostname: 'web-0',
            nodeName: 'node-1',
            zone: 'a',
            hints: { forZones: [{ name: 'a' }], forNodes: [{ name: 'node-1' }] },
            targetRef: { kind: 'Pod', name: 'web-0', namespace: 'shop' },
            deprecatedTopology: { a: 'b' },
          },
        ],
      },
      { metadata, addressType: 'IPv6', endpoints: [{ addresses: ['fd00::5'] }], ports: [] },
      { metadata, addressType: 'FQDN', endpoints: [{ addresses: ['db.example.com.'] }] },
    ],
    words: ['IPv4', 'IPv6', 'FQDN', '10.0.0.5', 'fd00::5', 'FD00::5', '127.0.0.1', 'example', 'UDP', 'http'],
    statuses: [],
    runs: 400,
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    bases: [
      {
        metadata,
        involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-0' },
        reason: 'Started',
        message: 'x',
        type: 'Normal',
        count: 2,
        source: { component: 'kubelet', host: 'node-1' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
      },
      {
        metadata,
        involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-0' },
        reason: 'Started',
        action: 'Start',
        reportingComponent: 'example.com/operator',
        reportingInstance: 'operator-1',
        eventTime: '2026-01-01T00:00:00.000001Z',
        type: 'Normal',
        series: { count: 3, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
      },
    ],
    words: ['default', 'shop', 'kube-system', 'Warning', 'x'.repeat(130)],
    statuses: [],
    runs: 300,
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    bases: [
      {
        metadata,
        regarding: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u', apiVersion: 'v1' },
        related: { kind: 'Node', name: 'node-1' },
        reason: 'Started',
        action: 'Start',
        note: 'x',
        reportingController: 'example.com/operator',
        reportingInstance: 'operator-1',
        eventTime: '2026-01-01T00:00:00.000001Z',
        type: 'Normal',
        series: { count: 3, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
      },
    ],
    words: ['default', 'shop', 'kube-system', 'Warning', 'x'.repeat(130)],
    statuses: [],
    runs: 300,
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    bases: [
      {
        metadata,
        spec: {
          holderIdentity: 'a',
          leaseDurationSeconds: 15,
          acquireTime: '2026-01-01T00:00:00.000000Z',
          renewTime: '2026-01-01T00:00:00.000000Z',
          leaseTransitions: 1,
          strategy: 'OldestEmulationVersion',
          preferredHolder: 'b',
        },
      },
      { metadata },
    ],
    words: [],
    statuses: [],
    runs: 200,
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    bases: [
      {
        metadata: clusterMetadata,
        provisioner: 'disk.example.com/Fast',
        parameters: { type: 'ssd' },
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
        mountOptions: ['noatime'],
        allowedTopologies: [
          { matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] },
          { matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] }] },
        ],
      },
      { metadata: clusterMetadata, provisioner: 'x' },
    ],
    words: ['Delete', 'Recycle', 'Immediate', 'zone', 'a'],
    statuses: [],
    runs: 300,
  },
]
