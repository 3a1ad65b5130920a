// Policies that cannot do what they say: those for a part of a value that the API server takes as one, such as a selector or a list of
// tolerations. An apply that leaves the part out deletes it. Only the record of what we own tells where that is so.
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
 * The error where the next apply would delete what a policy leaves alone; undefined where all policies hold. `recorded` is the object with the
 * records of ownership that count: a map that was once declared as `{}` has the record of an atomic value, until a dry run of the next apply
 * tells which of the two it is.
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

/** Where a value that is ours as one, and that we go on declaring, holds something that the steps select. */
function valueInTheWay({ owned, live, lasting, path }: Place, steps: readonly SelectorStep[]): FieldPath | undefined {
  const [step, ...rest] = steps
  if (step === undefined || live === undefined || lasting === undefined) return undefined
  if (owned.grain === 'whole') {
    // An empty struct may as well be ours only in that it is there.
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
