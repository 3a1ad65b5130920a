// Defaults that the API server set for an earlier declaration and forbids in the new one. A Deployment that becomes
// `Recreate` keeps the `rollingUpdate` of its default strategy, and every apply is rejected. The value is never
// declared, so no apply removes it.
// Pure. Invariant: it removes only fields that no manager owns, below a declared map, and that the API server names as
// forbidden.
import { isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import { fieldSetOf } from '../diff/field-set.ts'
import type { StatusCause } from '../kube/kube-errors.ts'
import { asJson, type KubeObject, type LiveObject } from '../object/object.ts'

/**
 * Returns the operations that set the declared map without the forbidden default; empty without a contradiction. `live`
 * must have all its managedFields.
 */
export function contradictedDefaults(
  desired: KubeObject,
  live: LiveObject,
  causes: readonly StatusCause[],
): readonly JsonPatchOperation[] {
  const parents = new Map<string, JsonObject>()
  for (const { reason, field } of causes) {
    if (reason !== 'FieldValueForbidden' || !/^[\w-]+(\.[\w-]+)+$/.test(field)) continue
    const steps = field.split('.')
    const name = steps.pop() ?? ''
    const pointer = `/${steps.join('/')}`
    const [declared, found] = [valueAt(asJson(desired), steps), parents.get(pointer) ?? valueAt(asJson(live), steps)]
    if (!isJsonObject(declared) || !isJsonObject(found)) continue
    const isDefault =
      own(declared, name) === undefined && own(found, name) !== undefined && !isOwned(live, [...steps, name])
    if (!isDefault) continue
    const { [name]: _, ...left } = found
    parents.set(pointer, { ...left, ...declared })
  }
  return [...parents].map(([path, value]) => ({ op: 'replace', path, value }))
}

function valueAt(object: JsonObject, steps: readonly string[]): Json | undefined {
  return steps.reduce((value: Json | undefined, step) => (isJsonObject(value) ? own(value, step) : undefined), object)
}

/** True if any manager owns the field, as a whole or in part. */
function isOwned({ metadata: { managedFields = [] } }: LiveObject, steps: readonly string[]): boolean {
  return managedFields.some(({ fieldsV1, subresource = '' }) => {
    if (fieldsV1 === undefined || subresource !== '') return false
    let set: ReturnType<typeof fieldSetOf> | undefined = fieldSetOf(fieldsV1)
    for (const step of steps) {
      if (set?.grain === 'whole' && set.isMember) return true
      set = set?.field(step)
    }
    return set !== undefined && !set.isEmpty
  })
}
