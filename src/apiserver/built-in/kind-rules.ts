// What is particular to one built-in kind, apart from its schema? Each kind gives its defaults and the steps of its
// Strategy; what most of them share (the status that only its endpoint writes, the generation) is said here once.
// Source of the shared steps: k8s.io/kubernetes/pkg/registry/*/*/strategy.go.
import { deepEqual, type Json, type JsonObject } from '../../base/json.ts'
import type { FieldError } from '../field-error.ts'
import type { NameRule } from '../name-rules.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts'
import type { Steps, Strategy } from '../strategy.ts'
import { integerAt, mapAt, valueAt, withField, withoutField } from './field-walk.ts'

/** A Strategy without what the codec adds: the schema, and the reading of bodies. */
export interface KindRules extends Omit<Strategy, 'schema' | 'decode'> {
  /** The object with its defaults, as it comes out of decoding. Only ever adds. */
  setDefaults(object: JsonObject): JsonObject
  /** True for a body whose spec is never equal to a stored one, because the kind tells empty lists and maps from absent ones. */
  isUnlikeStored?(body: JsonObject): boolean
}

/** What a kind does unless it says otherwise. */
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

/** The steps of a status endpoint that keeps the spec and judges the status alone. */
export function statusSteps(validate: (object: JsonObject, old: JsonObject) => readonly FieldError[]): Steps {
  return {
    prepareForUpdate: (object, old) => keepField(object, old, 'spec'),
    validateUpdate: validate,
    warningsOnUpdate: noWarnings,
    resetFields: [['spec']],
  }
}

/** What a write through the main endpoint never owns, of a kind that has a status. */
export const statusIsReset = [['status']] as const

/** A new object: `emptyStatus` is how the kind shows one that nobody has written yet. */
export function asNew(object: JsonObject, emptyStatus: JsonObject): JsonObject {
  return withGeneration(withField(object, 'status', emptyStatus), 1)
}

/** The write keeps the stored status, and counts as a new generation where it changes the spec. */
export function keepStatus(object: JsonObject, old: JsonObject): JsonObject {
  return nextGenerationIf(isSpecChanged(object, old), keepField(object, old, 'status'), old)
}

export function isSpecChanged(object: JsonObject, old: JsonObject): boolean {
  return !deepEqual(valueAt(object, 'spec'), valueAt(old, 'spec'))
}

/** `object` with one field as it is in `old`, absent where it is absent there. */
export function keepField(object: JsonObject, old: JsonObject, key: string): JsonObject {
  const value = valueAt(old, key)
  return value === undefined ? withoutField(object, key) : withField(object, key, value)
}

export function nextGenerationIf(isChanged: boolean, object: JsonObject, old: JsonObject): JsonObject {
  return isChanged ? withGeneration(object, integerAt(mapAt(old, 'metadata'), 'generation') + 1) : object
}

/** Did the steps before count a new generation? Only then are the pods warned of. */
export function isGenerationChanged(object: JsonObject, old: JsonObject): boolean {
  return integerAt(mapAt(object, 'metadata'), 'generation') !== integerAt(mapAt(old, 'metadata'), 'generation')
}

export function withGeneration(object: JsonObject, generation: number): JsonObject {
  return withField(object, 'metadata', withField(mapAt(object, 'metadata'), 'generation', generation))
}

/** The faults of a new object's metadata. */
export function newMetadataErrors(
  object: JsonObject,
  validateName: NameRule,
  isNamespaced = true,
): readonly FieldError[] {
  return validateObjectMeta({ metadata: mapAt(object, 'metadata'), isNamespaced, validateName, field: 'metadata' })
}

/** The faults of changed metadata. */
export function changedMetadataErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  return validateObjectMetaUpdate(mapAt(object, 'metadata'), mapAt(old, 'metadata'))
}

/** A field that an update may not change; `shown` is how the server prints the new value. */
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
