// Dry run of a resource against the API server of this package, in this process. Schema, defaults and rules are those
// of a cluster, and a rejection has the message that kubectl shows.
import { ApiServer } from '../apiserver/api-server.ts'
import { customResources } from '../apiserver/custom/custom-strategy.ts'
import { handleFetch } from '../apiserver/fetch-handler.ts'
import type { ServedResource } from '../apiserver/strategy.ts'
import { systemClock } from '../base/clock.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { systemRandom } from '../base/random.ts'
import { parseExactly, wireJson } from '../base/wire-json.ts'

export type DryRunAnswer =
  /** Object with defaults and the metadata that a server adds. */
  | { readonly kind: 'taken'; readonly object: JsonObject }
  /** Message of the API server. */
  | { readonly kind: 'refused'; readonly message: string }

export class DryRun {
  readonly #resources: readonly ServedResource[]
  readonly #server: ApiServer

  /** Serves only the kinds of these CustomResourceDefinitions. */
  constructor(definitions: readonly JsonObject[]) {
    this.#resources = definitions.flatMap(customResources)
    const [clock, random] = [systemClock, systemRandom]
    this.#server = new ApiServer({ clock, random, resources: this.#resources, catalogue: [] })
  }

  /** Creates the resource as a dry run. A resource without a namespace goes to `default`. */
  async create(object: JsonObject): Promise<DryRunAnswer> {
    const { apiVersion, kind } = object
    const resource = this.#resources.find(
      (served) => `${served.group}/${served.version}` === apiVersion && served.kind === kind,
    )
    if (resource === undefined)
      return { kind: 'refused', message: `apiVersion ${apiVersion} is not served for ${kind}` }
    const request = new Request(`http://server${pathOf(resource, object)}?dryRun=All&fieldValidation=Strict`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: wireJson(object),
    })
    const response = await handleFetch(this.#server, request)
    const answer: unknown = parseExactly(await response.text())
    if (!isJsonObject(answer)) throw new TypeError(`the API server answers ${response.status} without an object`)
    if (response.ok) return { kind: 'taken', object: answer }
    return { kind: 'refused', message: String(answer.message) }
  }
}

function pathOf({ group, version, plural, isNamespaced }: ServedResource, { metadata }: JsonObject): string {
  const base = `/apis/${group}/${version}`
  if (!isNamespaced) return `${base}/${plural}`
  const namespace = isJsonObject(metadata) && typeof metadata.namespace === 'string' ? metadata.namespace : ''
  return `${base}/namespaces/${encodeURIComponent(namespace === '' ? 'default' : namespace)}/${plural}`
}
