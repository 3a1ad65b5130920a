// Test objects of the kinds of the other groups: realistic ones of each, values for their texts, and mutable paths.
import type { JsonObject } from '../../../src/base/json.ts'
import type { Path } from './object-mutations.ts'

export interface GroupKindCase {
  readonly apiVersion: string
  readonly kind: string
  /** Accepted on creation; `apiVersion` and `kind` are added. */
  readonly bases: readonly JsonObject[]
  /** Values for texts. */
  readonly words: readonly string[]
  readonly isOpen: (path: Path) => boolean
  /** Statuses that may follow each other, for kinds with a status endpoint. */
  readonly statuses: readonly JsonObject[]
}

const metadata = {
  name: 'web',
  namespace: 'shop',
  uid: 'f0000000-0000-4000-8000-000000000001',
  labels: { app: 'web' },
  annotations: { note: 'x' },
}
const labels = { app: 'web', tier: 'back' }
/** With all defaults, which other tests cover. */
const container = {
  name: 'main',
  image: 'nginx:1',
  ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
}
const pod = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  securityContext: {},
  containers: [container],
}
const template = { metadata: { labels }, spec: pod }
const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [
    { key: 'tier', operator: 'In', values: ['back', 'front'] },
    { key: 'old', operator: 'DoesNotExist' },
  ],
}
const selectorWords = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'app', 'web', 'tier', 'back']

/** Returns whether a path is outside pod templates, which other tests cover. */
function isOutsidePods(path: Path): boolean {
  const at = path.indexOf('template')
  return at < 0 && path.length > 1
}

const workloads: readonly GroupKindCase[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    bases: [
      { metadata, spec: { serviceName: 'web', selector, template } },
      {
        metadata,
        spec: {
          serviceName: 'web',
          selector: { matchLabels: { app: 'web' } },
          replicas: 3,
          minReadySeconds: 5,
          podManagementPolicy: 'Parallel',
          ordinals: { start: 2 },
          revisionHistoryLimit: 4,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
          template,
        },
      },
      { metadata, spec: { selector, updateStrategy: { type: 'OnDelete' }, template } },
    ],
    words: [...selectorWords, 'OrderedReady', 'Parallel', 'OnDelete', 'RollingUpdate', 'Retain', 'Delete'],
    isOpen: isOutsidePods,
    statuses: [
      {
        replicas: 3,
        readyReplicas: 2,
        currentReplicas: 1,
        updatedReplicas: 2,
        availableReplicas: 2,
        collisionCount: 1,
      },
      { replicas: 0, availableReplicas: 0 },
      { replicas: 3, readyReplicas: 3, availableReplicas: 3, collisionCount: 2, observedGeneration: 1 },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    bases: [
      { metadata, spec: { selector, template } },
      {
        metadata,
        spec: {
          selector: { matchLabels: labels },
          template,
          replicas: 2,
          minReadySeconds: 3,
          progressDeadlineSeconds: 60,
          revisionHistoryLimit: 1,
          paused: true,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 1 } },
        },
      },
      { metadata: { ...metadata, name: 'a.b' }, spec: { selector, template, strategy: { type: 'Recreate' } } },
    ],
    words: [...selectorWords, 'Recreate', 'RollingUpdate'],
    isOpen: isOutsidePods,
    statuses: [
      { replicas: 3, readyReplicas: 2, updatedReplicas: 2, availableReplicas: 2, collisionCount: 1 },
      { replicas: 3, readyReplicas: 3, updatedReplicas: 1, terminatingReplicas: 1, unavailableReplicas: 1 },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    bases: [
      { metadata, spec: { selector, template } },
      { metadata, spec: { selector: { matchLabels: labels }, template, replicas: 2, minReadySeconds: 3 } },
    ],
    words: selectorWords,
    isOpen: isOutsidePods,
    statuses: [
      { replicas: 3, readyReplicas: 2, fullyLabeledReplicas: 3, availableReplicas: 2, observedGeneration: 1 },
      { replicas: 1, readyReplicas: 1, terminatingReplicas: 1 },
    ],
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    bases: [
      { metadata, spec: { selector, minAvailable: 1 } },
      { metadata, spec: { selector, maxUnavailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      { metadata, spec: { selector: {} } },
    ],
    words: [...selectorWords, 'AlwaysAllow', 'IfHealthyBudget'],
    isOpen: (path) => path[0] !== 'metadata' && path.length > 0,
    statuses: [
      {
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'True',
            reason: 'SufficientPods',
            message: 'x',
            observedGeneration: 1,
            lastTransitionTime: '2024-01-01T00:00:00Z',
          },
        ],
      },
    ],
  },
]

