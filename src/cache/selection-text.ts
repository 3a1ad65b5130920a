// Text of a selection in messages, metrics and keys. Invariant: equal selections have equal text, and different ones
// different text.
import type { Selection } from '../kube/client.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'

/**
 * `namespace=default,labels=(app=store)`; empty for everything. `cluster`: the name of another cluster than the
 * operator's own.
 */
export function selectionText(
  { namespace, labelSelector, fieldSelector, metadataOnly }: Selection,
  cluster?: string,
): string {
  return [
    ...(cluster === undefined ? [] : [`cluster=${cluster}`]),
    ...(namespace === undefined ? [] : [`namespace=${namespace}`]),
    ...(labelSelector === undefined ? [] : [`labels=(${labelSelector})`]),
    ...(fieldSelector === undefined ? [] : [`fields=(${fieldSelector})`]),
    ...(metadataOnly === true ? ['metadataOnly'] : []),
  ].join(',')
}

/** `statefulsets.apps in namespace default with labels app=store`: the watched objects in messages. */
export function describeWatched(resource: Resource, selection: Selection, cluster?: string): string {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = selection
  const what = `${metadataOnly === true ? 'metadata of ' : ''}${groupResourceOf(resource)}${cluster === undefined ? '' : ` of cluster ${cluster}`}`
  const where =
    resource.scope === 'Cluster' ? '' : namespace === undefined ? ' in all namespaces' : ` in namespace ${namespace}`
  const selectors = [
    ...(labelSelector === undefined ? [] : [`labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`fields ${fieldSelector}`]),
  ]
  return `${what}${where}${selectors.length === 0 ? '' : ` with ${selectors.join(' and ')}`}`
}
