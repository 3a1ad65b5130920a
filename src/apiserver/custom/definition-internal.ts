// Internal form of a definition: parts that all versions share are at the top. Errors show this form with its paths;
// its field names
// differ from those of the API.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions (types.go, v1/conversion.go).
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { structAt, structsAt, valueAt, withoutField } from '../built-in/field-walk.ts'
import { sortedByKey } from '../field-error.ts'

const shared = [
  ['subresources', 'subresources'],
  ['schema', 'validation'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
] as const

/** Returns the spec with the shared parts of all versions at the top: `schema` becomes `validation` there. */
export function internalSpec(spec: JsonObject): JsonObject {
  let versions = structsAt(spec, 'versions')
  const [first] = versions
  if (first === undefined) return spec
  const top: Record<string, Json> = {}
  for (const [key, name] of shared) {
    const common = present(first, key)
    if (!versions.every((version) => deepEqual(present(version, key), common))) continue
    if (common !== undefined) top[name] = common
    versions = versions.map((version) => withoutField(version, key))
  }
  return { ...spec, ...top, versions }
}

/** Empty lists count as absent. */
function present(version: JsonObject, key: string): Json | undefined {
  const value = valueAt(version, key)
  return isJsonList(value) && value.length === 0 ? undefined : value
}

/** Returns `spec.versions` as an error shows it. */
export function shownVersions(spec: JsonObject): Json {
  if (valueAt(spec, 'versions') === undefined) return null
  return structsAt(spec, 'versions').map((version) => shownStruct(version, versionFields))
}

/** Returns a schema as an error shows it. */
export function shownSchema(schema: JsonObject): JsonObject {
  return shownStruct(schema, schemaFields)
}

/** Returns `items` as an error shows it. */
export function shownItems(items: Json): Json {
  return shownOneOrMany(items)
}

/** Internal name, name in the API, and printed form: the value for an absent field, or a function. */
type ShownField = readonly [name: string, key: string, shown: Json | ((value: Json) => Json)]

const schemas = (value: Json): Json =>
  isJsonList(value) ? value.map((item) => (isJsonObject(item) ? shownSchema(item) : item)) : null
const schema = (value: Json): Json => (isJsonObject(value) ? shownSchema(value) : null)
const schemaMap = (value: Json): Json => {
  if (!isJsonObject(value)) return null
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, schema(value[key] ?? null)]))
}
const anything = (value: Json): Json => sortedByKey(value)
const dependencies = (value: Json): Json => {
  if (!isJsonObject(value)) return null
  const keys = Object.keys(value).sort()
  return Object.fromEntries(
    keys.map((key) => {
      const one = value[key] ?? null
      return [key, isJsonList(one) ? { Schema: null, Property: one } : { Schema: schema(one), Property: null }]
    }),
  )
}
const schemaOrBool = (value: Json): Json =>
  value === null ? null : { Allows: value !== false, Schema: isJsonObject(value) ? shownSchema(value) : null }
const rules = (value: Json): Json =>
  isJsonList(value) ? value.map((rule) => (isJsonObject(rule) ? shownStruct(rule, ruleFields) : rule)) : null

function shownOneOrMany(value: Json): Json {
  if (value === null) return null
  return isJsonList(value)
    ? { Schema: null, JSONSchemas: schemas(value) }
    : { Schema: schema(value), JSONSchemas: null }
}

const ruleFields: readonly ShownField[] = [
  ['Rule', 'rule', ''],
  ['Message', 'message', ''],
  ['MessageExpression', 'messageExpression', ''],
  ['Reason', 'reason', null],
  ['FieldPath', 'fieldPath', ''],
  ['OptionalOldSelf', 'optionalOldSelf', null],
]

const schemaFields: readonly ShownField[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', anything],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', anything],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', shownOneOrMany],
  ['AllOf', 'allOf', schemas],
  ['OneOf', 'oneOf', schemas],
  ['AnyOf', 'anyOf', schemas],
  ['Not', 'not', schema],
  ['Properties', 'properties', schemaMap],
  ['AdditionalProperties', 'additionalProperties', schemaOrBool],
  ['PatternProperties', 'patternProperties', schemaMap],
  ['Dependencies', 'dependencies', dependencies],
  ['AdditionalItems', 'additionalItems', schemaOrBool],
  ['Definitions', 'definitions', schemaMap],
  ['ExternalDocs', 'externalDocs', (docs) => (isJsonObject(docs) ? shownStruct(docs, docsFields) : null)],
  ['Example', 'example', anything],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', rules],
]

const docsFields: readonly ShownField[] = [
  ['Description', 'description', ''],
  ['URL', 'url', ''],
]

const columnFields: readonly ShownField[] = [
  ['Name', 'name', ''],
  ['Type', 'type', ''],
  ['Format', 'format', ''],
  ['Description', 'description', ''],
  ['Priority', 'priority', 0],
  ['JSONPath', 'jsonPath', ''],
]

const scaleFields: readonly ShownField[] = [
  ['SpecReplicasPath', 'specReplicasPath', ''],
  ['StatusReplicasPath', 'statusReplicasPath', ''],
  ['LabelSelectorPath', 'labelSelectorPath', null],
]

const subresourcesFields: readonly ShownField[] = [
  ['Status', 'status', null],
  ['Scale', 'scale', (scale) => (isJsonObject(scale) ? shownStruct(scale, scaleFields) : null)],
]

const versionFields: readonly ShownField[] = [
  ['Name', 'name', ''],
  ['Served', 'served', false],
  ['Storage', 'storage', false],
  ['Deprecated', 'deprecated', false],
  ['DeprecationWarning', 'deprecationWarning', null],
  ['Schema', 'schema', shownValidation],
  ['Subresources', 'subresources', (value) => (isJsonObject(value) ? shownStruct(value, subresourcesFields) : null)],
  ['AdditionalPrinterColumns', 'additionalPrinterColumns', (value) => shownList(value, columnFields)],
  ['SelectableFields', 'selectableFields', (value) => shownList(value, [['JSONPath', 'jsonPath', '']])],
]

function shownValidation(value: Json): Json {
  return isJsonObject(value) ? { OpenAPIV3Schema: schema(own(value, 'openAPIV3Schema') ?? null) } : null
}

function shownList(value: Json, fields: readonly ShownField[]): Json {
  return isJsonList(value) ? value.map((item) => (isJsonObject(item) ? shownStruct(item, fields) : item)) : null
}

function shownStruct(struct: JsonObject, fields: readonly ShownField[]): JsonObject {
  return Object.fromEntries(
    fields.map(([name, key, shown]): [string, Json] => {
      const value = own(struct, key) ?? null
      return [name, typeof shown === 'function' ? shown(value) : (value ?? shown)]
    }),
  )
}

/** Returns the schema of `{ openAPIV3Schema }`; undefined if absent. */
export function openApiSchemaOf(validation: JsonObject | undefined): JsonObject | undefined {
  return structAt(validation, 'openAPIV3Schema')
}
