// Wire types of a kind: a Crd becomes the text of a module with the descriptor of the resource, its Spec and its
// Status. The text depends on the definition alone, and imports nothing.
//
// `KindSpec` is the server's output: a field with a default is always present. `KindSpecInput` is the input of people:
// such a field is optional. Both are one type if they do not differ.
import { assert } from '../base/assert.ts'
import { type Crd, type CrdVersion, type Field, type Schema, type Shape, servedVersions } from './crd.ts'
import { header } from './header.ts'
import { docComment, kebabCase, literal, literalType, pascalCase, propertyName } from './type-text.ts'

/** A generated module. */
export interface WireModule {
  /** File name without extension: `replicated-kv-store`. */
  readonly name: string
  readonly text: string
  /** The descriptors, one for each served version. */
  readonly values: readonly string[]
  /** Exported types, in the order of the text. */
  readonly types: readonly string[]
}

/**
 * Returns the module of a kind. The stored version has the kind's plain name and the others a suffix, as in
 * `DatabaseV1Beta1`; so have the constructs. Only `spec` and `status` of the root become types; other fields of wire
 * objects are unknown.
 */
export function wireTypes(crd: Crd, source: string): WireModule {
  const declarations = new Declarations()
  const values: string[] = []
  for (const [index, version] of servedVersions(crd).entries()) {
    const name = index === 0 ? crd.kind : `${crd.kind}${pascalCase(version.name)}`
    values.push(name)
    declareVersion(crd, version, name, declarations)
  }
  const opening = `${header(source)}\n// How ${crd.kind} of ${crd.group} looks on the wire.`
  return {
    name: kebabCase(crd.kind),
    text: `${[opening, ...declarations.texts()].join('\n\n')}\n`,
    values,
    types: declarations.names().filter((name) => !values.includes(name)),
  }
}

function declareVersion(crd: Crd, version: CrdVersion, name: string, declarations: Declarations): void {
  const names = {
    descriptor: declarations.claim(name),
    resource: declarations.claim(`${name}Resource`),
    spec: declarations.claim(`${name}Spec`),
    input: declarations.claim(`${name}SpecInput`),
    status: declarations.claim(`${name}Status`),
  }
  const parts = { group: crd.group, version: version.name, kind: crd.kind, plural: crd.plural, scope: crd.scope }
  const lines = Object.entries(parts).map(([key, value]) => [key, literal(value)] as const)
  declarations.write(names.descriptor, [
    ...docComment({ description: version.description, constraints: [] }, ''),
    `export const ${names.descriptor}: ${names.resource} = Object.freeze({`,
    ...lines.map(([key, value]) => `  ${key}: ${value},`),
    '})',
  ])
  declarations.write(names.resource, [
    `/** The type of the descriptor \`${names.descriptor}\`: a Resource<${names.spec}, ${names.status}>. */`,
    `export interface ${names.resource} {`,
    ...lines.map(([key, value]) => `  readonly ${key}: ${value}`),
    '  /** Types only; never present at run time. */',
    `  readonly types?: { readonly spec: ${names.spec}; readonly status: ${names.status} }`,
    '}',
  ])
  const [spec, status] = ['spec', 'status'].map((part) => version.fields.find(({ name }) => name === part)?.schema)
  const read = new TypeWriter(declarations, 'read')
  read.declareAs(names.spec, spec)
  new TypeWriter(declarations, 'written', read).declareAs(names.input, spec)
  read.declareAs(names.status, status)
}

/** `read`: as the server returns it, with defaults. `written`: as people write it. */
type Form = 'read' | 'written'

/** Writes types of one form. Every object with fields becomes an interface, named after the path to it. */
class TypeWriter {
  readonly #declarations: Declarations
  readonly #form: Form
  readonly #readForm: TypeWriter | undefined
  readonly #names = new Map<Schema, string>()

  constructor(declarations: Declarations, form: Form, readForm?: TypeWriter) {
    this.#declarations = declarations
    this.#form = form
    this.#readForm = readForm
  }

  /** Declares a claimed name; a kind without such a part gets the type without fields. */
  declareAs(name: string, schema: Schema | undefined): void {
    const readName = schema === undefined ? undefined : this.#readForm?.nameOf(schema)
    if (
      schema !== undefined &&
      schema.shape.kind === 'object' &&
      schema.shape.fields.length > 0 &&
      !this.#isSameAsRead(schema)
    ) {
      this.#declareInterface(name, schema, schema.shape)
      return
    }
    const type = schema === undefined ? noFields : (readName ?? this.#typeOf(schema, name))
    this.#declarations.write(name, [...typeComment(schema), `export type ${name} = ${type}`])
  }

  nameOf(schema: Schema): string | undefined {
    return this.#names.get(schema)
  }

  #isSameAsRead(schema: Schema): boolean {
    return this.#form === 'written' && !hasDefaults(schema)
  }

