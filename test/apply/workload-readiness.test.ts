import { check, condition, seen } from './readiness-table.ts'

check('apps/v1', 'Deployment', [
  {
    when: 'it was never looked at, even with no replicas wanted',
    object: { spec: { replicas: 0 } },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  {
    when: 'the status is about an older generation',
    object: {
      spec: { replicas: 1 },
      status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
    },
    kind: 'progressing',
    reason: 'NotObserved',
  },
  { when: 'no replicas are wanted', object: { spec: { replicas: 0 }, status: seen }, kind: 'ready' },
  {
    when: 'all replicas are there',
    object: {
      spec: { replicas: 2 },
      status: { ...seen, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    },
    kind: 'ready',
    says: /2 replicas are available/,
  },
  {
    when: 'replicas are left to the default of one',
    object: { spec: {}, status: { ...seen, replicas: 1, updatedReplicas: 1 } },
    kind: 'progressing',
    says: /0 of 1 replicas are ready/,
  },
  {
    when: 'not all are updated',
    object: {
      spec: { replicas: 2 },
      status: { ...seen, replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2 },
    },
    kind: 'progressing',
    reason: 'RollingOut',
  },
  {
    when: 'more replicas are there than are wanted now',
    object: {
      spec: { replicas: 1 },
      status: { ...seen, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
    },
    kind: 'progressing',
    reason: 'ScalingIn',
    says: /2 replicas have to go/,
  },
  {
    when: 'old replicas are still there',
    object: {
      spec: { replicas: 2 },
      status: { ...seen, replicas: 3, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 3 },
    },
    kind: 'progressing',
    reason: 'ScalingIn',
  },
  {
    when: 'ready replicas are not yet available',
    object: {
      spec: { replicas: 2 },
      status: { ...seen, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
    },
    kind: 'progressing',
    says: /1 of 2 replicas are available/,
  },
  {
    when: 'it is paused half-way',
    object: { spec: { replicas: 2, paused: true }, status: { ...seen, replicas: 2, updatedReplicas: 1 } },
    kind: 'progressing',
    reason: 'Paused',
  },
  {
    when: 'the deadline has passed',
    object: {
      spec: { replicas: 1 },
      status: { ...seen, conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] },
    },
    kind: 'failed',
    reason: 'ProgressDeadlineExceeded',
  },
  {
    when: 'a quota keeps pods from being made',
    object: {
      spec: { replicas: 1 },
      status: { ...seen, conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota')] },
    },
    kind: 'progressing',
    reason: 'FailedCreate',
    says: /exceeded quota/,
  },
])

const set = (over: object) => ({
  ...seen,
  replicas: 3,
  readyReplicas: 3,
  updatedReplicas: 3,
  currentRevision: 'b',
  updateRevision: 'b',
  ...over,
})
check('apps/v1', 'StatefulSet', [
  { when: 'it was never looked at', object: { spec: { replicas: 3 } }, kind: 'progressing', reason: 'NotObserved' },
  {
    when: 'all replicas are ready at the newest revision',
    object: { spec: { replicas: 3 }, status: set({}) },
    kind: 'ready',
  },
  {
    when: 'not all are ready',
    object: { spec: { replicas: 3 }, status: set({ readyReplicas: 2 }) },
    kind: 'progressing',
    says: /2 of 3 replicas are ready/,
  },
  {
    when: 'there are too many',
    object: { spec: { replicas: 2 }, status: set({}) },
    kind: 'progressing',
    reason: 'ScalingIn',
  },
  {
    when: 'the newest revision is not current',
    object: { spec: { replicas: 3 }, status: set({ currentRevision: 'a' }) },
    kind: 'progressing',
    reason: 'RollingOut',
  },
  {
    when: 'a partition holds the rest back',
    object: {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: set({ updatedReplicas: 1, currentRevision: 'a' }),
    },
    kind: 'ready',
  },
  {
    when: 'the part above the partition is not updated',
    object: {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
      status: set({ updatedReplicas: 1, currentRevision: 'a' }),
    },
    kind: 'progressing',
    says: /1 of 2 replicas are updated/,
  },
  {
    when: 'the partition is above the replicas',
    object: {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 9 } } },
      status: set({ updatedReplicas: 0, currentRevision: 'a' }),
    },
    kind: 'ready',
  },
  {
    when: 'it updates on delete and waits for that',
    object: {
      spec: { replicas: 3, updateStrategy: { type: 'OnDelete' } },
      status: set({ updatedReplicas: 0, currentRevision: 'a' }),
    },
    kind: 'ready',
  },
  {
    when: 'it updates on delete but its pods are not ready (kstatus: Current)',
    object: { spec: { replicas: 3, updateStrategy: { type: 'OnDelete' } }, status: set({ readyReplicas: 1 }) },
    kind: 'progressing',
  },
  {
    when: 'ready replicas are not available for minReadySeconds',
    object: { spec: { replicas: 3, minReadySeconds: 5 }, status: set({ availableReplicas: 2 }) },
    kind: 'progressing',
    says: /2 of 3 replicas are available/,
  },
])

const daemons = (over: object) => ({
  ...seen,
  desiredNumberScheduled: 2,
  updatedNumberScheduled: 2,
  numberReady: 2,
  numberAvailable: 2,
  ...over,
})
check('apps/v1', 'DaemonSet', [
  { when: 'it was never looked at', object: { status: {} }, kind: 'progressing', reason: 'NotObserved' },
  { when: 'every node has its pod', object: { status: daemons({}) }, kind: 'ready' },
  { when: 'no node wants it', object: { status: { ...seen, desiredNumberScheduled: 0 } }, kind: 'ready' },
  {
    when: 'a pod is old',
    object: { status: daemons({ updatedNumberScheduled: 1 }) },
    kind: 'progressing',
    reason: 'RollingOut',
  },
  {
    when: 'a pod is old and it updates on delete',
    object: { spec: { updateStrategy: { type: 'OnDelete' } }, status: daemons({ updatedNumberScheduled: 1 }) },
    kind: 'ready',
  },
  {
    when: 'a pod is not ready',
    object: { status: daemons({ numberReady: 1 }) },
    kind: 'progressing',
    says: /1 of 2 pods are ready/,
  },
  {
    when: 'a pod is not available',
    object: { status: daemons({ numberAvailable: 1 }) },
    kind: 'progressing',
    says: /1 of 2 pods are available/,
  },
])

check('apps/v1', 'ReplicaSet', [
  {
    when: 'all replicas are available',
    object: { spec: { replicas: 1 }, status: { ...seen, replicas: 1, readyReplicas: 1, availableReplicas: 1 } },
    kind: 'ready',
  },
  {
    when: 'pods cannot be made',
    object: { spec: { replicas: 1 }, status: { ...seen, conditions: [condition('ReplicaFailure', 'True')] } },
    kind: 'progressing',
    reason: 'ReplicaFailureReason',
  },
  {
    when: 'there are too many',
    object: { spec: { replicas: 1 }, status: { ...seen, replicas: 2, readyReplicas: 2, availableReplicas: 2 } },
    kind: 'progressing',
    reason: 'ScalingIn',
  },
  {
    when: 'one is missing',
    object: { spec: { replicas: 1 }, status: seen },
    kind: 'progressing',
    reason: 'WaitingForReplicas',
  },
])

check('batch/v1', 'Job', [
  {
    when: 'it is complete',
    object: { status: { succeeded: 1, conditions: [condition('Complete', 'True')] } },
    kind: 'ready',
  },
  {
    when: 'it has failed',
    object: { status: { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] } },
    kind: 'failed',
    reason: 'BackoffLimitExceeded',
  },
  {
    when: 'it is about to fail',
    object: { status: { startTime: 'x', conditions: [condition('FailureTarget', 'True', 'DeadlineExceeded')] } },
    kind: 'failed',
    reason: 'DeadlineExceeded',
  },
  {
    when: 'it runs (kstatus: Current)',
    object: { spec: { completions: 3 }, status: { startTime: 'x', succeeded: 1, active: 1 } },
    kind: 'progressing',
    says: /1 of 3/,
  },
  {
    when: 'it is suspended (kstatus: Current)',
    object: { status: { conditions: [condition('Suspended', 'True')] } },
    kind: 'progressing',
    reason: 'Suspended',
  },
  {
    when: 'it has gone on after a suspension',
    object: { status: { startTime: 'x', conditions: [condition('Suspended', 'False')] } },
    kind: 'progressing',
    reason: 'Running',
  },
  { when: 'it has not started', object: {}, kind: 'progressing', reason: 'NotStarted' },
])