const jobTemplate = { metadata: { labels: { a: 'b' } }, spec: { ...pod, restartPolicy: 'Never' } }
/** All parts of a pod that error messages print in a special form. */
const richTemplate = {
  metadata: { labels: { b: '1', a: '2' }, annotations: { x: 'y' } },
  spec: {
    ...pod,
    restartPolicy: 'OnFailure',
    hostNetwork: true,
    shareProcessNamespace: true,
    serviceAccountName: 'web',
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 5, podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: 'zone' } },
        ],
      },
    },
    securityContext: { runAsUser: 5, fsGroup: 7, seccompProfile: { type: 'RuntimeDefault' } },
    volumes: [
      { name: 'config', configMap: { name: 'web', defaultMode: 420, items: [{ key: 'a', path: 'b' }] } },
      { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    ],
    initContainers: [{ ...container, name: 'first', ports: [], command: ['sh', '-c', 'x<y'] }],
    containers: [
      {
        ...container,
        ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
        resources: { requests: { memory: '1Gi', cpu: '500m' }, limits: { cpu: '1' } },
        env: [
          { name: 'A', value: 'b' },
          { name: 'C', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
        volumeMounts: [{ name: 'config', mountPath: '/etc/web', readOnly: true }],
        livenessProbe: {
          httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        securityContext: { capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
      },
    ],
  },
}
const condition = (type: string, status = 'True'): JsonObject => ({
  type,
  status,
  lastTransitionTime: '2024-01-01T00:00:00Z',
})
const started = '2024-01-01T00:00:00Z'
const completed = '2024-01-01T00:01:00Z'

function isAnywhereBelow(path: Path): boolean {
  return path.length > 1
}

const jobs: readonly GroupKindCase[] = [
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    bases: [
      { metadata, spec: { template: richTemplate, suspend: true } },
      { metadata, spec: { template: richTemplate } },
      { metadata, spec: { template: jobTemplate } },
      {
        metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
        spec: { template: jobTemplate, completions: 4, parallelism: 2, backoffLimit: 3, suspend: true },
      },
      {
        metadata: { ...metadata, name: 'a.b' },
        spec: {
          manualSelector: true,
          selector: { matchLabels: { a: 'b' } },
          template: jobTemplate,
          parallelism: 2,
          activeDeadlineSeconds: 5,
          ttlSecondsAfterFinished: 9,
          podReplacementPolicy: 'Failed',
          managedBy: 'acme.io/jobs',
        },
      },
      {
        metadata,
        spec: {
          template: jobTemplate,
          completionMode: 'Indexed',
          completions: 100_001,
          parallelism: 5,
          backoffLimitPerIndex: 1,
          maxFailedIndexes: 3,
          successPolicy: { rules: [{ succeededIndexes: '1,3-5,7', succeededCount: 2 }, { succeededCount: 1 }] },
          podFailurePolicy: {
            rules: [
              { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [1, 3] } },
              { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
            ],
          },
        },
      },
      { metadata, spec: { template: jobTemplate, completionMode: 'Indexed', completions: 10, parallelism: 10 } },
    ],
    words: [
      ...selectorWords,
      'Indexed',
      'NonIndexed',
      'Failed',
      'TerminatingOrFailed',
      'FailJob',
      'Count',
      'FailIndex',
      'Ignore',
      '1-3,2',
      '1-2-3',
      '5-1',
      '+2',
      '0-9',
      'acme.io/x',
      'acme.io/',
      'True',
    ],
    isOpen: isAnywhereBelow,
    statuses: [
      {},
      { active: 2, ready: 1, startTime: started, failed: 1 },
      {
        startTime: started,
        completionTime: completed,
        succeeded: 4,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      },
      { startTime: started, failed: 2, conditions: [condition('FailureTarget'), condition('Failed')] },
      {
        startTime: started,
        active: 1,
        succeeded: 3,
        completedIndexes: '1-3',
        failedIndexes: '3,5',
        uncountedTerminatedPods: { succeeded: ['a', 'b'], failed: ['c', 'a'] },
        terminating: 1,
      },
      { startTime: started, conditions: [condition('Suspended')] },
      { startTime: completed, conditions: [condition('Suspended', 'False')] },
    ],
  },
]

const isAnywhere = (): boolean => true
const cluster = { name: 'web', uid: 'f0000000-0000-4000-8000-000000000001' }
const rules = [
  { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods'], resourceNames: ['web'] },
  { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] },
]
const subjects = [
  { kind: 'ServiceAccount', name: 'web', namespace: 'shop' },
  { kind: 'User', name: 'ann' },
  { kind: 'Group', name: 'team', apiGroup: 'rbac.authorization.k8s.io' },
]
const subjectWords = [
  'ServiceAccount',
  'User',
  'Group',
  'Role',
  'ClusterRole',
  'rbac.authorization.k8s.io',
  'a/b',
  '..',
]

const access: readonly GroupKindCase[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    bases: [{ metadata, rules }, { metadata: { ...metadata, name: 'system:web' } }],
    words: ['*', 'get'],
    isOpen: isAnywhere,
    statuses: [],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    bases: [
      { metadata: cluster, rules: [...rules, { verbs: ['get'], nonResourceURLs: ['/healthz'] }] },
      { metadata: cluster, rules: [], aggregationRule: { clusterRoleSelectors: [selector, { matchLabels: labels }] } },
    ],
    words: selectorWords,
    isOpen: isAnywhere,
    statuses: [],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    bases: [
      { metadata, subjects, roleRef: { kind: 'Role', name: 'web' } },
      { metadata, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a:b' } },
    ],
    words: subjectWords,
    isOpen: isAnywhere,
    statuses: [],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    bases: [{ metadata: cluster, subjects, roleRef: { kind: 'ClusterRole', name: 'web' } }],
    words: subjectWords,
    isOpen: isAnywhere,
    statuses: [],
  },
]

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }
const scaled = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }

