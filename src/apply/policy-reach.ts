// Policies without effect. They select a part of a value that the API server merges as one, such as a selector or a
// list of tolerations. An apply without that part deletes it. Only the manager's own managedFields entry shows such
// values.
import { CodedError } from '../base/errors.ts'
import { isJsonObject, type Json } from '../base/json.ts'
import { type FieldPath, renderPath, valueAtPath } from '../diff/field-path.ts'
import { FieldSet } from '../diff/field-set.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import { isEmpty } from '../diff/vacant.ts'
import { asJson, type LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { SelectorStep } from '../synth/field-selector.ts'
import { withoutField } from '../synth/field-selector.ts'
import { isMeant } from './selected-fields.ts'

/**
 * Returns the error if the next apply would delete fields that a policy protects; undefined if all policies hold.
 * `recorded` is the object with the decisive managedFields. A map that was once declared as `{}` has the entry of an
 * atomic value. A dry run of the next apply shows its real type.
 */
export function policyOutOfReach(
  desired: DesiredObject,
  { live, recorded }: { readonly live: LiveObject; readonly recorded: LiveObject },
  manager: string,
): CodedError<'PolicyOutOfReach'> | undefined {
  const { lasting, policies, constructPath } = desired
  const owned = ownedFieldsOf(recorded, manager) ?? FieldSet.empty
  for (const { text, steps } of [...policies.shared, ...policies.initialOnly]) {
    const whole = valueInTheWay({ owned, live: asJson(live), lasting: asJson(lasting), path: [] }, steps)
    if (whole === undefined) continue
    const message = `${describeRef(refOf(live))}: the policy for ${text} on construct ${constructPath} cannot hold, because the API server takes ${renderPath(whole)} as one value; name all of that in the policy, or nothing of it`
    return new CodedError({ code: 'PolicyOutOfReach', message, remedy: 'stop' })
  }
  return undefined
}

interface Place {
  readonly owned: FieldSet
  readonly live: Json | undefined
  readonly lasting: Json | undefined
  readonly path: FieldPath
}

/** Returns the path of a value that is owned as one, still declared, and contains a selected field. */
function valueInTheWay({ owned, live, lasting, path }: Place, steps: readonly SelectorStep[]): FieldPath | undefined {
  const [step, ...rest] = steps
  if (step === undefined || live === undefined || lasting === undefined) return undefined
  if (owned.grain === 'whole') {
    // An empty struct may be owned only in its presence.
    const isDeclared = !(isJsonObject(lasting) && isEmpty(lasting))
    return owned.isMember && isDeclared && withoutField(live, { text: '', steps }) !== live ? path : undefined
  }
  for (const { element, set } of owned.children.values()) {
    const value = valueAtPath(live, [element])
    if (!isMeant(element, value, step)) continue
    const below = { owned: set, live: value, lasting: valueAtPath(lasting, [element]), path: [...path, element] }
    const found = valueInTheWay(below, rest)
    if (found !== undefined) return found
  }
  return undefined
}
