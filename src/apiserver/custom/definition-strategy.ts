// Kind CustomResourceDefinition: defaults, steps, and the features that this server rejects.
// Source: k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { structAt, structIn, structsAt, textAt, textsAt, withField } from '../built-in/field-walk.ts'
import {
  type KindRules,
  keepField,
  keepStatus,
  statusIsReset,
  usualRules,
  withGeneration,
} from '../built-in/kind-rules.ts'
import { type FieldError, goQuoted } from '../field-error.ts'
import { isKnownFormat } from '../schema/formats.ts'
import { notServed } from '../status-error.ts'
import { storageVersionOf, withDefinitionDefaults } from './definition-defaults.ts'
import { internalSpec } from './definition-internal.ts'
import { validateDefinitionCreate, validateDefinitionStatus, validateDefinitionUpdate } from './definition-rules.ts'
import { markedForDeletion } from './definition-status.ts'
import { propertiesOf } from './structural-rules.ts'

export const definitionRules: KindRules = {
  ...usualRules,
  setDefaults: withDefinitionDefaults,
  prepareForCreate: (definition) => withGeneration(withStoredVersion({ ...definition, status: {} }), 1),
  validateCreate: (definition) => servedOnly(definition, validateDefinitionCreate(definition)),
  warningsOnCreate: (definition) => formatWarnings(definition, []),
  prepareForUpdate: (definition, old) => withStoredVersion(keepStatus(definition, old)),
  validateUpdate: (definition, old) => servedOnly(definition, validateDefinitionUpdate(definition, old)),
  warningsOnUpdate: (definition, old) => formatWarnings(definition, unknownFormatsOf(old)),
  resetFields: statusIsReset,
  allowsUnconditionalUpdate: false,
  // Unlike that of other kinds, this status subresource also writes metadata, as in the real server.
  status: {
    prepareForUpdate: (definition, old) => keepField(definition, old, 'spec'),
    validateUpdate: validateDefinitionStatus,
    warningsOnUpdate: () => [],
    resetFields: [['spec']],
  },
  markForDeletion: (definition, { timestamp }) => markedForDeletion(definition, timestamp),
}

/** Throws StatusError (501) for a valid definition that this server cannot serve. */
function servedOnly(definition: JsonObject, errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length > 0) return errors
  const spec = structAt(definition, 'spec') ?? {}
  if (textAt(structAt(spec, 'conversion'), 'strategy') === 'Webhook')
    throw notServed('A definition whose versions are converted by a webhook (spec.conversion.strategy: Webhook)')
  return errors
}

/** Records every version in which objects may have been stored. */
function withStoredVersion(definition: JsonObject): JsonObject {
  const status = structAt(definition, 'status') ?? {}
  const stored = textsAt(status, 'storedVersions')
  const storage = storageVersionOf(definition)
  if (storage === undefined || stored.includes(storage)) return definition
  return withField(definition, 'status', { ...status, storedVersions: [...stored, storage] })
}

function formatWarnings(definition: JsonObject, known: readonly string[]): readonly string[] {
  return unknownFormatsOf(definition)
    .filter((format) => !known.includes(format))
    .map((format) => `unrecognized format ${goQuoted(format)}`)
}

/** Returns the formats that the server ignores, once per occurrence. */
function unknownFormatsOf(definition: JsonObject): readonly string[] {
  const spec = internalSpec(structAt(definition, 'spec') ?? {})
  const schemas = [structIn(spec, 'validation', 'openAPIV3Schema')]
  const versions = structsAt(spec, 'versions').map((version) => structIn(version, 'schema', 'openAPIV3Schema'))
  return [...schemas, ...versions].flatMap((schema) => (schema === undefined ? [] : formatsIn(schema)))
}

function formatsIn(schema: JsonObject): string[] {
  const format = textAt(schema, 'format')
  const isUnknown = format !== '' && !isKnownFormat(format, textAt(schema, 'type'))
  const inner: (Json | undefined)[] = [
    structAt(schema, 'items'),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => structsAt(schema, key)),
    structAt(schema, 'not'),
    ...propertiesOf(schema).map(([, property]) => property),
    structAt(schema, 'additionalProperties'),
  ]
  return [...(isUnknown ? [format] : []), ...inner.filter(isJsonObject).flatMap(formatsIn)]
}
