// Which objects came to be in each namespace, by whomever, and which did the operator delete: how often each kind? What others delete
// follows from what they made and what is left. Endpoints are left out: two controllers race for them; and pods: kwok deletes them by
// name, at times twice, and then their successor has to be made anew. The StatefulSet controller and the garbage collector race once
// a store is on its way out: from then on only the operator counts. Pure.
import { storeKind } from '../fault-lab/namespace-reader.ts'
import type { Counts } from './story-server.ts'

export interface Happening {
  /** `ending`: its deletion was asked for. */
  readonly kind: 'created' | 'ending' | 'deleted by the operator'
  readonly resource: string
  readonly namespace: string
  readonly isOurs: boolean
}

const uncounted: ReadonlySet<string> = new Set(['events', 'endpoints', 'endpointslices', 'pods'])

/** By namespace; `happenings` in their order. */
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
