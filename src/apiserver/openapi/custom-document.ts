// OpenAPI document of a custom kind. It takes the paths and kinds of a real server's document for a kind of the same
// scope.
// It replaces the names and inserts the schema of the CRD.
// Source: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { mapAt, structAt, structsAt, textAt, textsAt, withField } from '../built-in/field-walk.ts'

/** Documents of two kinds with status and scale, with the placeholder names that `named` replaces. */
export interface CustomTemplates {
  readonly namespaced: JsonObject
  readonly cluster: JsonObject
}

const word = 'placeholder'
const reference = '#/components/schemas/'
const metadataReference = `${reference}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`
const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'
const metadataSchema: JsonObject = {
  description: `Standard object's metadata. More info: ${conventions}#metadata`,
  allOf: [{ $ref: metadataReference }],
}
const anything: JsonObject = { anyOf: [{ type: 'integer' }, { type: 'string' }] }

/** Returns the document of one version of a CRD. */
export function customDocument(definition: JsonObject, version: JsonObject, templates: CustomTemplates): JsonObject {
  const spec = structAt(definition, 'spec')
  const template = textAt(spec, 'scope') === 'Namespaced' ? templates.namespaced : templates.cluster
  const [group, name, names] = [textAt(spec, 'group'), textAt(version, 'name'), mapAt(spec, 'names')]
  const text = named(JSON.stringify(template), { group, version: name, names })
  const document = JSON.parse(text) as JsonObject // Sound: names of groups, versions and kinds need no quoting.
  const subresources = structAt(version, 'subresources')
  const paths = Object.entries(mapAt(document, 'paths')).filter(([path]) =>
    ['status', 'scale'].every((below) => !path.endsWith(`}/${below}`) || structAt(subresources, below) !== undefined),
  )
  const kindName = `${[...group.split('.').reverse(), name].join('.')}.${textAt(names, 'kind')}`
  const schemas = mapAt(mapAt(document, 'components'), 'schemas')
  const whole = { ...schemas, [kindName]: publishedSchema(schemas[kindName], version) }
  const kept: JsonObject = Object.fromEntries(paths)
  return { ...document, paths: kept, components: { schemas: reachable(whole, kept) } }
}

/** Merges the documents of the kinds of one group and version. */
export function mergedDocument(documents: readonly JsonObject[]): JsonObject {
  const all = (parts: (document: JsonObject) => JsonObject): JsonObject =>
    Object.fromEntries(documents.flatMap((document) => Object.entries(parts(document))))
  const schemas = all((document) => mapAt(mapAt(document, 'components'), 'schemas'))
  return { ...documents[0], paths: all((document) => mapAt(document, 'paths')), components: { schemas } }
}

interface Names {
  readonly group: string
  readonly version: string
  readonly names: JsonObject
}

/** Replaces the placeholder names in paths, schema names, operations and tags. */
function named(template: string, { group, version, names }: Names): string {
  const kind = textAt(names, 'kind')
  const replaced: readonly (readonly [string, string])[] = [
    [`example.${word}.v7${word}`, `${group.split('.').reverse().join('.')}.${version}`],
    [`PlaceholderExampleV7${word}`, `${operationWords(group, true)}${operationWords(version, true)}`],
    [`${word}Example_v7${word}`, `${operationWords(group, false)}_${operationWords(version, false)}`],
    [`${word}.example`, group],
    [`v7${word}`, version],
    [`${word}plurals`, textAt(names, 'plural')],
    ['Placeholderlistkind', textAt(names, 'listKind') || `${kind}List`],
    [' a Placeholderkind', `${article(kind)}${kind}`],
    ['Placeholderkind', kind],
  ]
  return replaced.reduce((text, [from, to]) => text.replaceAll(from, () => to), template)
}

function article(kind: string): string {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return ' '
  return /^[aeiou]/i.test(kind) ? ' an ' : ' a '
}

/** Returns the name as an identifier: `odd-one.ex.io` becomes `OddOneExIo`. */
function operationWords(name: string, isFirstCapital: boolean): string {
  const parts = name.split(/[^\p{L}\p{N}_]+/u)
  return parts.map((part, index) => (index === 0 && !isFirstCapital ? part : capital(part))).join('')
}

function capital(part: string): string {
  return part.charAt(0).toUpperCase() + part.slice(1)
}

/** Returns the schema of the CRD plus the fields of every object, in place of the template's schema. */
function publishedSchema(template: Json | undefined, version: JsonObject): JsonObject {
  const common = isJsonObject(template) ? template : {}
  const written = structAt(structAt(version, 'schema'), 'openAPIV3Schema')
  const gvk = own(common, 'x-kubernetes-group-version-kind') ?? []
  if (written === undefined) return { type: 'object', 'x-kubernetes-group-version-kind': gvk }
  const { apiVersion = {}, kind = {} } = mapAt(common, 'properties')
  const unfolded = published(written)
  const selectable = structsAt(version, 'selectableFields').map((field) => ({
    fieldPath: textAt(field, 'jsonPath').replace(/^\./, ''),
  }))
  return {
    ...unfolded,
    properties: { ...mapAt(unfolded, 'properties'), apiVersion, kind, metadata: metadataSchema },
    'x-kubernetes-group-version-kind': gvk,
    ...(selectable.length === 0 ? {} : { 'x-kubernetes-selectable-fields': selectable }),
  }
}

/**
 * Rewrites extensions for clients that know only OpenAPI.
 * int-or-string becomes a choice; an embedded object gets its metadata.
 */
function published(schema: JsonObject): JsonObject {
  const below = (key: string): JsonObject => {
    const value = own(schema, key)
    return isJsonObject(value) ? { [key]: published(value) } : {}
  }
  const properties = Object.entries(mapAt(schema, 'properties')).map(([name, value]) => [
    name,
    isJsonObject(value) ? published(value) : value,
  ])
  const whole: JsonObject = {
    ...schema,
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...below('items'),
    ...below('additionalProperties'),
  }
  const chosen = own(schema, 'x-kubernetes-int-or-string') === true ? withChoice(whole) : whole
  return own(schema, 'x-kubernetes-embedded-resource') === true ? withObjectFields(chosen) : chosen
}

function withChoice(schema: JsonObject): JsonObject {
  const [first] = structsAt(schema, 'allOf')
  if (isChoice(schema) || (first !== undefined && isChoice(first))) return schema
  if (structsAt(schema, 'anyOf').length === 0) return { ...schema, ...anything }
  return withField(schema, 'allOf', [anything, ...structsAt(schema, 'allOf')])
}

function isChoice(schema: JsonObject): boolean {
  return JSON.stringify(own(schema, 'anyOf')) === JSON.stringify(anything['anyOf'])
}

function withObjectFields(schema: JsonObject): JsonObject {
  const required = textsAt(schema, 'required')
  return {
    ...schema,
    properties: {
      ...mapAt(schema, 'properties'),
      apiVersion: {
        description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
        type: 'string',
      },
      kind: {
        description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
        type: 'string',
      },
      metadata: metadataSchema,
    },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  }
}

/** Returns only the schemas that the paths reference. */
function reachable(schemas: JsonObject, paths: JsonObject): JsonObject {
  const found = new Set<string>()
  const visit = (value: Json | undefined): void => {
    if (isJsonList(value)) for (const item of value) visit(item)
    if (!isJsonObject(value)) return
    const target = own(value, '$ref')
    if (typeof target === 'string' && target.startsWith(reference)) enter(target.slice(reference.length))
    for (const inner of Object.values(value)) visit(inner)
  }
  const enter = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    visit(own(schemas, name))
  }
  visit(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
