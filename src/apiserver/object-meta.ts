// Validation of object metadata. All kinds share the rules except the rule for names.
// Sources: k8s.io/apimachinery/pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation/validation.go.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { type FieldError, forbidden, goQuoted, invalid, required, tooLong } from './field-error.ts'
import { byteLength, dnsLabelName, labelKeyFaults, labelValueFaults, type NameRule } from './name-rules.ts'

export interface ObjectMetaRules {
  readonly metadata: JsonObject
  readonly isNamespaced: boolean
  readonly validateName: NameRule
  /** Path of the metadata: `metadata`, or `spec.template.metadata`. */
  readonly field: string
}

const annotationsLimitBytes = 256 * 1024
const maxManagerBytes = 128
const maxSubresourceBytes = 256

/** Validates metadata on create, after name generation. */
export function validateObjectMeta({ metadata, isNamespaced, validateName, field }: ObjectMetaRules): FieldError[] {
  const generateName = textAt(metadata, 'generateName')
  const name = textAt(metadata, 'name')
  const generateNameErrors =
    generateName === '' ? [] : invalids(`${field}.generateName`, generateName, validateName(generateName, true))
  const nameErrors =
    name === ''
      ? [required(`${field}.name`, 'name or generateName is required')]
      : invalids(`${field}.name`, name, validateName(name, false))
  return [
    ...generateNameErrors,
    ...nameErrors,
    ...namespaceErrors(textAt(metadata, 'namespace'), isNamespaced, `${field}.namespace`),
    ...nonNegative(integerAt(metadata, 'generation'), `${field}.generation`),
    ...validateLabels(own(metadata, 'labels'), `${field}.labels`),
    ...validateAnnotations(own(metadata, 'annotations'), `${field}.annotations`),
    ...ownerReferencesErrors(own(metadata, 'ownerReferences'), `${field}.ownerReferences`),
    ...finalizersErrors(textsAt(metadata, 'finalizers'), `${field}.finalizers`),
    ...managedFieldsErrors(own(metadata, 'managedFields'), `${field}.managedFields`),
  ]
}

/** Validates metadata on update; `old` is the stored metadata. */
export function validateObjectMetaUpdate(metadata: JsonObject, old: JsonObject, field = 'metadata'): FieldError[] {
  const resourceVersion = textAt(metadata, 'resourceVersion')
  const generation = integerAt(metadata, 'generation')
  const immutable = (key: string, read: (from: JsonObject, key: string) => Json): FieldError[] =>
    validateImmutable(read(metadata, key), read(old, key), `${field}.${key}`)
  return [
    ...newFinalizersErrors(metadata, old, `${field}.finalizers`),
    ...(resourceVersion === ''
      ? [invalid(`${field}.resourceVersion`, resourceVersion, 'must be specified for an update')]
      : []),
    ...(generation < integerAt(old, 'generation')
      ? [invalid(`${field}.generation`, generation, 'must not be decremented')]
      : []),
    ...immutable('name', textAt),
    ...immutable('namespace', textAt),
    ...immutable('uid', textAt),
    ...immutable('creationTimestamp', presentOrNull),
    ...immutable('deletionTimestamp', presentOrNull),
    ...immutable('deletionGracePeriodSeconds', presentOrNull),
    ...validateLabels(own(metadata, 'labels'), `${field}.labels`),
    ...validateAnnotations(own(metadata, 'annotations'), `${field}.annotations`),
    ...ownerReferencesErrors(own(metadata, 'ownerReferences'), `${field}.ownerReferences`),
    ...managedFieldsErrors(own(metadata, 'managedFields'), `${field}.managedFields`),
  ]
}

/** Validates an immutable value. The caller passes an absent value as the null or '' that upstream compares. */
export function validateImmutable(value: Json, old: Json, field: string): FieldError[] {
  return deepEqual(value, old) ? [] : [invalid(field, value, 'field is immutable')]
}

export function nonNegative(value: number | bigint, field: string): FieldError[] {
  return value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []
}

/** Validates labels. Anything but a map of strings counts as no labels, as in upstream's accessor. */
export function validateLabels(labels: Json | undefined, field: string): FieldError[] {
  return textEntries(labels).flatMap(([key, value]) => [
    ...invalids(field, key, labelKeyFaults(key)),
    ...invalids(field, value, labelValueFaults(value)),
  ])
}

export function validateAnnotations(annotations: Json | undefined, field: string): FieldError[] {
  const entries = textEntries(annotations)
  const keyErrors = entries.flatMap(([key]) => invalids(field, key, labelKeyFaults(key.toLowerCase())))
  const sizeBytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  return sizeBytes > annotationsLimitBytes ? [...keyErrors, tooLong(field, annotationsLimitBytes)] : keyErrors
}

/** Returns one field error for each fault of a value. */
export function invalids(field: string, value: string, faults: readonly string[]): FieldError[] {
  return faults.map((fault) => invalid(field, value, fault))
}

function namespaceErrors(namespace: string, isNamespaced: boolean, field: string): FieldError[] {
  if (!isNamespaced) return namespace === '' ? [] : [forbidden(field, 'not allowed on this type')]
  return namespace === '' ? [required(field)] : invalids(field, namespace, dnsLabelName(namespace, false))
}

