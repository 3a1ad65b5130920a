// Rules for the Secret of a user: no keys of the operator's own domains, and at most the size of a Secret. A violation
// leaves the Secret unchanged. Pure.
import type { DatabaseUserSpec } from '../../../imports/wire/database-user.ts'
import { reservedKeyRejection } from '../references/reserved-keys.ts'
import { type BindingInput, bindingSize, largestBinding } from './binding-secret.ts'
import type { Problem } from './user-target.ts'

/** Only users with rights on Secrets can consent; a resource cannot. */
const openingAdvice = '. To open the Secret to a kind, label it with kubectl label secret'

export function reservedKeyProblem({ labels, annotations }: DatabaseUserSpec['secret']): Problem | undefined {
  const fields = { 'spec.secret.labels': labels, 'spec.secret.annotations': annotations }
  const rejection = reservedKeyRejection(fields, openingAdvice)
  return rejection === undefined ? undefined : { kind: 'refused', ...rejection }
}

export function sizeProblem(name: string, input: BindingInput): Problem | undefined {
  const { bytes, longest } = bindingSize(input)
  if (bytes <= largestBinding) return undefined
  const remedy = longest.isTemplate
    ? 'shorten spec.secret.template'
    : 'leave certificates out of the Secret that the Database names'
  const message = `Secret ${name} would hold ${bytes} bytes, and the most is ${largestBinding}; ${longest.key} alone would have ${longest.bytes}: ${remedy}`
  return { kind: 'refused', reason: 'SecretTooLarge', message }
}

/** Reasons that concern only the Secret. */
export const secretReasons: ReadonlySet<string> = new Set(['NameConflict', 'ReservedKey', 'SecretTooLarge'])
