// Workloads that the server stores in another form: pod templates with empty values, quantities, references, ports and
// claims in unusual spellings.
import type { Json, JsonObject } from '../../src/base/json.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { image, namespace, type OddObject, object, selector } from './odd-object.ts'

const apps = `/apis/apps/v1/namespaces/${namespace}`

function podTemplate(spec: JsonObject): JsonObject {
  return { metadata: { creationTimestamp: null, labels: { app: 'odd' } }, spec }
}

function deployment(name: string, podSpec: JsonObject, spec: JsonObject = {}): KubeObject {
  return object('apps/v1', 'Deployment', name, { spec: { selector, template: podTemplate(podSpec), ...spec } })
}

/** A Deployment of one container. */
function container(name: string, fields: JsonObject): KubeObject {
  return deployment(name, { containers: [{ name: 'odd', image, ...fields }] })
}

function statefulSet(storage: string, claim: JsonObject = {}): KubeObject {
  const template = {
    metadata: { name: 'data', labels: {} },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...claim },
  }
  const spec = {
    serviceName: 'odd',
    minReadySeconds: 0,
    updateStrategy: {},
    selector,
    template: podTemplate({ containers: [{ name: 'odd', image }] }),
    volumeClaimTemplates: [template],
  }
  return object('apps/v1', 'StatefulSet', 'claims', { spec })
}

const containerPath = 'spec.template.spec.containers[name="odd"]'

const emptyPodFields = {
  hostNetwork: false,
  hostPID: false,
  nodeSelector: {},
  tolerations: [],
  imagePullSecrets: [],
  initContainers: [],
  serviceAccountName: '',
  restartPolicy: '',
  securityContext: {},
  affinity: {},
  priorityClassName: null,
}

/** Returns a pod spec with each held empty value: empty, or filled. */
function holdingPod(kind: 'empty' | 'filled'): JsonObject {
  const list = (...items: readonly Json[]): Json => (kind === 'empty' ? [] : items)
  const isOn = kind === 'filled'
  const labels = { matchLabels: { app: 'odd' } }
  const term = { topologyKey: 'zone', labelSelector: labels }
  const weighted = { weight: 1, podAffinityTerm: term }
  const preference = { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }
  const podTerms = {
    requiredDuringSchedulingIgnoredDuringExecution: list(term),
    preferredDuringSchedulingIgnoredDuringExecution: list(weighted),
  }
  const spread = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: labels }
  return {
    tolerations: list({ operator: 'Exists' }),
    nodeSelector: isOn ? { disk: 'ssd' } : {},
    readinessGates: list({ conditionType: 'example.com/ready' }),
    // Sysctls of the network are rejected beside hostNetwork.
    ...{ hostNetwork: false, hostPID: isOn, hostIPC: isOn },
    securityContext: {
      supplementalGroups: list(1),
      sysctls: list({ name: 'net.ipv4.tcp_syncookies', value: '1' }),
    },
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: list({ weight: 1, preference }) },
      ...{ podAffinity: podTerms, podAntiAffinity: podTerms },
    },
    dnsConfig: { nameservers: list('192.0.2.1'), searches: list('example.com'), options: list({ name: 'ndots' }) },
    hostAliases: [{ ip: '192.0.2.1', hostnames: list('example.com') }],
    topologySpreadConstraints: [{ ...spread, matchLabelKeys: list('tier') }],
    volumes: [
      { name: 'config', configMap: { name: 'odd', items: list({ key: 'k', path: 'k' }) } },
      { name: 'secret', secret: { secretName: 'odd', items: list({ key: 'k', path: 'k' }) } },
      {
        name: 'own',
        downwardAPI: { items: list({ path: 'name', fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } }) },
      },
      { name: 'nfs', nfs: { server: 'example.com', path: '/', readOnly: isOn } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'odd', readOnly: isOn } },
    ],
    containers: [
      {
        ...{ name: 'odd', image, restartPolicy: 'Always' },
        ...{ command: list('sh'), args: list('-c'), envFrom: list({ secretRef: { name: 'odd' } }) },
        restartPolicyRules: list({ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }),
        ...{ stdin: isOn, stdinOnce: isOn, tty: isOn },
        securityContext: { capabilities: { add: list('NET_ADMIN'), drop: list('ALL') } },
        readinessProbe: { httpGet: { port: 80, httpHeaders: list({ name: 'a', value: 'b' }) } },
        volumeMounts: [{ name: 'config', mountPath: '/config', readOnly: isOn }],
      },
    ],
  }
}

