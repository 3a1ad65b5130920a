// Objects of the other built-in kinds that the server stores in another form.
import type { Json, JsonObject } from '../../src/base/json.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { image, namespace, type OddObject, object, selector } from './odd-object.ts'

const core = `/api/v1/namespaces/${namespace}`

function networkPolicy(from: Json, podSelector: JsonObject = {}): KubeObject {
  const spec = {
    podSelector,
    policyTypes: ['Ingress'],
    ingress: [{ from, ports: [{ port: 80 }, { port: 'dns', protocol: 'UDP' }] }],
    egress: [],
  }
  return object('networking.k8s.io/v1', 'NetworkPolicy', 'peers', { spec })
}

export const oddResources: readonly OddObject[] = [
  {
    name: 'a Secret of plain text',
    collection: `${core}/secrets`,
    desired: object('v1', 'Secret', 'plain', {
      stringData: { password: 'hunter2', both: 'wins' },
      data: { both: 'bG9zZXM=', empty: '', wrapped: 'YWJj\nZGVm\n' },
      immutable: false,
    }),
    edited: object('v1', 'Secret', 'plain', {
      stringData: { password: 'hunter3' },
      data: { both: 'd2lucw==', wrapped: 'YWJjZGVm' },
      immutable: false,
    }),
    paths: ['data.password', 'data.empty'],
  },
  {
    name: 'a ConfigMap with empty values and finalizers',
    collection: `${core}/configmaps`,
    desired: object(
      'v1',
      'ConfigMap',
      'texts',
      { data: { a: '', b: 'x' }, binaryData: {}, immutable: false },
      { finalizers: ['example.com/b', 'example.com/a'], annotations: { 'example.com/note': '' } },
    ),
    edited: object(
      'v1',
      'ConfigMap',
      'texts',
      { data: { a: '', c: 'x' }, immutable: false },
      { finalizers: ['example.com/a', 'example.com/c'], annotations: { 'example.com/note': 'n' } },
    ),
    paths: [
      'metadata.finalizers[="example.com/c"]',
      'metadata.finalizers[="example.com/b"]',
      'metadata.annotations["example.com/note"]',
      'data.c',
      'data.b',
    ],
  },
  {
    name: 'a Service with allocated fields',
    collection: `${core}/services`,
    desired: object('v1', 'Service', 'allocated', {
      spec: {
        clusterIP: '',
        type: '',
        selector: { app: 'odd' },
        externalIPs: [],
        publishNotReadyAddresses: false,
        ports: [
          { name: 'b', port: 80, targetPort: 'http', nodePort: 0 },
          { name: 'a', port: 80, protocol: 'UDP' },
        ],
      },
    }),
    edited: object('v1', 'Service', 'allocated', {
      spec: {
        selector: { app: 'even' },
        ports: [
          { name: 'a', port: 80, protocol: 'UDP' },
          { name: 'b', port: 80, targetPort: 8080 },
        ],
      },
    }),
    paths: ['spec.selector.app', 'spec.ports[port=80,protocol="TCP"].targetPort', 'spec.ports'],
  },
  {
    name: 'a ServiceAccount with empty lists',
    collection: `${core}/serviceaccounts`,
    desired: object('v1', 'ServiceAccount', 'lists', {
      automountServiceAccountToken: false,
      secrets: [],
      imagePullSecrets: [{ name: 'x' }],
    }),
    edited: object('v1', 'ServiceAccount', 'lists', {
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 'y' }],
    }),
    paths: ['imagePullSecrets[0].name'],
  },
  {
    name: 'a claim in another spelling',
    collection: `${core}/persistentvolumeclaims`,
    desired: object('v1', 'PersistentVolumeClaim', 'claim', {
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1024Mi' } } },
    }),
    edited: object(
      'v1',
      'PersistentVolumeClaim',
      'claim',
      { spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } } },
      { labels: { a: 'b' } },
    ),
    paths: ['metadata.labels'],
  },
  {
    name: 'a NetworkPolicy of empty selectors',
    collection: `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
    desired: networkPolicy([{ podSelector: {}, namespaceSelector: {} }], {}),
    edited: networkPolicy([{ podSelector: {} }], { matchLabels: { app: 'odd' } }),
    paths: ['spec.podSelector.matchLabels', 'spec.ingress[0].from[0].namespaceSelector'],
  },
  {
    name: 'a NetworkPolicy of selectors that become empty',
    collection: `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
    desired: {
      ...networkPolicy([{ podSelector: {} }], { matchLabels: { app: 'odd' } }),
      metadata: { name: 'widened', namespace },
    },
    edited: {
      ...networkPolicy([{ podSelector: {}, namespaceSelector: {} }], {}),
      metadata: { name: 'widened', namespace },
    },
    paths: ['spec.podSelector.matchLabels', 'spec.ingress[0].from[0].namespaceSelector'],
  },
  {
    name: 'a RoleBinding of subjects without a group',
    collection: `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
    desired: object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'subjects', {
      roleRef: { kind: 'Role', name: 'odd', apiGroup: '' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's', namespace, apiGroup: '' },
      ],
    }),
    edited: object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'subjects', {
      roleRef: { kind: 'Role', name: 'odd' },
      subjects: [{ kind: 'User', name: 'u' }],
    }),
    paths: ['subjects'],
  },
  {
    name: 'a Role with empty resource names',
    collection: `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
    desired: object('rbac.authorization.k8s.io/v1', 'Role', 'names', {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [] }],
    }),
    edited: object('rbac.authorization.k8s.io/v1', 'Role', 'names', {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    }),
    paths: ['rules[0].verbs[0]'],
  },
  {
    name: 'an Ingress without TLS',
    collection: `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
    desired: object('networking.k8s.io/v1', 'Ingress', 'tls', {
      spec: {
        tls: [],
        rules: [
          {
            host: '',
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80, name: '' } } } },
              ],
            },
          },
        ],
      },
    }),
    edited: object('networking.k8s.io/v1', 'Ingress', 'tls', {
      spec: {
        rules: [
          {
            http: {
              paths: [{ path: '/', pathType: 'Exact', backend: { service: { name: 's', port: { number: 80 } } } }],
            },
          },
        ],
      },
    }),
    paths: ['spec.rules[0].http.paths[0].pathType'],
  },
  {
    name: 'a PodDisruptionBudget with a percentage',
    collection: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    desired: object('policy/v1', 'PodDisruptionBudget', 'percentage', { spec: { maxUnavailable: '50%', selector } }),
    edited: object('policy/v1', 'PodDisruptionBudget', 'percentage', { spec: { maxUnavailable: 0, selector: {} } }),
    paths: ['spec.maxUnavailable', 'spec.selector.matchLabels'],
  },
  {
    name: 'a HorizontalPodAutoscaler with quantities',
    collection: `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
    desired: object('autoscaling/v2', 'HorizontalPodAutoscaler', 'quantities', {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'odd' },
        behavior: { scaleDown: { policies: [], stabilizationWindowSeconds: 0 } },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '0.5' } } },
        ],
      },
    }),
    edited: object('autoscaling/v2', 'HorizontalPodAutoscaler', 'quantities', {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'odd' },
        behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '600m' } } },
        ],
      },
    }),
    paths: ['spec.behavior.scaleDown.stabilizationWindowSeconds', 'spec.metrics[0].resource.target.averageValue'],
  },
  {
    name: 'a CronJob that is not suspended',
    collection: `/apis/batch/v1/namespaces/${namespace}/cronjobs`,
    desired: object('batch/v1', 'CronJob', 'suspend', {
      spec: {
        schedule: '0 0 * * *',
        suspend: false,
        concurrencyPolicy: '',
        jobTemplate: {
          spec: {
            backoffLimit: 0,
            podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'odd', image }] } },
          },
        },
      },
    }),
    edited: object('batch/v1', 'CronJob', 'suspend', {
      spec: {
        schedule: '0 0 * * *',
        suspend: true,
        jobTemplate: {
          spec: {
            backoffLimit: 0,
            podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'odd', image }] } },
          },
        },
      },
    }),
    paths: ['spec.suspend', 'spec.jobTemplate.spec.podFailurePolicy.rules[0].action'],
  },
  {
    name: 'a ResourceQuota and its quantities',
    collection: `${core}/resourcequotas`,
    desired: object('v1', 'ResourceQuota', 'hard', {
      spec: { hard: { cpu: '1000m', memory: '0.5Gi', pods: 10 }, scopes: [] },
    }),
    edited: object('v1', 'ResourceQuota', 'hard', { spec: { hard: { cpu: '1', memory: '512Mi', pods: 11 } } }),
    paths: ['spec.hard.pods'],
  },
  {
    name: 'a LimitRange that gains limits',
    collection: `${core}/limitranges`,
    desired: object('v1', 'LimitRange', 'limits', { spec: { limits: [{ type: 'Container', max: { cpu: '2000m' } }] } }),
    edited: object('v1', 'LimitRange', 'limits', { spec: { limits: [{ type: 'Container', max: { cpu: '3' } }] } }),
    paths: ['spec.limits[0].max.cpu'],
  },
]
