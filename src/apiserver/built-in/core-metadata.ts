// Validation of metadata in core groups: a finalizer without a domain must be one of Kubernetes.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateObjectMeta, ValidateObjectMetaUpdate).
import type { JsonObject } from '../../base/json.ts'
import { invalid } from '../field-error.ts'
import type { NameRule } from '../name-rules.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts'
import { eachItem, type FieldErrors, noErrors, textsAt } from './field-walk.ts'

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

export interface NameRules {
  readonly isNamespaced: boolean
  readonly validateName: NameRule
}

export function validateCoreMetadata(metadata: JsonObject, rules: NameRules): FieldErrors {
  return [...validateObjectMeta({ metadata, ...rules, field: 'metadata' }), ...finalizersErrors(metadata)]
}

export function validateCoreMetadataUpdate(metadata: JsonObject, old: JsonObject): FieldErrors {
  return [...validateObjectMetaUpdate(metadata, old), ...finalizersErrors(metadata)]
}

function finalizersErrors(metadata: JsonObject): FieldErrors {
  return eachItem(textsAt(metadata, 'finalizers'), 'metadata.finalizers', (finalizer, path) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? noErrors
      : [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')],
  )
}
