import { check, condition, seen } from './readiness-table.ts'

check('v1', 'PersistentVolumeClaim', [
  { when: 'it is bound', object: { status: { phase: 'Bound' } }, kind: 'ready' },
  { when: 'it is pending', object: { status: { phase: 'Pending' } }, kind: 'progressing', reason: 'Pending' },
  { when: 'it is new', object: {}, kind: 'progressing', reason: 'Pending' },
  { when: 'its volume is lost', object: { status: { phase: 'Lost' } }, kind: 'failed', reason: 'Lost' },
])

check('batch/v1', 'CronJob', [{ when: 'it exists', object: { spec: { suspend: true } }, kind: 'ready' }])

check('v1', 'Service', [
  { when: 'it has no balancer', object: { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1' } }, kind: 'ready' },
  {
    when: 'it has a cluster address only (kstatus: Current)',
    object: { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' }, status: { loadBalancer: {} } },
    kind: 'progressing',
    reason: 'AddressPending',
  },
  {
    when: 'the balancer has an address',
    object: { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
    kind: 'ready',
    says: /1\.2\.3\.4/,
  },
  {
    when: 'the balancer has a host name',
    object: { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] } } },
    kind: 'ready',
  },
  {
    when: 'the balancer’s entry says nothing',
    object: { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{}] } } },
    kind: 'progressing',
  },
])

check('networking.k8s.io/v1', 'Ingress', [
  {
    when: 'it has no address (kstatus: Current)',
    object: { status: { loadBalancer: {} } },
    kind: 'progressing',
    reason: 'AddressPending',
  },
  { when: 'it has an address', object: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }, kind: 'ready' },
])

check('autoscaling/v2', 'HorizontalPodAutoscaler', [
  { when: 'it was never looked at (kstatus: Current)', object: {}, kind: 'progressing', reason: 'NotObserved' },
  {
    when: 'it scales',
    object: { status: { conditions: [condition('AbleToScale', 'True'), condition('ScalingActive', 'True')] } },
    kind: 'ready',
  },
  {
    when: 'its target is not there',
    object: { status: { conditions: [condition('AbleToScale', 'False', 'FailedGetScale')] } },
    kind: 'failed',
    reason: 'FailedGetScale',
  },
  {
    when: 'it has no metrics',
    object: {
      status: {
        conditions: [condition('AbleToScale', 'True'), condition('ScalingActive', 'False', 'FailedGetResourceMetric')],
      },
    },
    kind: 'progressing',
    reason: 'FailedGetResourceMetric',
  },
  {
    when: 'its target is scaled to zero',
    object: {
      status: {
        conditions: [condition('AbleToScale', 'True'), condition('ScalingActive', 'False', 'ScalingDisabled')],
      },
    },
    kind: 'ready',
    reason: 'ScalingDisabled',
  },
])

check('policy/v1', 'PodDisruptionBudget', [
  { when: 'it was never looked at', object: {}, kind: 'progressing', reason: 'NotObserved' },
  {
    when: 'it allows no disruption now',
    object: { status: { ...seen, conditions: [condition('DisruptionAllowed', 'False', 'InsufficientPods')] } },
    kind: 'ready',
  },
  {
    when: 'it cannot find what its pods belong to',
    object: { status: { ...seen, conditions: [condition('DisruptionAllowed', 'False', 'SyncFailed')] } },
    kind: 'failed',
    reason: 'SyncFailed',
  },
])

check('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [
  {
    when: 'it is established',
    object: { status: { conditions: [condition('NamesAccepted', 'True'), condition('Established', 'True')] } },
    kind: 'ready',
  },
  {
    when: 'its names are taken',
    object: {
      status: {
        conditions: [condition('NamesAccepted', 'False', 'PluralConflict'), condition('Established', 'False')],
      },
    },
    kind: 'failed',
    reason: 'PluralConflict',
  },
  { when: 'it is new', object: {}, kind: 'progressing' },
])

check('v1', 'Namespace', [
  { when: 'it is active', object: { status: { phase: 'Active' } }, kind: 'ready' },
  { when: 'it is new', object: {}, kind: 'progressing' },
])

check('apiregistration.k8s.io/v1', 'APIService', [
  { when: 'it answers', object: { status: { conditions: [condition('Available', 'True')] } }, kind: 'ready' },
  {
    when: 'it does not answer',
    object: { status: { conditions: [condition('Available', 'False', 'FailedDiscoveryCheck')] } },
    kind: 'progressing',
    reason: 'FailedDiscoveryCheck',
  },
])

check('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', [
  { when: 'it is ready to use', object: { status: { readyToUse: true } }, kind: 'ready' },
  { when: 'it is not ready to use (kstatus: Current)', object: { status: { readyToUse: false } }, kind: 'progressing' },
  {
    when: 'it has an error',
    object: { status: { readyToUse: false, error: { message: 'no such class' } } },
    kind: 'failed',
    says: /no such class/,
  },
  { when: 'it is new (kstatus: Current)', object: {}, kind: 'progressing' },
])

check('gateway.networking.k8s.io/v1', 'Gateway', [
  {
    when: 'it is programmed as it was before the last change',
    object: {
      status: {
        conditions: [
          { ...condition('Accepted', 'True'), observedGeneration: 1 },
          { ...condition('Programmed', 'True'), observedGeneration: 1 },
        ],
      },
    },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  {
    when: 'it was not accepted before the last change',
    object: { status: { conditions: [{ ...condition('Accepted', 'False'), observedGeneration: 1 }] } },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  {
    when: 'no controller has taken it',
    object: {
      status: {
        conditions: [condition('Accepted', 'Unknown', 'Pending'), condition('Programmed', 'Unknown', 'Pending')],
      },
    },
    kind: 'progressing',
    reason: 'Pending',
  },
  {
    when: 'it is not accepted',
    object: { status: { conditions: [condition('Accepted', 'False', 'Invalid')] } },
    kind: 'failed',
    reason: 'Invalid',
  },
  {
    when: 'it is programmed',
    object: { status: { conditions: [condition('Accepted', 'True'), condition('Programmed', 'True')] } },
    kind: 'ready',
  },
])

for (const [apiVersion, kind] of [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'ServiceAccount'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['scheduling.k8s.io/v1', 'PriorityClass'],
] as const) {
  check(apiVersion, kind, [{ when: 'it exists', object: {}, kind: 'ready', reason: 'Exists' }])
}
