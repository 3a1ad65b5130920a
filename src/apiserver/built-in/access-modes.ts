// Validation of the access modes of claims and volumes.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { forbidden } from '../field-error.ts'
import { validateChoice, validateOptionalChoice } from './choice-rules.ts'
import { type FieldErrors, optionalTextAt, textsAt } from './field-walk.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

export function validateAccessModes(spec: JsonObject, field: string): FieldErrors {
  const modes = textsAt(spec, 'accessModes')
  const isAlone = !modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  return [
    ...modes.flatMap((mode) => validateChoice(mode, field, accessModes)),
    ...(modes.includes('ReadWriteOncePod') && !isAlone
      ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ]
}

export function validateVolumeMode(spec: JsonObject, field: string): FieldErrors {
  return validateOptionalChoice(optionalTextAt(spec, 'volumeMode'), field, ['Block', 'Filesystem'])
}
