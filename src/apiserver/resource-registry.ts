// Registry of the served resources: built-in ones always, custom ones while their CRD serves them.
import type { ServedResource } from './strategy.ts'

export interface GroupVersion {
  readonly group: string
  readonly version: string
}

export class ResourceRegistry {
  readonly #builtIn: readonly ServedResource[]
  /** Custom resources by the name of their CRD. */
  readonly #custom = new Map<string, readonly ServedResource[]>()
  #index: ReadonlyMap<string, ServedResource> = new Map()

  constructor(builtIn: readonly ServedResource[]) {
    this.#builtIn = builtIn
    this.#reindex()
  }

  find({ group, version }: GroupVersion, plural: string): ServedResource | undefined {
    return this.#index.get(`${group}/${version}/${plural}`)
  }

  /** Returns the resource of a kind, as owner references name it. */
  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.all().find(
      ({ group, version, kind: name }) =>
        name === kind && apiVersion === (group === '' ? version : `${group}/${version}`),
    )
  }

  all(): readonly ServedResource[] {
    return [...this.#builtIn, ...[...this.#custom.values()].flat()]
  }

  /** Replaces the resources of a CRD; an empty list removes them. */
  serve(definition: string, resources: readonly ServedResource[]): void {
    if (resources.length === 0) this.#custom.delete(definition)
    else this.#custom.set(definition, resources)
    this.#reindex()
  }

  #reindex(): void {
    this.#index = new Map(
      this.all().map((resource) => [`${resource.group}/${resource.version}/${resource.plural}`, resource]),
    )
  }
}