const probe = { httpGet: { port: 'http', path: '', scheme: '' }, initialDelaySeconds: 0, timeoutSeconds: 0 }

/** Paths at which `holdingPod` differs. */
const filledPaths = [
  ...['tolerations', 'nodeSelector', 'readinessGates', 'hostPID', 'hostIPC'],
  ...['securityContext.supplementalGroups', 'securityContext.sysctls'],
  ...['node', 'pod', 'podAnti'].map((of) => `affinity.${of}Affinity.preferredDuringSchedulingIgnoredDuringExecution`),
  ...['pod', 'podAnti'].map((of) => `affinity.${of}Affinity.requiredDuringSchedulingIgnoredDuringExecution`),
  ...['dnsConfig.nameservers', 'dnsConfig.searches', 'dnsConfig.options', 'hostAliases[ip="192.0.2.1"].hostnames'],
  'topologySpreadConstraints[topologyKey="zone",whenUnsatisfiable="ScheduleAnyway"].matchLabelKeys',
  ...['config"].configMap.items', 'secret"].secret.items', 'own"].downwardAPI.items'].map(
    (path) => `volumes[name="${path}`,
  ),
  ...['nfs"].nfs.readOnly', 'claim"].persistentVolumeClaim.readOnly'].map((path) => `volumes[name="${path}`),
  ...['command', 'args', 'envFrom', 'restartPolicyRules', 'stdin', 'stdinOnce', 'tty'].map(
    (name) => `containers[name="odd"].${name}`,
  ),
  ...['add', 'drop'].map((name) => `containers[name="odd"].securityContext.capabilities.${name}`),
  'containers[name="odd"].readinessProbe.httpGet.httpHeaders',
  'containers[name="odd"].volumeMounts[mountPath="/config"].readOnly',
]

