// Validation of PersistentVolumeClaims and their templates, at creation and update.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaim and its neighbours).
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { compareQuantities } from '../../object/quantity.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { dns1123Subdomain, dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids, validateAnnotations, validateImmutable, validateLabels } from '../object-meta.ts'
import { validateAccessModes, validateVolumeMode } from './access-modes.ts'
import { validateChoice } from './choice-rules.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  type FieldErrors,
  mapAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  textAt,
  textsAt,
  valueAt,
  withField,
  withoutField,
  withStruct,
} from './field-walk.ts'
import { validateLabelSelector } from './label-selector.ts'
import { quantityOf, validateAmount, validatePositiveQuantity, wholeUnits } from './resource-requirements.ts'

const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class'
const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]
/** The real server appends a diff in its internal form; this server does not. */
const immutable =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'

export function validateClaim(claim: JsonObject): FieldErrors {
  return claimErrors(claim, 'checked')
}

/** Older servers did not validate the API groups of data sources. A claim stored with an invalid group may keep it. */
type SourceGroups = 'checked' | 'unchecked'

function claimErrors(claim: JsonObject, groups: SourceGroups): FieldErrors {
  return [
    ...validateCoreMetadata(structAt(claim, 'metadata') ?? {}, { isNamespaced: true, validateName: dnsSubdomainName }),
    ...validateClaimSpec(structAt(claim, 'spec') ?? {}, 'spec', groups),
  ]
}

/** Validates the claim template of an ephemeral volume: its metadata may have only labels and annotations. */
export function validateClaimTemplate(template: JsonObject, field: string): FieldErrors {
  const metadata = structAt(template, 'metadata')
  const unwanted = Object.keys(metadata ?? {}).filter((key) => !['labels', 'annotations'].includes(key))
  return [
    ...validateAnnotations(valueAt(metadata, 'annotations'), `${field}.metadata.annotations`),
    ...validateLabels(valueAt(metadata, 'labels'), `${field}.metadata.labels`),
    ...unwanted
      .filter((key) => isGiven(metadata, key))
      .map((key) => forbidden(`${field}.metadata.${key}`, 'cannot be set')),
    ...validateClaimSpec(structAt(template, 'spec') ?? {}, `${field}.spec`),
  ]
}

export function validateClaimSpec(spec: JsonObject, field: string, groups: SourceGroups = 'checked'): FieldErrors {
  const at = (key: string): string => `${field}.${key}`
  const className = textAt(spec, 'storageClassName')
  const attributesClass = textAt(spec, 'volumeAttributesClassName')
  return [
    ...(textsAt(spec, 'accessModes').length === 0
      ? [required(at('accessModes'), 'at least 1 access mode is required')]
      : []),
    ...validateLabelSelector(structAt(spec, 'selector'), at('selector')),
    ...validateAccessModes(spec, at('accessModes')),
    ...storageErrors(spec, at('resources[storage]')),
    ...(className === '' ? [] : invalids(at('storageClassName'), className, dnsSubdomainName(className, false))),
    ...validateVolumeMode(spec, at('volumeMode')),
    ...sourceErrors(structAt(spec, 'dataSource'), at('dataSource'), groups),
    ...sourceErrors(structAt(spec, 'dataSourceRef'), at('dataSourceRef'), groups),
    ...bothSourcesErrors(spec, field),
    ...(attributesClass === ''
      ? []
      : invalids(at('volumeAttributesClassName'), attributesClass, dnsSubdomainName(attributesClass, false))),
  ]
}