  #typeOf(schema: Schema, name: string): string {
    const type = this.#shapeType(schema, name)
    return schema.isNullable && schema.shape.kind !== 'anything' ? `${type} | null` : type
  }

  #shapeType(schema: Schema, name: string): string {
    const { shape } = schema
    switch (shape.kind) {
      case 'scalar':
        return shape.type
      case 'enum':
        return shape.values.length === 0 ? 'never' : [...new Set(shape.values.map(literalType))].join(' | ')
      case 'intOrString':
        return 'number | string'
      case 'list':
        return listOf(this.#typeOf(shape.items, name))
      case 'map':
        return `Readonly<Record<string, ${this.#typeOf(shape.values, name)}>>`
      case 'anything':
        return 'unknown'
      case 'object':
        return this.#objectType(schema, shape, name)
    }
  }

  #objectType(schema: Schema, shape: Shape & { kind: 'object' }, name: string): string {
    if (shape.fields.length === 0) return shape.keepsUnknownFields ? 'Readonly<Record<string, unknown>>' : noFields
    if (this.#isSameAsRead(schema)) {
      const readName = this.#readForm?.nameOf(schema)
      assert(readName !== undefined, 'the read form of a kind is written before the written form')
      return readName
    }
    const claimed = this.#declarations.claim(this.#form === 'written' ? `${name}Input` : name)
    this.#declareInterface(claimed, schema, shape)
    return claimed
  }

  #declareInterface(name: string, schema: Schema, shape: Shape & { kind: 'object' }): void {
    this.#names.set(schema, name)
    const path = this.#form === 'written' ? name.replace(/Input\d*$/, '') : name
    const fields = shape.fields.flatMap((field) => this.#field(field, `${path}${pascalCase(field.name)}`))
    const rest = shape.keepsUnknownFields
      ? ['  /** Fields that the definition does not name. */', '  readonly [field: string]: unknown']
      : []
    this.#declarations.write(name, [...typeComment(schema), `export interface ${name} {`, ...fields, ...rest, '}'])
  }

  #field({ name, isRequired, schema }: Field, typeName: string): string[] {
    const hasDefault = schema.defaultValue !== undefined
    const isPresent = this.#form === 'read' ? isRequired || hasDefault : isRequired && !hasDefault
    const mark = isPresent ? '' : '?'
    // An object without a field of such a name returns the property that every object inherits.
    const inherited = !isPresent && name in Object.prototype ? ` | Object[${literal(name)}]` : ''
    const type = `${this.#typeOf(schema, typeName)}${inherited}`
    return [...docComment(schema, '  '), `  readonly ${propertyName(name)}${mark}: ${type}`]
  }
}

const noFields = 'Readonly<Record<string, never>>'

/** The default belongs to the field that has this type. */
function typeComment(schema: Schema | undefined): string[] {
  return docComment({ description: schema?.description ?? '', constraints: schema?.constraints ?? [] }, '')
}

function listOf(item: string): string {
  return `readonly ${item.includes('|') || item.startsWith('readonly ') ? `(${item})` : item}[]`
}

/** True if an omitted default changes the type anywhere below. Linear in the nodes below. */
function hasDefaults({ shape }: Schema): boolean {
  switch (shape.kind) {
    case 'object':
      return shape.fields.some(({ schema }) => schema.defaultValue !== undefined || hasDefaults(schema))
    case 'list':
      return hasDefaults(shape.items)
    case 'map':
      return hasDefaults(shape.values)
    default:
      return false
  }
}

/** Declarations of a module: names are claimed in reading order, and their texts follow later. */
class Declarations {
  readonly #byName = new Map<string, string>()

  /** Returns the name, or the name with the first free number from 2 if it is taken: `SpecFooBar`, `SpecFooBar2`. */
  claim(name: string): string {
    let free = name
    for (let number = 2; this.#byName.has(free); number++) free = `${name}${number}`
    this.#byName.set(free, '')
    return free
  }

  write(name: string, lines: readonly string[]): void {
    assert(this.#byName.get(name) === '', `${name} is claimed once and written once`)
    this.#byName.set(name, lines.join('\n'))
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  texts(): string[] {
    return [...this.#byName.values()]
  }
}
