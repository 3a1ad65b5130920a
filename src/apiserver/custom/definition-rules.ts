// Validation of CustomResourceDefinitions. Errors name paths of the internal form, where the shared parts of all
// versions are at the
// top.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import {
  isTrueAt,
  optionalTextAt,
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from '../built-in/field-walk.ts'
import { compileRules } from '../cel/rules.ts'
import { errorText, type FieldError, forbidden, goJson, invalid, notSupported, required } from '../field-error.ts'
import { byteLength, dns1035Label, dnsSubdomainName } from '../name-rules.ts'
import { validateImmutable, validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts'
import { compileSchema } from '../schema/schema.ts'
import { validateDefaults } from './default-rules.ts'
import { validateColumn, validateSelectableFields, validateSubresources } from './definition-endpoints.ts'
import { internalSpec, openApiSchemaOf, shownSchema, shownVersions } from './definition-internal.ts'
import { missingNames, validateApproval, validateDefinitionNames, validateGroup } from './definition-names.ts'
import { validateOpenApiSchema } from './definition-schema.ts'
import { unsupportedField, validateStructural } from './structural-rules.ts'

export function validateDefinitionCreate(definition: JsonObject): FieldError[] {
  const spec = structAt(definition, 'spec') ?? {}
  const metadata = structAt(definition, 'metadata') ?? {}
  const requiredName = `${textAt(structAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`
  return [
    ...validateObjectMeta({
      metadata,
      isNamespaced: false,
      validateName: (name, isPrefix) => [
        ...dnsSubdomainName(name, isPrefix),
        ...(name === requiredName ? [] : ['must be spec.names.plural+"."+spec.group']),
      ],
      field: 'metadata',
    }),
    ...specErrors(spec),
    ...commonErrors(definition, undefined),
  ]
}

export function validateDefinitionUpdate(definition: JsonObject, old: JsonObject): FieldError[] {
  const spec = structAt(definition, 'spec') ?? {}
  const oldSpec = structAt(old, 'spec') ?? {}
  const names = structAt(spec, 'names')
  const oldNames = structAt(oldSpec, 'names')
  const unchanged = (path: string, value: string, before: string): FieldError[] =>
    validateImmutable(value, before, path)
  return [
    ...validateObjectMetaUpdate(structAt(definition, 'metadata') ?? {}, structAt(old, 'metadata') ?? {}),
    ...specErrors(spec),
    ...(isConditionTrue(old, 'Established')
      ? [
          ...unchanged('spec.scope', textAt(spec, 'scope'), textAt(oldSpec, 'scope')),
          ...unchanged('spec.names.kind', textAt(names, 'kind'), textAt(oldNames, 'kind')),
        ]
      : []),
    ...unchanged('spec.group', textAt(spec, 'group'), textAt(oldSpec, 'group')),
    ...unchanged('spec.names.plural', textAt(names, 'plural'), textAt(oldNames, 'plural')),
    ...commonErrors(definition, old),
  ]
}

/** Validates an update of the status subresource: only the names. */
export function validateDefinitionStatus(definition: JsonObject, old: JsonObject): FieldError[] {
  return [
    ...validateObjectMetaUpdate(structAt(definition, 'metadata') ?? {}, structAt(old, 'metadata') ?? {}),
    ...acceptedNamesErrors(definition),
  ]
}

export function isConditionTrue(definition: JsonObject, type: string): boolean {
  const conditions = structsAt(structAt(definition, 'status'), 'conditions')
  return conditions.some((condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True')
}

function commonErrors(definition: JsonObject, old: JsonObject | undefined): FieldError[] {
  const spec = structAt(definition, 'spec') ?? {}
  const annotations = structIn(definition, 'metadata', 'annotations') ?? {}
  const oldAnnotations = old === undefined ? undefined : (structIn(old, 'metadata', 'annotations') ?? {})
  return [
    ...acceptedNamesErrors(definition),
    ...storedVersionsErrors(definition),
    ...validateApproval(textAt(spec, 'group'), annotations, oldAnnotations),
    ...(isTrueAt(spec, 'preserveUnknownFields')
      ? [
          invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ]
}

function acceptedNamesErrors(definition: JsonObject): FieldError[] {
  return validateDefinitionNames(structIn(definition, 'status', 'acceptedNames') ?? {}, 'status.acceptedNames')
}

/** A version in which objects may still be stored must stay declared. */
function storedVersionsErrors(definition: JsonObject): FieldError[] {
  const path = 'status.storedVersions'
  const stored = textsAt(structAt(definition, 'status'), 'storedVersions')
  if (stored.length === 0) return [invalid(path, null, 'must have at least one stored version')]
  const versions = structsAt(structAt(definition, 'spec'), 'versions')
  const names = new Set(versions.map((version) => textAt(version, 'name')))
  // For versions with the same name, only the first one counts.
  const unstored = versions.filter((version, index) => {
    const name = textAt(version, 'name')
    const isFirst = versions.findIndex((other) => textAt(other, 'name') === name) === index
    return isTrueAt(version, 'storage') && !(isFirst && stored.includes(name))
  })
  return [
    ...unstored.map((version) => invalid(path, stored, `must have the storage version ${textAt(version, 'name')}`)),
    ...[...new Set(stored)]
      .filter((name) => !names.has(name))
      .map((name) =>
        invalid(
          `${path}[${stored.lastIndexOf(name)}]`,
          name,
          `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
        ),
      ),
  ]
}

function specErrors(declared: JsonObject): FieldError[] {
  const spec = internalSpec(declared)
  const names = structAt(spec, 'names') ?? {}
  const validation = structAt(spec, 'validation')
  const subresources = structAt(spec, 'subresources')
  const hasAnyStatus = [spec, ...structsAt(spec, 'versions')].some(hasStatus)
  return [
    ...validateGroup(textAt(spec, 'group'), 'spec.group'),
    ...scopeErrors(textAt(spec, 'scope')),
    ...missingSchemaErrors(spec),
    ...(isTrueAt(spec, 'preserveUnknownFields') && hasDefaults(declared)
      ? [invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
    ...structsAt(spec, 'versions').flatMap((version, index) =>
      versionErrors(version, hasStatus(subresources === undefined ? version : spec), `spec.versions[${index}]`),
    ),
    ...versionsErrors(spec),
    ...missingNames(names, 'spec.names'),
    ...validateDefinitionNames(names, 'spec.names'),
    ...schemaErrors(validation, hasAnyStatus, 'spec.validation'),
    ...validateSubresources(subresources, 'spec.subresources'),
    ...structsAt(spec, 'additionalPrinterColumns').flatMap((column, index) =>
      validateColumn(column, `spec.additionalPrinterColumns[${index}]`),
    ),
    ...topSelectableErrors(spec, validation),
    ...conversionErrors(structAt(spec, 'conversion'), isTrueAt(spec, 'preserveUnknownFields')),
  ]
}

function hasStatus(version: JsonObject): boolean {
  return structIn(version, 'subresources', 'status') !== undefined
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [required('spec.scope')]
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])]
}

function missingSchemaErrors(spec: JsonObject): FieldError[] {
  if (openApiSchemaOf(structAt(spec, 'validation')) !== undefined) return []
  return structsAt(spec, 'versions').flatMap((version, index) =>
    openApiSchemaOf(structAt(version, 'schema')) === undefined
      ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)]
      : [],
  )
}

/** Returns true if the schemas have a default that is not null. */
function hasDefaults(value: Json): boolean {
  if (!isJsonObject(value)) return Array.isArray(value) && value.some(hasDefaults)
  return (
    valueAt(value, 'default') !== undefined ||
    Object.values(value).some((inner) => inner !== undefined && hasDefaults(inner))
  )
}

function versionErrors(version: JsonObject, statusEnabled: boolean, path: string): FieldError[] {
  const name = textAt(version, 'name')
  const faults = dns1035Label(name)
  const selectable = structsAt(version, 'selectableFields')
  const schema = openApiSchemaOf(structAt(version, 'schema'))
  const selectableErrors =
    schema === undefined
      ? [
          invalid(
            `${path}.selectableFields`,
            '',
            'may only be set when `version.schema.openAPIV3Schema` is not included',
          ),
        ]
      : selectableFieldsErrors(selectable, schema, path)
  return [
    ...(faults.length === 0 ? [] : [invalid(`${path}.name`, name, faults.join(','))]),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...schemaErrors(structAt(version, 'schema'), statusEnabled, `${path}.schema`),
    ...validateSubresources(structAt(version, 'subresources'), `${path}.subresources`),
    ...structsAt(version, 'additionalPrinterColumns').flatMap((column, index) =>
      validateColumn(column, `${path}.additionalPrinterColumns[${index}]`),
    ),
    ...(selectable.length === 0 ? [] : selectableErrors),
  ]
}

function selectableFieldsErrors(fields: readonly JsonObject[], schema: JsonObject, path: string): FieldError[] {
  const unsupported = unsupportedField(schema)
  return [
    ...(unsupported === undefined ? [] : [invalid(`${path}.schema.openAPIV3Schema`, '', unsupported)]),
    ...validateSelectableFields(fields, unsupported === undefined ? schema : {}, `${path}.selectableFields`),
  ]
}

function topSelectableErrors(spec: JsonObject, validation: JsonObject | undefined): FieldError[] {
  const fields = structsAt(spec, 'selectableFields')
  if (fields.length === 0) return []
  if (validation === undefined)
    return [invalid('spec.selectableFields', '', 'may only be set when validations.schema is included')]
  return selectableFieldsErrors(fields, openApiSchemaOf(validation) ?? {}, 'spec')
}

function deprecationErrors(version: JsonObject, path: string): FieldError[] {
  const warning = optionalTextAt(version, 'deprecationWarning')
  if (warning === undefined) return []
  const fault = (detail: string): FieldError => ({ ...invalid(path, warning, detail), shownValue: goJson(warning) })
  if (!isTrueAt(version, 'deprecated')) return [fault('can only be set for deprecated versions')]
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning)
  const index = unprintable === null ? 0 : byteLength(warning.slice(0, unprintable.index))
  return [
    ...(byteLength(warning) > 256 ? ['must be <= 256 characters long'] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(unprintable === null
      ? []
      : [`must only contain printable UTF-8 characters; non-printable character found at index ${index}`]),
  ].map(fault)
}

function versionsErrors(spec: JsonObject): FieldError[] {
  const versions = structsAt(spec, 'versions')
  const names = versions.map((version) => textAt(version, 'name'))
  const storage = versions.filter((version) => isTrueAt(version, 'storage'))
  const [first = ''] = names
  const faults = first === '' ? [] : dns1035Label(first)
  const shown = (): Json => shownVersions(spec)
  return [
    ...(new Set(names).size < names.length
      ? [invalid('spec.versions', shown(), 'must contain unique version names')]
      : []),
    ...(storage.length === 1
      ? []
      : [invalid('spec.versions', shown(), 'must have exactly one version marked as storage version')]),
    ...(faults.length === 0 ? [] : [invalid('spec.version', first, faults.join(','))]),
  ]
}

/** Fields that may be set at the root if the status has a subresource, under their Go names. */
const allowedAtRoot =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'.split(
    ' ',
  )

function schemaErrors(validation: JsonObject | undefined, statusEnabled: boolean, outer: string): FieldError[] {
  const schema = openApiSchemaOf(validation)
  if (schema === undefined) return []
  const path = `${outer}.openAPIV3Schema`
  const unsupported = unsupportedField(schema)
  const structural = unsupported === undefined ? structuralErrors(schema, path) : []
  const openApi = validateOpenApiSchema(schema, path)
  const errors = [
    ...(statusEnabled ? rootErrors(schema, path) : []),
    ...(isTrueAt(schema, 'nullable') ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : []),
    ...structural,
    ...openApi,
    ...(unsupported === undefined && structural.length === 0 ? ruleErrors(schema, path, openApi) : []),
  ]
  return errors.length === 0 && unsupported !== undefined ? [invalid(path, '', unsupported)] : errors
}

/**
 * Compiles rules only if the schema has no other fault at or below their location; drops errors that are reported
 * already.
 */
function ruleErrors(schema: JsonObject, path: string, known: readonly FieldError[]): FieldError[] {
  const texts = new Set(known.map(errorText))
  return compileRules(compileSchema(schema), { path }).errors.filter((error) => {
    const [place = ''] = error.field.split('.x-kubernetes-validations')
    return !texts.has(errorText(error)) && !known.some(({ field }) => field.startsWith(`${place}.`))
  })
}

/** Defaults are validated only in a structural schema. */
function structuralErrors(schema: JsonObject, path: string): FieldError[] {
  const errors = validateStructural(schema, path)
  return errors.length > 0 ? errors : validateDefaults(schema, path)
}

function rootErrors(schema: JsonObject, path: string): FieldError[] {
  const shown = shownSchema(schema)
  for (const [name, value] of Object.entries(shown)) {
    if (value === null || value === undefined || value === false || value === '') continue
    if (name === 'Type' && value !== 'object')
      return [
        invalid(
          `${path}.type`,
          value,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ]
    if (!allowedAtRoot.includes(name))
      return [
        invalid(
          path,
          shown,
          `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ]
  }
  return []
}

function conversionErrors(conversion: JsonObject | undefined, preservesUnknown: boolean): FieldError[] {
  if (conversion === undefined) return []
  const strategy = textAt(conversion, 'strategy')
  const webhook = structAt(conversion, 'webhook')
  if (strategy === 'Webhook') return []
  const misplaced = 'should not be set when strategy is not set to Webhook'
  return [
    ...(preservesUnknown && strategy !== 'None'
      ? [invalid('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true')]
      : []),
    ...(strategy === '' ? [required('spec.conversion.strategy')] : []),
    ...(strategy !== '' && strategy !== 'None'
      ? [notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook'])]
      : []),
    ...(structAt(webhook, 'clientConfig') === undefined
      ? []
      : [forbidden('spec.conversion.webhookClientConfig', misplaced)]),
    ...(textsAt(webhook, 'conversionReviewVersions').length === 0
      ? []
      : [forbidden('spec.conversion.conversionReviewVersions', misplaced)]),
  ]
}