export function validateClaimUpdate(claim: JsonObject, old: JsonObject): FieldErrors {
  const [spec, oldSpec] = [structAt(claim, 'spec') ?? {}, structAt(old, 'spec') ?? {}]
  const annotation = textAt(structIn(claim, 'metadata', 'annotations'), betaClassAnnotation)
  const oldAnnotation = textAt(structIn(old, 'metadata', 'annotations'), betaClassAnnotation)
  const isUpgrade = isAnnotationUpgrade(claim, old)
  const hadGroup = ['dataSource', 'dataSourceRef'].some(
    (key) => valueAt(structAt(oldSpec, key), 'apiGroup') !== undefined,
  )
  const groups = hadGroup ? 'unchecked' : 'checked'
  const isSame = deepEqual(comparable(claim, old, isUpgrade), comparableOld(spec, oldSpec))
  return [
    ...validateCoreMetadataUpdate(structAt(claim, 'metadata') ?? {}, structAt(old, 'metadata') ?? {}),
    ...claimErrors(claim, groups),
    ...(isUpgrade ? [] : immutableAnnotation(annotation, oldAnnotation, `metadata.annotations.${betaClassAnnotation}`)),
    ...(isSame ? [] : [forbidden('spec', immutable)]),
    ...shrinkErrors(spec, oldSpec, structAt(old, 'status')),
    ...validateImmutable(valueAt(spec, 'volumeMode') ?? null, valueAt(oldSpec, 'volumeMode') ?? null, 'volumeMode'),
    ...attributesErrors(spec, oldSpec, structAt(old, 'status')),
  ]
}

export function validateClaimStatusUpdate(claim: JsonObject, old: JsonObject): FieldErrors {
  const metadata = structAt(claim, 'metadata') ?? {}
  const status = structAt(claim, 'status')
  return [
    ...validateCoreMetadataUpdate(metadata, structAt(old, 'metadata') ?? {}),
    ...(textAt(metadata, 'resourceVersion') === '' ? [required('resourceVersion')] : []),
    ...(textsAt(structAt(claim, 'spec'), 'accessModes').length === 0 ? [required('Spec.accessModes')] : []),
    ...Object.entries(mapAt(status, 'capacity')).flatMap(([name, amount]) =>
      basicAmountErrors(amount, `status.capacity[${name}]`),
    ),
    ...Object.entries(mapAt(status, 'allocatedResourceStatuses')).flatMap(([name, state]) => [
      ...resourceKeyErrors(name, 'status.allocatedResourceStatuses'),
      // The real server reports the resource name here instead of the state.
      ...(resizeStates.includes(String(state))
        ? []
        : validateChoice(name, 'status.allocatedResourceStatuses', resizeStates)),
    ]),
    ...Object.entries(mapAt(status, 'allocatedResources')).flatMap(([name, amount]) => {
      const field = 'status.allocatedResources'
      const keyErrors = resourceKeyErrors(name, field)
      if (keyErrors.length > 0) return keyErrors
      const errors = basicAmountErrors(amount, `${field}[${name}]`)
      return errors.length > 0 ? errors : validateAmount('storage', amount, `${field}[${name}]`)
    }),
  ]
}

function isGiven(metadata: Struct, key: string): boolean {
  const value = valueAt(metadata, key)
  return value !== undefined && value !== '' && value !== 0
}

function storageErrors(spec: JsonObject, field: string): FieldErrors {
  const requests = mapAt(structAt(spec, 'resources'), 'requests')
  if (!Object.hasOwn(requests, 'storage')) return [required(field)]
  const errors = validatePositiveQuantity(requests.storage, field)
  return errors.length > 0 ? errors : validateAmount('storage', requests.storage, field)
}

function sourceErrors(source: Struct, field: string, groups: SourceGroups): FieldErrors {
  if (source === undefined) return noErrors
  const [name, kind, group] = [textAt(source, 'name'), textAt(source, 'kind'), textAt(source, 'apiGroup')]
  const isClaim = kind === 'PersistentVolumeClaim'
  const fault = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(kind === '' ? [required(`${field}.kind`)] : []),
    ...(group === '' && !isClaim ? [invalid(field, kind, fault)] : []),
    ...(group === '' || groups === 'unchecked' ? [] : invalids(`${field}.apiGroup`, group, dns1123Subdomain(group))),
  ]
}

/**
 * Validates `dataSource` against `dataSourceRef`. The real server reports the path as the value, in its internal form.
 */
function bothSourcesErrors(spec: JsonObject, field: string): readonly FieldError[] {
  const [source, reference] = [structAt(spec, 'dataSource'), structAt(spec, 'dataSourceRef')]
  if (source === undefined || reference === undefined) return noErrors
  const isSame = ['apiGroup', 'kind', 'name'].every((key) =>
    deepEqual(valueAt(source, key) ?? null, valueAt(reference, key) ?? null),
  )
  return isSame ? noErrors : [invalid(field, {}, 'must match dataSourceRef')]
}

