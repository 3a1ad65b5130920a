// Pods for table tests: the smallest that the API server would store.
import type { PodObject, PodSpec, PodStatus } from '../../src/local-node/pod.ts'

export interface PodMore {
  readonly metadata?: object
  readonly spec?: Partial<PodSpec>
  readonly status?: PodStatus
}

export function aPod({ metadata, spec, status }: PodMore = {}): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'pod', uid: 'uid-1', resourceVersion: '1', generation: 1, ...metadata },
    spec: { containers: [{ name: 'main', image: 'app' }], restartPolicy: 'Always', ...spec },
    ...(status === undefined ? {} : { status }),
  }
}
