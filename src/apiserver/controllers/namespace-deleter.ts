// Namespace controller. It deletes the content of a terminating namespace, pods before the other resources.
// Conditions name the remaining resources and finalizers. Without remaining content it removes the finalizer
// `kubernetes`.
// Source: k8s.io/kubernetes/pkg/controller/namespace/deletion.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { finalizersOf, isTerminating, metadataText } from '../metadata.ts'
import type { LogEntry } from '../object-log.ts'
import { type ServedResource, stepsOf } from '../strategy.ts'
import type { SystemClient, Target } from '../system-client.ts'
import type { ServerController } from './controller-host.ts'

const contentFinalizer = 'kubernetes'

/** Content that remains in a namespace after the deletion of all its objects. */
interface Remains {
  /** Number of objects by `plural.group` (core: `pods.`), sorted. */
  readonly counts: readonly (readonly [string, number])[]
  readonly finalizers: readonly (readonly [string, number])[]
}

export class NamespaceDeleter implements ServerController {
  readonly name = 'namespace-controller'
  readonly #client: SystemClient
  readonly #timestamp: () => string

  constructor(client: SystemClient, timestamp: () => string) {
    this.#client = client
    this.#timestamp = timestamp
  }

  keysFor({ place, kind, now }: LogEntry): readonly string[] {
    if (place.shelf === 'namespaces') return kind !== 'deleted' && isTerminating(now.object) ? [place.name] : []
    if (place.namespace === '') return []
    const target = this.#target(place.namespace)
    const namespace = target === undefined ? undefined : this.#client.get(target)
    return namespace !== undefined && isTerminating(namespace) ? [place.namespace] : []
  }

  reconcile(name: string): undefined {
    const target = this.#target(name)
    const namespace = target === undefined ? undefined : this.#client.get(target)
    if (target === undefined || namespace === undefined || !isTerminating(namespace)) return
    if (!specFinalizers(namespace).includes(contentFinalizer)) return
    const remains = this.#empty(name)
    this.#client.updateStatus(target, (live) => withConditions(live, remains, this.#timestamp()))
    if (remains.counts.length > 0) return
    this.#client.updateThrough(target, 'finalize', stepsOf(target.resource.strategy, 'finalize'), (live) =>
      withSpecFinalizers(
        live,
        specFinalizers(live).filter((finalizer) => finalizer !== contentFinalizer),
      ),
    )
  }

  /** Deletes all content. While pods remain, the other resources wait. */
  #empty(namespace: string): Remains {
    const shelves = new Map<string, ServedResource>()
    for (const resource of this.#client.registry.all())
      if (resource.isNamespaced && !shelves.has(resource.shelf)) shelves.set(resource.shelf, resource)
    const resources = [...shelves.values()].sort(
      (left, right) => Number(right.shelf === 'pods') - Number(left.shelf === 'pods'),
    )
    const left: { resource: ServedResource; object: JsonObject }[] = []
    for (const resource of resources) {
      for (const object of this.#client.list(resource, namespace)) {
        const target = { resource, namespace, name: metadataText(object, 'name') }
        if (!isTerminating(object)) this.#client.delete(target, { propagationPolicy: 'Background' })
        const now = this.#client.get(target)
        if (now !== undefined) left.push({ resource, object: now })
      }
      if (resource.shelf === 'pods' && left.length > 0) break
    }
    return {
      counts: counted(left.map(({ resource }) => `${resource.plural}.${resource.group}`)),
      finalizers: counted(left.flatMap(({ object }) => finalizersOf(object))),
    }
  }

  #target(name: string): Target | undefined {
    const resource = this.#client.resource('v1', 'Namespace')
    return resource === undefined ? undefined : { resource, namespace: '', name }
  }
}

export function specFinalizers(namespace: JsonObject): readonly string[] {
  const spec = own(namespace, 'spec')
  const finalizers = isJsonObject(spec) ? own(spec, 'finalizers') : undefined
  return isJsonList(finalizers) ? finalizers.filter((item) => typeof item === 'string') : []
}

function withSpecFinalizers(namespace: JsonObject, finalizers: readonly string[]): JsonObject {
  const spec = own(namespace, 'spec')
  const { finalizers: _, ...rest } = isJsonObject(spec) ? spec : {}
  return { ...namespace, spec: finalizers.length === 0 ? rest : { ...rest, finalizers } }
}

function counted(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1))
}

/** Condition types in the controller's order, with reason and message for status False. */
const wellConditions: readonly (readonly [string, string, string])[] = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
]

function withConditions(namespace: JsonObject, { counts, finalizers }: Remains, timestamp: string): JsonObject {
  const status = own(namespace, 'status')
  const before = isJsonObject(status) ? own(status, 'conditions') : undefined
  const told = isJsonList(before) ? before.filter(isJsonObject) : []
  const troubles: Record<string, { reason: string; message: string }> = {
    ...(counts.length === 0
      ? {}
      : {
          NamespaceContentRemaining: {
            reason: 'SomeResourcesRemain',
            message: `Some resources are remaining: ${counts.map(([name, count]) => `${name} has ${count} resource instances`).join(', ')}`,
          },
        }),
    ...(finalizers.length === 0
      ? {}
      : {
          NamespaceFinalizersRemaining: {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${finalizers.map(([name, count]) => `${name} in ${count} resource instances`).join(', ')}`,
          },
        }),
  }
  const conditions = wellConditions.map(([type, reason, message]): Json => {
    const trouble = troubles[type]
    const next = { type, status: trouble === undefined ? 'False' : 'True', ...(trouble ?? { reason, message }) }
    const old = told.find((condition) => own(condition, 'type') === type)
    const lastTransitionTime =
      old !== undefined && own(old, 'status') === next.status ? own(old, 'lastTransitionTime') : timestamp
    return { type, status: next.status, lastTransitionTime, reason: next.reason, message: next.message }
  })
  const others = told.filter((condition) => !wellConditions.some(([type]) => type === own(condition, 'type')))
  return { ...namespace, status: { ...(isJsonObject(status) ? status : {}), conditions: [...others, ...conditions] } }
}
