// Readiness of a pod, and the reason if it is not ready. A pod that stopped trying has failed, unlike in kstatus;
// waiting containers have the reason. No clock: an unschedulable pod is waiting, and other code judges for how long.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import type { KubeObject } from '../object/object.ts'
import {
  conditionContent,
  failed,
  objectsAt,
  progressing,
  type Readiness,
  ready,
  textAt,
  textOf,
} from './readiness-verdict.ts'

/** Waiting reasons that need a change by a user: another image, another configuration, other code. */
const failedWaits: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImageInspectError',
  'ImagePullBackOff',
  'InvalidImageName',
  'PreCreateHookError',
  'PreStartHookError',
  'RunContainerError',
])

export function podReadiness(object: KubeObject): Readiness {
  switch (textAt(object, 'status', 'phase')) {
    case 'Succeeded':
      return ready('Succeeded', 'all containers have succeeded')
    case 'Failed':
      return failed(
        textAt(object, 'status', 'reason') ?? 'Failed',
        textAt(object, 'status', 'message') ?? 'a container has failed',
      )
    default:
      return conditionContent(object, 'Ready')?.status === 'True' ? ready('Ready', 'is ready') : whyNotReady(object)
  }
}

function whyNotReady(object: KubeObject): Readiness {
  const waits = waitingContainers(object)
  const broken = waits.find(({ reason }) => failedWaits.has(reason))
  if (broken !== undefined) return failed(broken.reason, broken.message)
  const scheduled = conditionContent(object, 'PodScheduled')
  if (scheduled?.status === 'False') return progressing(scheduled.reason, scheduled.message)
  const [first] = waits
  if (first !== undefined) return progressing(first.reason, first.message)
  const said = conditionContent(object, 'Ready')
  return said === undefined ? progressing('Pending', 'is pending') : progressing(said.reason, said.message)
}

function waitingContainers(object: KubeObject): { readonly reason: string; readonly message: string }[] {
  const statuses = [
    ...objectsAt(object, 'status', 'initContainerStatuses'),
    ...objectsAt(object, 'status', 'containerStatuses'),
  ]
  return statuses.flatMap((status) => {
    const waiting = waitingOf(status)
    if (waiting === undefined) return []
    const reason = textOf(waiting.reason) ?? 'ContainerWaiting'
    const said = textOf(waiting.message)
    const container = `container ${textOf(status.name) ?? '?'} is waiting`
    return [{ reason, message: `${container}: ${said ?? reason}` }]
  })
}

function waitingOf({ state }: JsonObject): JsonObject | undefined {
  return isJsonObject(state) && isJsonObject(state.waiting) ? state.waiting : undefined
}
