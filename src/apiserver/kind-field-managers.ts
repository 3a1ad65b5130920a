// Field managers of the served kinds: one for each endpoint of each resource.
// The first write creates it, because compiling the types of a kind is expensive.
import { deepEqual, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { FieldManager } from './field-manager.ts'
import { applyConfiguration, recordUpdate } from './merge/field-manager.ts'
import { managedFieldsOf, withManagedFields } from './merge/managed-fields.ts'
import { ManagedKind, type OtherVersion } from './merge/managed-kind.ts'
import { ScaleAccount } from './merge/scale-account.ts'
import { apiVersionOf } from './object-form.ts'
import { type ServedResource, stepsOf } from './strategy.ts'

export class KindFieldManagers {
  readonly #all: () => readonly ServedResource[]
  readonly #made = new WeakMap<ServedResource, Map<string, FieldManager>>()

  /** `all` returns the served resources, to find the other versions of a kind. */
  constructor(all: () => readonly ServedResource[]) {
    this.#all = all
  }

  of(resource: ServedResource, subresource: string): FieldManager {
    const made = this.#made.get(resource) ?? new Map<string, FieldManager>()
    this.#made.set(resource, made)
    const known = made.get(subresource) ?? this.#make(resource, subresource)
    made.set(subresource, known)
    return known
  }

  #make(resource: ServedResource, subresource: string): FieldManager {
    const { kind, strategy, shelf } = resource
    const others = this.#all().filter((other) => other.shelf === shelf && other !== resource && other.kind === kind)
    const of = new ManagedKind({
      apiVersion: apiVersionOf(resource),
      schema: strategy.schema,
      resetFields: resetFieldsOf(resource, subresource),
      kind,
      subresource,
      otherVersions: others.map((other) => ({
        ...otherVersion(resource, other),
        resetFields: resetFieldsOf(other, subresource),
      })),
    })
    const scale = subresource === 'scale' ? this.#scaleAccount(resource, [resource, ...others]) : undefined
    return {
      recordUpdate: (live, updated, manager, timestamp) =>
        scale === undefined || live === undefined
          ? recordUpdate({ of, live, updated, manager, timestamp })
          : scale.record({ live, scaled: updated, manager, timestamp }),
      apply: (request) => applyConfiguration({ of, ...request }),
      withoutMereTimes,
    }
  }

  #scaleAccount(resource: ServedResource, versions: readonly ServedResource[]): ScaleAccount {
    const replicasIn = new Map(
      versions.map((version) => [apiVersionOf(version), version.scale?.specReplicas ?? ('none' as const)]),
    )
    return new ScaleAccount(
      apiVersionOf(resource),
      (apiVersion) => replicasIn.get(apiVersion),
      (object) => replicasAt(object, resource),
    )
  }
}

function replicasAt(object: JsonObject, { scale }: ServedResource): number | undefined {
  const found = scale?.specReplicas.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? own(value, key) : undefined),
    object,
  )
  return typeof found === 'number' ? found : undefined
}

function resetFieldsOf({ strategy }: ServedResource, subresource: string): OtherVersion['resetFields'] {
  return stepsOf(strategy, subresource).resetFields
}

function otherVersion(resource: ServedResource, other: ServedResource): Omit<OtherVersion, 'resetFields'> {
  const between = (from: ServedResource, to: ServedResource) => (object: JsonObject) => {
    const stored = from.toStored?.(object) ?? object
    return to.fromStored?.(stored) ?? stored
  }
  return {
    apiVersion: apiVersionOf(other),
    schema: other.strategy.schema,
    fromCurrent: between(resource, other),
    toCurrent: between(other, resource),
  }
}

/** Source: IgnoreManagedFieldsTimestampsTransformer in k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go. */
function withoutMereTimes(object: JsonObject, live: JsonObject): JsonObject {
  const [now, before] = [managedFieldsOf(object), managedFieldsOf(live)]
  if (now === before || now === undefined || before === undefined || now.length !== before.length) return object
  const isSameButForTime = now.every((entry, index) => deepEqual(timeless(entry), timeless(before[index] ?? {})))
  if (!isSameButForTime) return object
  const settled = withManagedFields(object, before)
  return deepEqual(settled, live) ? settled : object
}

function timeless(entry: JsonObject): JsonObject {
  const { time: _, ...rest } = isJsonObject(entry) ? entry : {}
  return rest
}
