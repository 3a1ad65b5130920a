// Can a policy do what it says? Not inside a value that the API server takes as one, such as a selector or a list of tolerations:
// an apply that leaves a part of it out deletes that part. Only the record of what we own tells where that is so.
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

/** Throws a CodedError `PolicyOutOfReach` where the next apply would delete what a policy leaves alone. */
export function assertPoliciesHold(desired: DesiredObject, live: LiveObject, manager: string): void {
  const { lasting, policies, constructPath } = desired
  const owned = ownedFieldsOf(live, manager) ?? FieldSet.empty
  for (const { text, steps } of [...policies.shared, ...policies.initialOnly]) {
    const whole = valueInTheWay({ owned, live: asJson(live), lasting: asJson(lasting), path: [] }, steps)
    if (whole === undefined) continue
    const message = `${describeRef(refOf(live))}: the policy for ${text} on construct ${constructPath} cannot hold, because the API server takes ${renderPath(whole)} as one value; name all of that in the policy, or nothing of it`
    throw new CodedError({ code: 'PolicyOutOfReach', message, remedy: 'stop' })
  }
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
