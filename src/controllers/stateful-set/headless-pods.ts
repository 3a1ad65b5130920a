// Decides what to do with pods of a resource that is being deleted while its StatefulSet is missing. A StatefulSet is
// briefly missing while volumes grow. Neither an owner nor the garbage collector deletes the pods then, so the resource
// does. Pure.
import { type CleanupResult, isBeingDeleted, type LiveObject } from '../../index.ts'

/**
 * Call it if there is no StatefulSet. Undefined if nothing is left to do. Pods of another controller are that
 * controller's.
 */
export function headlessPodStep(pods: readonly LiveObject[]): CleanupResult | undefined {
  const staying = pods.filter((pod) => !isBeingDeleted(pod))
  const headless = staying.find((pod) => controllerOf(pod) === undefined)
  if (headless !== undefined) {
    const { apiVersion, kind, metadata } = headless
    const note = `deleted pod ${metadata.name}, whose StatefulSet is gone`
    const event = { type: 'Normal', reason: 'HeadlessPodDeleted', action: 'Delete', note } as const
    return { kind: 'waiting', on: waitFor(headless), repair: { delete: { apiVersion, kind, metadata }, event } }
  }
  // The cache may not show yet that the pod has lost its owner. If it has not, the garbage collector deletes it.
  const orphan = staying.find((pod) => controllerOf(pod)?.kind === 'StatefulSet')
  return orphan === undefined ? undefined : { kind: 'waiting', on: waitFor(orphan) }
}

function controllerOf({ metadata }: LiveObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

function waitFor({ metadata: { name } }: LiveObject): string {
  return `waiting for pod ${name}, whose StatefulSet is gone`
}
