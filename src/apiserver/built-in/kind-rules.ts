// Rules of one built-in kind apart from its schema: its defaults and the steps of its Strategy. This file has the steps
// that most kinds
// share: only the status subresource writes the status, and a changed spec increments the generation.
// Source of the shared steps: k8s.io/kubernetes/pkg/registry/*/*/strategy.go.
import { deepEqual, type Json, type JsonObject } from '../../base/json.ts'
import type { FieldError } from '../field-error.ts'
import type { NameRule } from '../name-rules.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts'
import type { Steps, Strategy } from '../strategy.ts'
import { integerAt, mapAt, valueAt, withField, withoutField } from './field-walk.ts'

/** A Strategy without the parts of the codec: the schema and the decoding of bodies. */
export interface KindRules extends Omit<Strategy, 'schema' | 'decode'> {
  /** Returns the decoded object with its defaults. Only adds fields. */
  setDefaults(object: JsonObject): JsonObject
  /**
   * True for a body whose spec never equals a stored one, because the kind distinguishes empty lists and maps from
   * absent ones.
   */
  isUnlikeStored?(body: JsonObject): boolean
}

/** Default steps of a kind. */
export const usualRules = {
  setDefaults: unchanged,
  prepareForCreate: unchanged,
  prepareForUpdate: unchanged,
  warningsOnCreate: noWarnings,
  warningsOnUpdate: noWarnings,
  resetFields: [],
  status: undefined,
  allowsUnconditionalUpdate: true,
  createsOnUpdate: false,
  selectableFields: () => ({}),
  gracePeriodSeconds: () => undefined,
  defaultPropagation: 'Background',
  warningsOnDelete: noWarnings,
  returnsDeletedObject: false,
} as const satisfies Partial<KindRules>

/** Returns the steps of a status subresource that keeps the spec and validates only the status. */
export function statusSteps(validate: (object: JsonObject, old: JsonObject) => readonly FieldError[]): Steps {
  return {
    prepareForUpdate: (object, old) => keepField(object, old, 'spec'),
    validateUpdate: validate,
    warningsOnUpdate: noWarnings,
    resetFields: [['spec']],
  }
}

/** Fields that a write through the main endpoint never owns, for a kind with a status. */
export const statusIsReset = [['status']] as const

/** Returns a new object: `emptyStatus` is the kind's initial status. */
export function asNew(object: JsonObject, emptyStatus: JsonObject): JsonObject {
  return withGeneration(withField(object, 'status', emptyStatus), 1)
}

/** Keeps the stored status; increments the generation if the spec changed. */
export function keepStatus(object: JsonObject, old: JsonObject): JsonObject {
  return nextGenerationIf(isSpecChanged(object, old), keepField(object, old, 'status'), old)
}

export function isSpecChanged(object: JsonObject, old: JsonObject): boolean {
  return !deepEqual(valueAt(object, 'spec'), valueAt(old, 'spec'))
}

/** Returns `object` with one field from `old`; absent if it is absent there. */
export function keepField(object: JsonObject, old: JsonObject, key: string): JsonObject {
  const value = valueAt(old, key)
  return value === undefined ? withoutField(object, key) : withField(object, key, value)
}

export function nextGenerationIf(isChanged: boolean, object: JsonObject, old: JsonObject): JsonObject {
  return isChanged ? withGeneration(object, integerAt(mapAt(old, 'metadata'), 'generation') + 1) : object
}

/** True if the previous steps incremented the generation. Only then does the server return warnings about the pods. */
export function isGenerationChanged(object: JsonObject, old: JsonObject): boolean {
  return integerAt(mapAt(object, 'metadata'), 'generation') !== integerAt(mapAt(old, 'metadata'), 'generation')
}

export function withGeneration(object: JsonObject, generation: number): JsonObject {
  return withField(object, 'metadata', withField(mapAt(object, 'metadata'), 'generation', generation))
}

/** Returns the errors of a new object's metadata. */
export function newMetadataErrors(
  object: JsonObject,
  validateName: NameRule,
  isNamespaced = true,
): readonly FieldError[] {
  return validateObjectMeta({ metadata: mapAt(object, 'metadata'), isNamespaced, validateName, field: 'metadata' })
}

/** Returns the errors of changed metadata. */
export function changedMetadataErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  return validateObjectMetaUpdate(mapAt(object, 'metadata'), mapAt(old, 'metadata'))
}

/** Rejects the change of an immutable field; `shown` is the server's printed form of the new value. */
export function immutableErrors(
  value: Json | undefined,
  old: Json | undefined,
  { path, shown }: { readonly path: string; readonly shown: () => Json },
): readonly FieldError[] {
  if (deepEqual(value, old)) return []
  return [{ type: 'FieldValueInvalid', field: path, value: shown(), detail: 'field is immutable' }]
}

function unchanged(object: JsonObject): JsonObject {
  return object
}

function noWarnings(): readonly string[] {
  return []
}