function ownerReferencesErrors(references: Json | undefined, field: string): FieldError[] {
  if (!isJsonList(references) || !references.every(isJsonObject)) return []
  const typed = references.map(typedReference)
  const errors: FieldError[] = []
  let controller = ''
  for (const reference of typed) {
    errors.push(...ownerReferenceErrors(reference, field))
    if (own(reference, 'controller') !== true) continue
    const name = `${textAt(reference, 'kind')}/${textAt(reference, 'name')}`
    if (controller === '') controller = name
    else
      errors.push(
        invalid(
          field,
          typed,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      )
  }
  return errors
}

/** Returns the known fields of a reference, in upstream's print order. */
function typedReference(reference: JsonObject): JsonObject {
  const flag = (key: string): JsonObject => {
    const value = own(reference, key)
    return typeof value === 'boolean' ? { [key]: value } : {}
  }
  return {
    apiVersion: textAt(reference, 'apiVersion'),
    kind: textAt(reference, 'kind'),
    name: textAt(reference, 'name'),
    uid: textAt(reference, 'uid'),
    ...flag('controller'),
    ...flag('blockOwnerDeletion'),
  }
}

function ownerReferenceErrors(reference: JsonObject, field: string): FieldError[] {
  const apiVersion = textAt(reference, 'apiVersion')
  const isEmptyOf = (key: string): FieldError[] =>
    textAt(reference, key) === '' ? [invalid(`${field}.${key}`, '', 'must not be empty')] : []
  const isEvent = apiVersion === 'v1' && textAt(reference, 'kind') === 'Event'
  return [
    ...(versionOf(apiVersion) === '' ? [invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty')] : []),
    ...isEmptyOf('kind'),
    ...isEmptyOf('name'),
    ...isEmptyOf('uid'),
    ...(isEvent ? [invalid(field, reference, '/v1, Kind=Event is disallowed from being an owner')] : []),
  ]
}

/** Returns the version of `group/version`; '' if there is more than one slash. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/')
  return parts.length > 2 ? '' : (parts.at(-1) ?? '')
}

function finalizersErrors(finalizers: readonly string[], field: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) => invalids(field, finalizer, labelKeyFaults(finalizer)))
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return errors
  return [...errors, invalid(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')]
}

/** Rejects new finalizers on a terminating object. */
function newFinalizersErrors(metadata: JsonObject, old: JsonObject, field: string): FieldError[] {
  if (textAt(old, 'deletionTimestamp') === '') return []
  const known = textsAt(old, 'finalizers')
  const added = new Set(textsAt(metadata, 'finalizers').filter((finalizer) => !known.includes(finalizer)))
  if (added.size === 0) return []
  const shown = [...added].sort().map(goQuoted).join(', ')
  return [
    forbidden(
      field,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`,
    ),
  ]
}

function managedFieldsErrors(entries: Json | undefined, field: string): FieldError[] {
  if (!isJsonList(entries)) return []
  return entries.flatMap((entry, index) =>
    isJsonObject(entry) ? managedFieldsEntryErrors(entry, `${field}[${index}]`) : [],
  )
}

function managedFieldsEntryErrors(entry: JsonObject, field: string): FieldError[] {
  const operation = textAt(entry, 'operation')
  const fieldsType = textAt(entry, 'fieldsType')
  const isKnown = operation === 'Apply' || operation === 'Update'
  return [
    ...(isKnown ? [] : [invalid(`${field}.operation`, operation, 'must be `Apply` or `Update`')]),
    ...(fieldsType === '' || fieldsType === 'FieldsV1'
      ? []
      : [invalid(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`')]),
    ...validateManager(textAt(entry, 'manager'), `${field}.manager`),
    ...(byteLength(textAt(entry, 'subresource')) > maxSubresourceBytes
      ? [tooLong(`${field}.subresource`, maxSubresourceBytes)]
      : []),
  ]
}

/** Validates the name of a field manager, in an entry or in the `fieldManager` of a request. */
export function validateManager(manager: string, field: string): FieldError[] {
  const errors = byteLength(manager) > maxManagerBytes ? [tooLong(field, maxManagerBytes)] : []
  for (const found of manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)) {
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    const position = byteLength(manager.slice(0, found.index))
    errors.push(invalid(field, manager, `invalid character U+${code} (at position ${position})`))
  }
  return errors
}

function textAt(object: JsonObject, key: string): string {
  const value = own(object, key)
  return typeof value === 'string' ? value : ''
}

function presentOrNull(object: JsonObject, key: string): Json {
  return own(object, key) ?? null
}

function integerAt(object: JsonObject, key: string): number | bigint {
  const value = own(object, key)
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0
}

function textsAt(object: JsonObject, key: string): readonly string[] {
  const value = own(object, key)
  return isJsonList(value) && value.every((item) => typeof item === 'string') ? value : []
}

function textEntries(map: Json | undefined): [string, string][] {
  if (!isJsonObject(map)) return []
  const entries = Object.entries(map).map(([key, value]): [string, Json] => [key, value ?? ''])
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : []
}