export const oddWorkloads: readonly OddObject[] = [
  {
    name: 'empty values of optional fields',
    collection: `${apps}/deployments`,
    desired: object(
      'apps/v1',
      'Deployment',
      'empties',
      {
        spec: {
          minReadySeconds: 0,
          paused: false,
          strategy: { type: '', rollingUpdate: {} },
          selector: { ...selector, matchExpressions: [] },
          template: podTemplate({
            ...emptyPodFields,
            containers: [
              {
                name: 'odd',
                image,
                command: [],
                args: [],
                env: [{ name: 'EMPTY', value: '' }],
                envFrom: [],
                resources: { limits: {}, requests: {} },
                livenessProbe: probe,
                stdin: false,
                terminationMessagePath: '',
                volumeMounts: [],
              },
            ],
          }),
        },
        status: { replicas: 3 },
      },
      { annotations: {}, labels: { empty: '' }, finalizers: [], ownerReferences: [], creationTimestamp: null },
    ),
    edited: object(
      'apps/v1',
      'Deployment',
      'empties',
      {
        spec: {
          minReadySeconds: 5,
          paused: true,
          strategy: {},
          selector,
          template: podTemplate({
            containers: [
              {
                name: 'odd',
                image,
                env: [{ name: 'EMPTY', value: 'x' }],
                livenessProbe: probe,
                securityContext: { allowPrivilegeEscalation: false },
              },
            ],
          }),
        },
      },
      { labels: {} },
    ),
    paths: [
      'spec.minReadySeconds',
      'spec.paused',
      'spec.strategy.rollingUpdate',
      `${containerPath}.env[name="EMPTY"].value`,
      `${containerPath}.resources`,
      `${containerPath}.securityContext`,
      'spec.template.spec.affinity',
      'spec.template.spec.securityContext',
      'metadata.labels.empty',
    ],
  },
  {
    name: 'held empty values',
    collection: `${apps}/deployments`,
    desired: deployment('held', holdingPod('empty'), { paused: false }),
    edited: deployment('held', holdingPod('filled'), { paused: true }),
    paths: ['spec.paused', ...filledPaths.map((path) => `spec.template.spec.${path}`)],
  },
  {
    name: 'kept empty values',
    collection: `${apps}/deployments`,
    desired: deployment(
      'kept',
      {
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'odd',
            image,
            securityContext: {},
            volumeMounts: [{ name: 'scratch', mountPath: '/scratch', readOnly: false }],
          },
        ],
        volumes: [{ name: 'scratch', emptyDir: {} }],
      },
      { replicas: 0 },
    ),
    edited: deployment(
      'kept',
      {
        automountServiceAccountToken: true,
        containers: [
          {
            name: 'odd',
            image,
            securityContext: {},
            volumeMounts: [{ name: 'scratch', mountPath: '/scratch', readOnly: true }],
          },
        ],
        volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1024Mi' } }],
      },
      { replicas: 0 },
    ),
    paths: [
      'spec.template.spec.automountServiceAccountToken',
      `${containerPath}.volumeMounts[mountPath="/scratch"].readOnly`,
      'spec.template.spec.volumes[name="scratch"].emptyDir.sizeLimit',
    ],
  },
  {
    name: 'quantities in other spellings',
    collection: `${apps}/deployments`,
    desired: container('quantities', {
      resources: {
        requests: { cpu: '0.5', memory: '1024Mi' },
        limits: { cpu: 2, memory: '1.5Gi', 'ephemeral-storage': '1e3' },
      },
    }),
    edited: container('quantities', {
      resources: {
        requests: { cpu: '500m', memory: '1025Mi' },
        limits: { cpu: '2000m', memory: '1536Mi', 'ephemeral-storage': '1e3' },
      },
    }),
    paths: [`${containerPath}.resources.requests.memory`],
  },
  {
    name: 'ports without a protocol',
    collection: `${apps}/deployments`,
    desired: container('ports', {
      ports: [
        { name: 'dns', containerPort: 53 },
        { name: 'dns-udp', containerPort: 53, protocol: 'UDP' },
      ],
    }),
    edited: container('ports', {
      ports: [
        { name: 'dns', containerPort: 53, hostPort: 0 },
        { name: 'udp', containerPort: 53, protocol: 'UDP' },
      ],
    }),
    paths: [`${containerPath}.ports[containerPort=53,protocol="UDP"].name`],
  },
  {
    name: 'references that gain defaults',
    collection: `${apps}/deployments`,
    desired: container('references', {
      env: [
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'odd', key: 'password', optional: true } } },
      ],
    }),
    edited: container('references', {
      env: [
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0.001' } } },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'odd', key: 'password' } } },
      ],
    }),
    paths: [
      `${containerPath}.env[name="POD"].valueFrom.fieldRef.fieldPath`,
      `${containerPath}.env[name="CPU"].valueFrom.resourceFieldRef.divisor`,
      `${containerPath}.env[name="PASSWORD"].valueFrom.secretKeyRef.optional`,
    ],
  },
  {
    name: 'items in an order that counts',
    collection: `${apps}/deployments`,
    desired: deployment('order', {
      initContainers: [
        { name: 'b', image },
        { name: 'a', image },
      ],
      containers: [{ name: 'odd', image }],
    }),
    edited: deployment('order', {
      initContainers: [
        { name: 'a', image },
        { name: 'b', image },
      ],
      containers: [{ name: 'odd', image }],
    }),
    paths: ['spec.template.spec.initContainers'],
  },
  {
    name: 'projected volumes and affinity',
    collection: `${apps}/deployments`,
    desired: deployment('projected', {
      containers: [{ name: 'odd', image }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: selector, namespaces: [] } },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
      ],
      volumes: [
        {
          name: 'all',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'token' } },
              { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
              { configMap: { name: 'odd', items: [] } },
            ],
          },
        },
      ],
    }),
    edited: deployment('projected', {
      containers: [{ name: 'odd', image }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 2, podAffinityTerm: { topologyKey: 'zone', labelSelector: selector } },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'odd', tier: 'x' } },
        },
      ],
      volumes: [
        {
          name: 'all',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'token' } },
              { downwardAPI: { items: [{ path: 'uid', fieldRef: { fieldPath: 'metadata.name' } }] } },
              { configMap: { name: 'odd' } },
            ],
          },
        },
      ],
    }),
    paths: [
      'spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
      'spec.template.spec.topologySpreadConstraints[topologyKey="zone",whenUnsatisfiable="DoNotSchedule"].labelSelector.matchLabels.tier',
      'spec.template.spec.volumes[name="all"].projected.sources[1].downwardAPI.items[0].path',
    ],
  },
  {
    name: 'claim templates that gain defaults',
    collection: `${apps}/statefulsets`,
    desired: statefulSet('1024Mi'),
    edited: { ...statefulSet('1Gi'), metadata: { name: 'claims', namespace, labels: { new: 'label' } } },
    paths: ['metadata.labels'],
  },
]