const others: readonly GroupKindCase[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    bases: [
      { metadata, spec: { selector, template } },
      {
        metadata: { ...metadata, annotations: { 'deprecated.daemonset.template.generation': '4' } },
        spec: {
          selector: { matchLabels: labels },
          template,
          minReadySeconds: 3,
          revisionHistoryLimit: 1,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '10%' } },
        },
      },
      { metadata, spec: { selector, template, updateStrategy: { type: 'OnDelete' } } },
    ],
    words: [...selectorWords, 'OnDelete', 'RollingUpdate', '-3', '7'],
    isOpen: isOutsidePods,
    statuses: [
      {
        currentNumberScheduled: 1,
        numberMisscheduled: 2,
        desiredNumberScheduled: 3,
        numberReady: 1,
        collisionCount: 1,
      },
      { numberAvailable: 1, numberUnavailable: 1, updatedNumberScheduled: 1, observedGeneration: 3 },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    bases: [{ metadata, revision: 3, data: { spec: { a: [1, 'x', null] } } }],
    words: [],
    isOpen: isAnywhere,
    statuses: [],
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    bases: [
      { metadata, spec: { schedule: '*/5 1-4 * jan,feb 0', jobTemplate: { spec: { template: jobTemplate } } } },
      {
        metadata,
        spec: {
          schedule: '@every 1h30m',
          timeZone: 'Europe/Berlin',
          concurrencyPolicy: 'Forbid',
          startingDeadlineSeconds: 5,
          suspend: true,
          successfulJobsHistoryLimit: 0,
          failedJobsHistoryLimit: 2,
          jobTemplate: {
            metadata: { labels },
            spec: {
              template: jobTemplate,
              completionMode: 'Indexed',
              completions: 3,
              parallelism: 2,
              backoffLimit: 2,
              podFailurePolicy: {
                rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: '' }] }],
              },
            },
          },
        },
      },
    ],
    words: [
      'Allow',
      'Replace',
      'America/New_York',
      'Mars/Base',
      'utc',
      'Local',
      '@daily',
      '@nope',
      '@every 1',
      '@every -1.5h',
      '@every 3x',
      '* * * *',
      '60 * * * *',
      '0-70/5 * * * *',
      '*/0 * * * *',
      '5-1 * * * *',
      '1-2-3 * * * *',
      '1/2/3 * * * *',
      '* * 0 * *',
      '* * * * mon-fri',
      '* x * * *',
      '-1 * * * *',
      '*,, * * * *',
      'TZ=UTC * * * * *',
      'CRON_TZ=Mars/Base * * * * *',
      'TZ=UTC',
      '99999999999999999999 * * * *',
    ],
    isOpen: isOutsidePods,
    statuses: [{}, { active: [{ name: 'x' }], lastScheduleTime: '2024-01-01T00:00:00Z' }],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    bases: [
      { metadata: cluster, spec: { controller: 'acme.io/ingress', parameters: { kind: 'P', name: 'p' } } },
      {
        metadata: cluster,
        spec: {
          controller: 'acme.io/ingress',
          parameters: { apiGroup: 'acme.io', kind: 'P', name: 'p', scope: 'Namespace', namespace: 'shop' },
        },
      },
    ],
    words: ['Cluster', 'Namespace', 'acme.io/a b', '/x', 'a/b', 'Acme.io/x'],
    isOpen: isAnywhere,
    statuses: [],
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    bases: [
      { metadata: cluster, value: 1000, description: 'x', globalDefault: true },
      { metadata: { ...cluster, name: 'system-node-critical' }, value: 2_000_001_000, preemptionPolicy: 'Never' },
    ],
    words: ['PreemptLowerPriority', 'system-node-critical', 'system-cluster-critical', 'system-x'],
    isOpen: isAnywhere,
    statuses: [],
  },
  {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    bases: [
      { metadata, spec: { scaleTargetRef: scaled, maxReplicas: 4 } },
      {
        metadata: {
          ...metadata,
          annotations: {
            'autoscaling.alpha.kubernetes.io/metrics':
              '[{"type":"External","external":{"metricName":"queue","targetAverageValue":"30"}}]',
            'autoscaling.alpha.kubernetes.io/behavior':
              '{"ScaleUp":{"StabilizationWindowSeconds":10,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}]}}',
          },
        },
        spec: { scaleTargetRef: scaled, minReplicas: 2, maxReplicas: 9, targetCPUUtilizationPercentage: 50 },
      },
    ],
    words: ['0', '-1', 'a/b/c', 'v1', '{}', '[]', 'ReplicationController'],
    isOpen: isAnywhere,
    statuses: [{ desiredReplicas: 1, currentReplicas: 2, currentCPUUtilizationPercentage: 40 }],
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    bases: [
      { metadata, spec: { scaleTargetRef: scaled, maxReplicas: 4 } },
      {
        metadata,
        spec: {
          scaleTargetRef: scaled,
          minReplicas: 2,
          maxReplicas: 9,
          metrics: [
            cpu,
            { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '1k' } } },
            {
              type: 'Object',
              object: {
                describedObject: { kind: 'Service', name: 'web', apiVersion: 'v1' },
                metric: { name: 'qps', selector: { matchLabels: labels } },
                target: { type: 'Value', value: '10' },
              },
            },
            {
              type: 'External',
              external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '30' } },
            },
            {
              type: 'ContainerResource',
              containerResource: {
                name: 'memory',
                container: 'main',
                target: { type: 'AverageValue', averageValue: '1Gi' },
              },
            },
          ],
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 10,
              tolerance: '0.05',
              policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
            },
            scaleDown: { selectPolicy: 'Disabled' },
          },
        },
      },
    ],
    words: [
      ...['Resource', 'Pods', 'Object', 'External', 'ContainerResource', 'Utilization', 'Value', 'AverageValue'],
      ...['0', '-1', 'Max', 'Min', 'Percent', 'a/b/c', 'v1', 'requests.x/y', 'hugepages-2Mi', 'pods', 'acme.io/gpu'],
      'ReplicationController',
    ],
    isOpen: isAnywhere,
    statuses: [
      { desiredReplicas: 1, currentReplicas: 2, currentMetrics: null },
      { desiredReplicas: 0, currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: {} } }] },
    ],
  },
]

