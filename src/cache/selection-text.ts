// How is a selection named in messages, metrics and keys? Equal selections have equal text, different ones different text.
import type { Selection } from '../kube/client.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'

/** `namespace=default,labels=(app=store)`; empty for everything. */
export function selectionText({ namespace, labelSelector, fieldSelector }: Selection): string {
  return [
    ...(namespace === undefined ? [] : [`namespace=${namespace}`]),
    ...(labelSelector === undefined ? [] : [`labels=(${labelSelector})`]),
    ...(fieldSelector === undefined ? [] : [`fields=(${fieldSelector})`]),
  ].join(',')
}

/** `statefulsets.apps in namespace default with labels app=store`: what messages call the watched objects. */
export function describeWatched(resource: Resource, { namespace, labelSelector, fieldSelector }: Selection): string {
  const where =
    resource.scope === 'Cluster' ? '' : namespace === undefined ? ' in all namespaces' : ` in namespace ${namespace}`
  const selectors = [
    ...(labelSelector === undefined ? [] : [`labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`fields ${fieldSelector}`]),
  ]
  return `${groupResourceOf(resource)}${where}${selectors.length === 0 ? '' : ` with ${selectors.join(' and ')}`}`
}
