// Reference of one kind, from its CustomResourceDefinition: a table for each struct, rules and printer columns.
import { parse } from 'yaml'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../src/base/json.ts'
import { constraintsOf } from '../../src/generate/constraints.ts'
import { Anchors, code, head, plain, table } from './markdown.ts'
import { innerOf, type Struct, type StructField, structsOf } from './structs.ts'

const objectMeta = 'https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/#ObjectMeta'
const columnsHeading = 'Printer columns'
const pathNote =
  'The heading of a section is the path of its fields. `[]` stands for an item of a list, and `{}` for a value of a map.'

export interface CrdPageOptions {
  /** Text of the definition. */
  readonly text: string
  /** Path of the definition, for example `crds/backup.yaml`. */
  readonly source: string
  /** Sentences with links to the guides of the kind. */
  readonly guides: string
}

export interface CrdVersion {
  readonly name: string
  readonly schema: JsonObject
  readonly columns: readonly JsonObject[]
}

/** Returns the page as Markdown. */
export function crdPage({ text, source, guides }: CrdPageOptions): string {
  const spec = at(parse(text), 'spec')
  const { name, schema, columns } = storedVersion(spec)
  const kind = textAt(at(spec, 'names'), 'kind')
  const properties = at(schema, 'properties')
  const structs = ['spec', 'status'].flatMap((part) => structsOf(at(properties, part), part))
  const anchors = new Anchors()
  for (const heading of [kind, 'Sections', columnsHeading]) anchors.anchorOf(heading)
  const anchorOf = new Map(structs.map(({ path }) => [path, anchors.anchorOf(path)]))
  return [
    head(kind, source),
    plain(textAt(schema, 'description')),
    guides,
    identity(spec, name),
    rulesOf(schema),
    `## Sections\n\n${pathNote}\n\n${contents(structs, anchorOf)}`,
    `## ${columnsHeading}\n\n${columnsTable(columns)}`,
    ...structs.map((struct) => section(struct, anchorOf)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

/** Returns the version in which objects are stored. */
export function storedVersion(spec: JsonObject): CrdVersion {
  const versions = own(spec, 'versions')
  const stored = isJsonList(versions)
    ? versions.filter(isJsonObject).find(({ storage }) => storage === true)
    : undefined
  if (stored === undefined) throw new Error('the definition stores no version')
  const columns = own(stored, 'additionalPrinterColumns')
  return {
    name: textAt(stored, 'name'),
    schema: at(at(stored, 'schema'), 'openAPIV3Schema'),
    columns: isJsonList(columns) ? columns.filter(isJsonObject) : [],
  }
}

function identity(spec: JsonObject, version: string): string {
  const names = at(spec, 'names')
  const list = (key: string) => {
    const value = own(names, key)
    return isJsonList(value) ? value.map((item) => code(String(item))).join(', ') : ''
  }
  const rows = [
    ['`apiVersion`', code(`${textAt(spec, 'group')}/${version}`)],
    ['`kind`', code(textAt(names, 'kind'))],
    ['`metadata`', `[ObjectMeta](${objectMeta})`],
    ['`spec`', '[Desired state](#spec)'],
    ['`status`', '[Observed state](#status), which the operator writes'],
    ['Scope', textAt(spec, 'scope')],
    ['Resource', code(textAt(names, 'plural'))],
    ['Short names', list('shortNames')],
    ['Categories', list('categories')],
  ]
  return table(
    ['Object', ''],
    rows.filter(([, value]) => value !== ''),
  )
}

/** Returns a list of links, nested by paths. */
function contents(structs: readonly Struct[], anchorOf: ReadonlyMap<string, string>): string {
  const depthOf = (path: string) => structs.filter((other) => path.startsWith(`${other.path}.`)).length
  return structs
    .map(({ path }) => `${'  '.repeat(depthOf(path))}- [${path.replaceAll(/[[\]]/g, '\\$&')}](#${anchorOf.get(path)})`)
    .join('\n')
}

function columnsTable(columns: readonly JsonObject[]): string {
  const rows = columns.map((column) => {
    const description = own(column, 'description')
    const priority = own(column, 'priority')
    return [
      code(textAt(column, 'name')),
      textAt(column, 'type'),
      code(textAt(column, 'jsonPath')),
      typeof priority === 'number' && priority > 0 ? '`-o wide`' : '',
      typeof description === 'string' ? plain(description) : '',
    ]
  })
  return table(['Column', 'Type', 'Path', 'Shown with', 'Description'], rows)
}

function section(struct: Struct, anchorOf: ReadonlyMap<string, string>): string {
  const { path, schema, fields } = struct
  const description = own(schema, 'description')
  const rows = fields.map((field) => [
    code(field.name),
    typeOf(field.schema, field.struct, anchorOf),
    field.isRequired ? 'yes' : '',
    defaultOf(field.schema),
    textOf(field),
  ])
  const parts = [
    `${path.includes('.') ? '###' : '##'} ${plain(path)}`,
    typeof description === 'string' ? plain(description) : '',
    table(['Field', 'Type', 'Required', 'Default', 'Description'], rows),
    rulesOf(schema),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Returns a type such as `list of [objects](#specdatabases)` or `string (date-time)`. */
function typeOf(schema: JsonObject, struct: string | undefined, anchorOf: ReadonlyMap<string, string>): string {
  const inner = innerOf(schema)
  if (inner !== undefined) {
    const of = typeOf(inner.schema, struct, anchorOf)
    return inner.mark === '[]' ? `list of ${of}` : `map of ${of}`
  }
  if (own(schema, 'x-kubernetes-int-or-string') === true) return 'integer or string'
  if (struct !== undefined) return `[object](#${anchorOf.get(struct)})`
  if (own(schema, 'x-kubernetes-preserve-unknown-fields') === true) return 'object, any fields'
  const format = own(schema, 'format')
  return `${textAt(schema, 'type')}${typeof format === 'string' ? ` (${format})` : ''}`
}

function defaultOf(schema: JsonObject): string {
  const value = own(schema, 'default')
  return value === undefined ? '' : code(valueText(value))
}

/** Returns the description, then a line for limits, and lines for the rules of a value without a section. */
function textOf({ schema, struct }: StructField): string {
  const description = own(schema, 'description')
  const lines = [
    typeof description === 'string' ? plain(description) : '',
    limitsOf(schema),
    ...innerLimits(schema),
    ...(struct === undefined || innerOf(schema) !== undefined ? ruleTexts(schema) : []).map((rule) => `Rule: ${rule}`),
  ]
  return lines.filter((line) => line !== '').join('<br>')
}

/** Returns limits of items and values that are no structs. */
function innerLimits(schema: JsonObject): readonly string[] {
  const inner = innerOf(schema)
  if (inner === undefined || own(inner.schema, 'properties') !== undefined) return []
  const limits = [limitsOf(inner.schema), ...ruleTexts(inner.schema)].filter((text) => text !== '').join(' ')
  const lines = limits === '' ? [] : [`Each ${inner.mark === '[]' ? 'item' : 'value'}: ${limits}`]
  return [...lines, ...innerLimits(inner.schema)]
}

function limitsOf(schema: JsonObject): string {
  const values = own(schema, 'enum')
  const allowed = isJsonList(values) ? [`Allowed: ${values.map((value) => code(valueText(value))).join(', ')}.`] : []
  // The type column has the format, and each rule has its own line.
  const { format: _, 'x-kubernetes-validations': __, ...simple } = schema
  const sentences = constraintsOf(simple).map((text) => text.replaceAll('|', '\\|'))
  return [...allowed, ...sentences].join(' ')
}

function rulesOf(schema: JsonObject): string {
  const rules = ruleTexts(schema)
  return rules.length === 0 ? '' : `Rules:\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`
}

/** Returns the messages of the CEL rules. A rule that reads `oldSelf` applies to updates only. */
function ruleTexts(schema: JsonObject): readonly string[] {
  const rules = own(schema, 'x-kubernetes-validations')
  if (!isJsonList(rules)) return []
  return rules.filter(isJsonObject).map((rule) => {
    const isTransition = /\boldSelf\b/.test(textAt(rule, 'rule'))
    const message = plain(textAt(rule, 'message').replace(/\.$/, ''))
    return `${message}${isTransition ? ' (on updates)' : ''}.`
  })
}

/** Returns the value as in YAML: a text has quotes only if it would otherwise be another value. */
function valueText(value: Json): string {
  return typeof value === 'string' && parse(value) === value ? value : asJson(value)
}

/** Returns JSON with spaces: `{"cpu": "100m"}`. */
function asJson(value: Json): string {
  if (isJsonList(value)) return `[${value.map(asJson).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${asJson(item ?? null)}`)
  return `{${fields.join(', ')}}`
}

function at(value: unknown, key: string): JsonObject {
  const found = isJsonObject(value) ? own(value, key) : undefined
  if (!isJsonObject(found)) throw new Error(`the definition has no ${key}`)
  return found
}

function textAt(value: JsonObject, key: string): string {
  const found = own(value, key)
  if (typeof found !== 'string') throw new Error(`the definition has no text ${key} in ${JSON.stringify(value)}`)
  return found
}