const service = { service: { name: 'web', port: { number: 80 } } }

const networking: readonly GroupKindCase[] = [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    bases: [
      { metadata, spec: { defaultBackend: service } },
      {
        metadata: { ...metadata, annotations: { 'kubernetes.io/ingress.class': 'nginx' } },
        spec: {
          rules: [
            {
              host: '*.a.example',
              http: {
                paths: [
                  { path: '/a', pathType: 'Prefix', backend: service },
                  {
                    pathType: 'ImplementationSpecific',
                    backend: { resource: { apiGroup: 'a.b', kind: 'K', name: 'n' } },
                  },
                  { path: '/', pathType: 'Exact', backend: { service: { name: '1web', port: { name: 'http' } } } },
                ],
              },
            },
            { host: 'b.example' },
          ],
          tls: [{ hosts: ['a.example', '*.b.example'], secretName: 'cert' }],
        },
      },
      { metadata, spec: { ingressClassName: 'nginx', defaultBackend: service } },
    ],
    words: [
      ...['Exact', 'Prefix', 'ImplementationSpecific', '/a//b', '/a/./b', '/a/..', '/a/.', '%2f', '*.x', '*', 'a.*.b'],
      ...['1.2.3.4', 'nginx', 'http', 'a--b', '::1', 'a:b'],
    ],
    isOpen: isAnywhere,
    statuses: [
      {
        loadBalancer: {
          ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.example', ports: [{ port: 1, protocol: 'TCP' }] }],
        },
      },
      { loadBalancer: { ingress: [{ ip: '2001:DB8::1' }, { ip: '010.1.1.1' }] } },
    ],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    bases: [
      { metadata, spec: { podSelector: {} } },
      {
        metadata,
        spec: {
          podSelector: selector,
          policyTypes: ['Ingress', 'Egress'],
          ingress: [
            {
              from: [
                { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.3.0/24'] } },
                { podSelector: {}, namespaceSelector: selector },
              ],
              ports: [{ port: 80, endPort: 90 }, { port: 'http', protocol: 'UDP' }, { protocol: 'SCTP' }],
            },
          ],
          egress: [{ to: [{ ipBlock: { cidr: '2001:db8::/32', except: ['2001:DB8:1::/48'] } }] }],
        },
      },
    ],
    words: [
      ...selectorWords,
      ...['10.0.0.0/8', '10.0.0.1/8', '010.0.0.0/8', '10.0.0.0/16', '::ffff:10.0.0.0/104', '::/0', '1.2.3.4/33'],
      ...['Ingress', 'Egress', 'TCP', '2001:db8::/33', '10.0.0.0/08'],
    ],
    isOpen: isAnywhere,
    statuses: [],
  },
]

export const groupKindCases: readonly GroupKindCase[] = [...workloads, ...jobs, ...access, ...others, ...networking]