/** True if the update moves the class from the deprecated annotation to its field. */
function isAnnotationUpgrade(claim: JsonObject, old: JsonObject): boolean {
  const before = valueAt(structIn(old, 'metadata', 'annotations'), betaClassAnnotation)
  const now = valueAt(structIn(claim, 'metadata', 'annotations'), betaClassAnnotation)
  return (
    before !== undefined &&
    valueAt(structAt(old, 'spec'), 'storageClassName') === undefined &&
    optionalTextAt(structAt(claim, 'spec'), 'storageClassName') === before &&
    (now === undefined || now === before)
  )
}

/** True if the update sets the class of a claim without one. */
function isFirstClass(claim: JsonObject, old: JsonObject): boolean {
  const className = optionalTextAt(structAt(claim, 'spec'), 'storageClassName')
  const annotation = valueAt(structIn(old, 'metadata', 'annotations'), betaClassAnnotation)
  return (
    className !== undefined &&
    optionalTextAt(structAt(old, 'spec'), 'storageClassName') === undefined &&
    (annotation === undefined || annotation === className)
  )
}

/** Returns the new spec with the mutable fields reset to their old values. */
function comparable(claim: JsonObject, old: JsonObject, isUpgrade: boolean): JsonObject {
  const oldSpec = structAt(old, 'spec') ?? {}
  const spec = structAt(claim, 'spec') ?? {}
  const isBound = textAt(structAt(claim, 'status'), 'phase') === 'Bound'
  const classed = isUpgrade || isFirstClass(claim, old) ? putBack(spec, oldSpec, 'storageClassName') : spec
  if (!isBound) return classed
  const before = valueAt(mapAt(structAt(oldSpec, 'resources'), 'requests'), 'storage')
  const sized = withStruct(classed, 'resources', (resources) =>
    withStruct(resources, 'requests', (requests) =>
      before === undefined ? requests : { ...requests, storage: before },
    ),
  )
  return putBack(sized, oldSpec, 'volumeAttributesClassName')
}

function comparableOld(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  return textAt(oldSpec, 'volumeName') === '' ? putBack(oldSpec, spec, 'volumeName') : oldSpec
}

function putBack(spec: JsonObject, from: JsonObject, key: string): JsonObject {
  const value = valueAt(from, key)
  return value === undefined ? withoutField(spec, key) : withField(spec, key, value)
}

function immutableAnnotation(annotation: string, before: string, field: string): FieldErrors {
  return annotation === before ? noErrors : [invalid(field, annotation, 'field is immutable')]
}

/** Rejects a lowered request unless it is above the capacity in the status. */
function shrinkErrors(spec: JsonObject, oldSpec: JsonObject, status: Struct): FieldErrors {
  const size = quantityOf(valueAt(mapAt(structAt(spec, 'resources'), 'requests'), 'storage'))
  const before = quantityOf(valueAt(mapAt(structAt(oldSpec, 'resources'), 'requests'), 'storage'))
  const capacity = quantityOf(valueAt(mapAt(status, 'capacity'), 'storage'))
  const isTooSmall = compareQuantities(size, before) < 0 && compareQuantities(size, capacity) <= 0
  return isTooSmall
    ? [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')]
    : noErrors
}

function attributesErrors(spec: JsonObject, oldSpec: JsonObject, status: Struct): FieldErrors {
  const [name, before] = [
    optionalTextAt(spec, 'volumeAttributesClassName'),
    optionalTextAt(oldSpec, 'volumeAttributesClassName'),
  ]
  const isApplied = valueAt(status, 'currentVolumeAttributesClassName') !== undefined
  if (name === before || !isApplied || (name !== undefined && name !== '')) return noErrors
  const to = name === undefined ? 'nil' : 'empty string'
  return [
    forbidden(
      'spec.volumeAttributesClassName',
      `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ]
}

function basicAmountErrors(amount: JsonObject[string], field: string): FieldErrors {
  const units = wholeUnits(quantityOf(amount))
  return units < 0n ? [invalid(field, Number(units), 'must be a valid resource quantity')] : noErrors
}

function resourceKeyErrors(name: string, field: string): FieldErrors {
  const faults = labelKeyFaults(name)
  if (faults.length > 0) return invalids(field, name, faults)
  const isNative = !name.includes('/') || name.includes('kubernetes.io/')
  return isNative ? validateChoice(name, field, ['storage']) : noErrors
}
