// Client of a controller for the objects of one kind, by namespace and name or by an object that was just read.
// A kind that is not served has no objects.
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

  /** Returns the objects in order of their names. */
  list(namespace?: string): readonly JsonObject[] {
    const resource = this.#found()
    return resource === undefined ? [] : this.#client.list(resource, namespace)
  }

  /** Returns the objects that an owner controls. */
  controlledBy(uid: string): readonly JsonObject[] {
    return this.#find({ controller: uid })
  }

  /**
   * Returns a superset of the objects that the chooser's selector matches: all with the first label of the selector.
   */
  perhapsChosenBy(chooser: JsonObject): readonly JsonObject[] {
    const namespace = metadataText(chooser, 'namespace')
    const [pair] = pairsOf(mapAt(structAt(chooser, 'spec'), 'selector'))
    return pair === undefined ? this.list(namespace) : this.labelled(namespace, ...pair)
  }

  labelled(namespace: string, label: string, value: string): readonly JsonObject[] {
    return this.#find({ label, value, namespace })
  }

  /**
   * Returns a superset of the objects whose selector matches `object`: the first label of the selector fits, or it has
   * none.
   */
  perhapsChoosing(object: JsonObject): readonly JsonObject[] {
    const namespace = metadataText(object, 'namespace')
    const pairs = Object.entries(labelsOf(object))
    return [undefined, ...pairs].flatMap((asksFor) => this.#find({ asksFor, namespace }))
  }

  /** Returns the objects that an owner controls, and a superset of the orphans that its selector matches. */
  candidatesOf(owner: JsonObject): readonly JsonObject[] {
    const chosen = this.perhapsChosenBy(owner)
    const controlled = this.controlledBy(metadataText(owner, 'uid'))
    return [...controlled, ...chosen.filter((one) => ownersOf(one).every(({ isController }) => !isController))]
  }

  /** Returns the volumes that are reserved for a claim, and the unclaimed ones. */
  volumesFor(claim: string): readonly JsonObject[] {
    return [...this.#find({ claim }), ...this.#find({ claim: '' })]
  }

  get(namespace: string, name: string): JsonObject | undefined {
    const resource = this.#found()
    return resource === undefined ? undefined : this.#client.get({ resource, namespace, name })
  }

  /** Returns the object with the key `namespace/name`, or `name` at cluster scope. */
  at(key: string): JsonObject | undefined {
    const slash = key.indexOf('/')
    return this.get(key.slice(0, Math.max(0, slash)), key.slice(slash + 1))
  }

  /** Throws StatusError. */
  create(namespace: string, object: JsonObject): JsonObject {
    return this.#client.create(this.#served(), namespace, object)
  }

  /** Writes the result of `change` on the live object; throws StatusError. */
  update(object: JsonObject, change: Change): JsonObject {
    return this.#client.update(this.#target(object), change)
  }

  updateStatus(object: JsonObject, change: Change): JsonObject {
    return this.#client.updateStatus(this.#target(object), change)
  }

  /** Writes through a subresource with the given steps, without an entry in managedFields. */
  updateUnrecorded(object: JsonObject, subresource: string, steps: Steps, change: Change): JsonObject {
    return this.#client.updateUnrecorded(this.#target(object), subresource, steps, change)
  }

  /** Deletes exactly this object: the precondition is its uid. */
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
