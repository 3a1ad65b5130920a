// Controller of CustomResourceDefinitions: it accepts names, sets the conditions and serves the custom resources.
// When a definition is deleted, its custom resources are deleted first.
// Source: k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,finalizer}.
import { deepEqual, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { customResources } from '../custom/custom-strategy.ts'
import { isConditionTrue } from '../custom/definition-rules.ts'
import {
  cleanupFinalizer,
  nextDefinitionStatus,
  terminating,
  withoutCleanup,
  withTerminating,
} from '../custom/definition-status.ts'
import { finalizersOf, isTerminating, metadataText } from '../metadata.ts'
import type { LogEntry } from '../object-log.ts'
import type { ServedResource } from '../strategy.ts'
import type { SystemClient, Target } from '../system-client.ts'
import type { ServerController } from './controller-host.ts'

export const definitionsShelf = 'customresourcedefinitions.apiextensions.k8s.io'
export interface DefinitionControllerOptions {
  readonly client: SystemClient
  /** Ends the watches of resources that changed or are no longer served. */
  readonly closeWatches: (shelf: string) => void
  readonly timestamp: () => string
}

export class DefinitionController implements ServerController {
  readonly name = 'custom-resource-definitions'
  readonly #options: DefinitionControllerOptions
  /** Served resources of each definition by its name, with the spec and names that they were made from. */
  readonly #served = new Map<string, { readonly from: Json; readonly resources: readonly ServedResource[] }>()

  constructor(options: DefinitionControllerOptions) {
    this.#options = options
  }

  keysFor({ place }: LogEntry): readonly string[] {
    // Another definition may wait for the names that this one releases.
    if (place.shelf === definitionsShelf)
      return [place.name, ...this.#all().map((other) => metadataText(other, 'name'))]
    const definition = [...this.#served].find(([, { resources }]) =>
      resources.some(({ shelf }) => shelf === place.shelf),
    )
    return definition === undefined ? [] : [definition[0]]
  }

  reconcile(name: string): undefined {
    const target = this.#target(name)
    const definition = target === undefined ? undefined : this.#options.client.get(target)
    if (target === undefined || definition === undefined) return this.#serve(name, undefined, [])
    const others = this.#all().filter((other) => metadataText(other, 'name') !== name)
    const status = nextDefinitionStatus(definition, others, this.#options.timestamp())
    const current =
      status === own(definition, 'status')
        ? definition
        : this.#options.client.updateStatus(target, (live) => ({ ...live, status }))
    if (isConditionTrue(current, 'Established'))
      this.#serve(name, servedPartOf(current), () => customResources(current))
    if (isTerminating(current) && finalizersOf(current).includes(cleanupFinalizer)) this.#cleanUp(target)
  }

  #cleanUp(target: Target): void {
    const { client, timestamp } = this.#options
    const [resource] = this.#served.get(target.name)?.resources ?? []
    if (resource !== undefined) {
      client.updateStatus(target, (live) => withTerminating(live, terminating.inProgress, timestamp()))
      for (const object of client.list(resource)) {
        const namespace = metadataText(object, 'namespace')
        if (!isTerminating(object)) client.delete({ resource, namespace, name: metadataText(object, 'name') })
      }
      if (client.list(resource).length > 0) return
    }
    const stage = resource === undefined ? terminating.neverEstablished : terminating.completed
    // The status subresource of definitions also writes metadata, so this removes the last finalizer.
    client.updateStatus(target, (live) => withoutCleanup(withTerminating(live, stage, timestamp())))
  }

  #serve(
    name: string,
    from: Json | undefined,
    make: readonly ServedResource[] | (() => readonly ServedResource[]),
  ): undefined {
    const before = this.#served.get(name)
    if (before !== undefined && from !== undefined && deepEqual(before.from, from)) return
    const resources = typeof make === 'function' ? make() : make
    for (const shelf of new Set((before?.resources ?? []).map((resource) => resource.shelf)))
      this.#options.closeWatches(shelf)
    if (from === undefined) this.#served.delete(name)
    else this.#served.set(name, { from, resources })
    this.#options.client.registry.serve(name, resources)
  }

  #all(): readonly JsonObject[] {
    const resource = this.#target('')?.resource
    return resource === undefined ? [] : this.#options.client.list(resource)
  }

  #target(name: string): Target | undefined {
    const resource = this.#options.client.resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    return resource === undefined ? undefined : { resource, namespace: '', name }
  }
}

/** Returns the parts of a definition that determine its served resources. */
function servedPartOf(definition: JsonObject): Json {
  const status = own(definition, 'status')
  const names = isJsonObject(status) ? own(status, 'acceptedNames') : undefined
  return [own(definition, 'spec') ?? null, names ?? null, isTerminating(definition)]
}
