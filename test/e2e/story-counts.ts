// Counts per namespace and kind: objects that anyone created, and objects that the operator deleted. Deletions by
// others follow from the creations and the remaining objects. Not counted: endpoints, for which two controllers race,
// and pods. Kwok deletes pods by name, at times twice, and then also their successor. While a store is being deleted,
// the StatefulSet controller and the garbage collector race: from then on only the operator's events count. Pure.
import { storeKind } from '../fault-lab/namespace-reader.ts'
import type { Counts } from './story-server.ts'

export interface Happening {
  /** `ending`: a client requested the deletion. */
  readonly kind: 'created' | 'ending' | 'deleted by the operator'
  readonly resource: string
  readonly namespace: string
  readonly isOurs: boolean
}

const uncounted: ReadonlySet<string> = new Set(['events', 'endpoints', 'endpointslices', 'pods'])

/** Counts `happenings`, which are in order, by namespace. */
export function countsOf(happenings: readonly Happening[]): ReadonlyMap<string, Counts> {
  const all = new Map<string, Record<string, number>>()
  const ending = new Set<string>()
  for (const { kind, resource, namespace, isOurs } of happenings) {
    if (uncounted.has(resource)) continue
    if (kind === 'ending' && resource === storeKind.plural) ending.add(namespace)
    if (kind === 'ending' || (ending.has(namespace) && !isOurs)) continue
    const counts = all.get(namespace) ?? {}
    const title = `${kind} ${resource}`
    counts[title] = (counts[title] ?? 0) + 1
    all.set(namespace, counts)
  }
  return all
}
