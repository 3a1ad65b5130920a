// How does a controller reach the objects of one kind? By namespace and name, or by the object that it has just read; a kind
// that is not served has no objects.
import { assert } from '../../../base/assert.ts'
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, structAt } from '../../built-in/field-walk.ts'
import type { DeleteOptions } from '../../delete-options.ts'
import { labelsOf, metadataText } from '../../metadata.ts'
import { pairsOf, type Term } from '../../object-index.ts'
import { ownersOf } from '../../owner-references.ts'
import type { ServedResource, Steps } from '../../strategy.ts'
import type { SystemClient, Target } from '../../system-client.ts'

type Change = (live: JsonObject) => JsonObject

export class KindClient {
  readonly apiVersion: string
  readonly kind: string
  readonly #client: SystemClient
  #resource: ServedResource | undefined

  constructor(client: SystemClient, apiVersion: string, kind: string) {
    this.#client = client
    this.apiVersion = apiVersion
    this.kind = kind
  }

  /** In the order of their names. */
  list(namespace?: string): readonly JsonObject[] {
    const resource = this.#found()
    return resource === undefined ? [] : this.#client.list(resource, namespace)
  }

  /** What an owner controls. */
  controlledBy(uid: string): readonly JsonObject[] {
    return this.#find({ controller: uid })
  }

  /** At least those that an object's selector chooses: all with the first label that it asks for. */
  perhapsChosenBy(chooser: JsonObject): readonly JsonObject[] {
    const namespace = metadataText(chooser, 'namespace')
    const [pair] = pairsOf(mapAt(structAt(chooser, 'spec'), 'selector'))
    return pair === undefined ? this.list(namespace) : this.labelled(namespace, ...pair)
  }

  labelled(namespace: string, label: string, value: string): readonly JsonObject[] {
    return this.#find({ label, value, namespace })
  }

  /** At least those whose selector chooses an object: each that asks for one of its labels first, or for none. */
  perhapsChoosing(object: JsonObject): readonly JsonObject[] {
    const namespace = metadataText(object, 'namespace')
    const pairs = Object.entries(labelsOf(object))
    return [undefined, ...pairs].flatMap((asksFor) => this.#find({ asksFor, namespace }))
  }

  /** What an owner controls, and at least the orphans that its selector chooses. */
  candidatesOf(owner: JsonObject): readonly JsonObject[] {
    const chosen = this.perhapsChosenBy(owner)
    const controlled = this.controlledBy(metadataText(owner, 'uid'))
    return [...controlled, ...chosen.filter((one) => ownersOf(one).every(({ isController }) => !isController))]
  }

  /** Volumes that are kept for a claim, and those that are for nobody yet. */
  volumesFor(claim: string): readonly JsonObject[] {
    return [...this.#find({ claim }), ...this.#find({ claim: '' })]
  }

  get(namespace: string, name: string): JsonObject | undefined {
    const resource = this.#found()
    return resource === undefined ? undefined : this.#client.get({ resource, namespace, name })
  }

  /** The object that `key` names: `namespace/name`, or the name alone. */
  at(key: string): JsonObject | undefined {
    const slash = key.indexOf('/')
    return this.get(key.slice(0, Math.max(0, slash)), key.slice(slash + 1))
  }

  /** Throws StatusError. */
  create(namespace: string, object: JsonObject): JsonObject {
    return this.#client.create(this.#served(), namespace, object)
  }

  /** Writes what `change` makes of the object as it is now; throws StatusError. */
  update(object: JsonObject, change: Change): JsonObject {
    return this.#client.update(this.#target(object), change)
  }

  updateStatus(object: JsonObject, change: Change): JsonObject {
    return this.#client.updateStatus(this.#target(object), change)
  }

  /** Through an endpoint whose steps are given, and recorded for no manager. */
  updateUnrecorded(object: JsonObject, subresource: string, steps: Steps, change: Change): JsonObject {
    return this.#client.updateUnrecorded(this.#target(object), subresource, steps, change)
  }

  /** Deletes this very object, not another of its name. */
  delete(object: JsonObject, options: Partial<DeleteOptions> = {}): void {
    const preconditions = { uid: metadataText(object, 'uid') }
    this.#client.delete(this.#target(object), { preconditions, ...options })
  }

  #find(term: Term): readonly JsonObject[] {
    const resource = this.#found()
    return resource === undefined ? [] : this.#client.find(resource, term)
  }

  #target(object: JsonObject): Target {
    return {
      resource: this.#served(),
      namespace: metadataText(object, 'namespace'),
      name: metadataText(object, 'name'),
    }
  }

  #served(): ServedResource {
    const resource = this.#found()
    assert(resource !== undefined, `${this.kind} of ${this.apiVersion} is served`)
    return resource
  }

  #found(): ServedResource | undefined {
    this.#resource ??= this.#client.resource(this.apiVersion, this.kind)
    return this.#resource
  }
}

export function keyOf(object: JsonObject): string {
  return `${metadataText(object, 'namespace')}/${metadataText(object, 'name')}`
}
