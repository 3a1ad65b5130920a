// What becomes of the pods of a resource that goes while its StatefulSet is gone, as it is for a moment when volumes grow? Neither an
// owner nor the garbage collector takes them then, so the resource does. Pure.
import { type CleanupResult, isBeingDeleted, type LiveObject } from '../../index.ts'

/** There is no StatefulSet. Undefined when nothing is left to do; a pod of another controller is that controller's. */
export function headlessPodStep(pods: readonly LiveObject[]): CleanupResult | undefined {
  const staying = pods.filter((pod) => !isBeingDeleted(pod))
  const headless = staying.find((pod) => controllerOf(pod) === undefined)
  if (headless !== undefined) {
    const { apiVersion, kind, metadata } = headless
    const note = `deleted pod ${metadata.name}, whose StatefulSet is gone`
    const event = { type: 'Normal', reason: 'HeadlessPodDeleted', action: 'Delete', note } as const
    return { kind: 'waiting', on: waitFor(headless), repair: { delete: { apiVersion, kind, metadata }, event } }
  }
  // Memory may not show yet that it has lost its owner; if it has not, the garbage collector is on its way to it.
  const orphan = staying.find((pod) => controllerOf(pod)?.kind === 'StatefulSet')
  return orphan === undefined ? undefined : { kind: 'waiting', on: waitFor(orphan) }
}

function controllerOf({ metadata }: LiveObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

function waitFor({ metadata: { name } }: LiveObject): string {
  return `waiting for pod ${name}, whose StatefulSet is gone`
}
