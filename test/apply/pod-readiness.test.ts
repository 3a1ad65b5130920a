import { check, condition, type ReadinessCase } from './readiness-table.ts'

const waiting = (reason: string, message?: string) => ({
  name: 'app',
  state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
})
const unready = condition('Ready', 'False', 'ContainersNotReady', 'containers with unready status: [app]')
check('v1', 'Pod', [
  {
    when: 'it is running and ready',
    object: { status: { phase: 'Running', conditions: [condition('Ready', 'True')] } },
    kind: 'ready',
  },
  {
    when: 'it is running and not ready',
    object: { status: { phase: 'Running', conditions: [unready] } },
    kind: 'progressing',
    reason: 'ContainersNotReady',
  },
  { when: 'it has succeeded', object: { status: { phase: 'Succeeded' } }, kind: 'ready', reason: 'Succeeded' },
  {
    when: 'it has failed (kstatus: Current)',
    object: { status: { phase: 'Failed', reason: 'Evicted', message: 'low on memory' } },
    kind: 'failed',
    reason: 'Evicted',
    says: /low on memory/,
  },
  { when: 'it is new', object: {}, kind: 'progressing', reason: 'Pending' },
  {
    when: 'no node takes it',
    object: {
      status: {
        phase: 'Pending',
        conditions: [condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes are available')],
      },
    },
    kind: 'progressing',
    reason: 'Unschedulable',
    says: /0\/3 nodes/,
  },
  {
    when: 'a container is being made',
    object: { status: { phase: 'Pending', conditions: [unready], containerStatuses: [waiting('ContainerCreating')] } },
    kind: 'progressing',
    reason: 'ContainerCreating',
  },
  ...[
    'ImagePullBackOff',
    'ErrImagePull',
    'InvalidImageName',
    'CrashLoopBackOff',
    'CreateContainerConfigError',
    'RunContainerError',
  ].map(
    (reason): ReadinessCase => ({
      when: `a container waits with ${reason}`,
      object: {
        status: {
          phase: 'Running',
          conditions: [unready],
          containerStatuses: [waiting('PodInitializing'), waiting(reason, 'because')],
        },
      },
      kind: 'failed',
      reason,
      says: /^container app is waiting: because$/,
    }),
  ),
  {
    when: 'an init container cannot start',
    object: {
      status: {
        phase: 'Pending',
        initContainerStatuses: [waiting('ImagePullBackOff')],
        containerStatuses: [waiting('PodInitializing')],
      },
    },
    kind: 'failed',
    reason: 'ImagePullBackOff',
  },
  {
    when: 'its status is nonsense',
    object: { status: { phase: 7, containerStatuses: ['x', { state: null }], conditions: 'none' } },
    kind: 'progressing',
  },
])
