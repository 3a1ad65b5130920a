// Rewrites definitions for `cdk8s import`, which drops, merges or breaks on everything that jsii cannot express, often
// silently. The program never sees the original definition. It sees a printed form of the parsed one, with only the
// parts that it handles correctly.
//
// - Constraints on values are removed; they would change types or stop the program.
// - A field gets a code name if the program would change its name to that of another, or cannot write it. `mend-import`
//   restores the real name.
// - A value without a type in jsii is `any`, and its description contains the constraints of the definition.
import type { JsonObject } from '../base/json.ts'
import { type Crd, type Field, type Schema, type Shape, servedVersions } from './crd.ts'
import { GenerateError } from './generate-error.ts'
import { importableEnum } from './importable-enum.ts'
import { isCodeName } from './mend-import.ts'
import { pascalCase } from './type-text.ts'

/** A parsed definition and its file. */
export interface ReadCrd {
  readonly crd: Crd
  readonly source: string
}

export interface Importable {
  /** Documents for the program instead of the definitions. */
  readonly documents: readonly JsonObject[]
  /** Real names by code name; no code name occurs otherwise. */
  readonly realNames: ReadonlyMap<string, string>
}

/** @throws {GenerateError} `UnsupportedSchema`, with the path of the part that no construct can express. */
export function importable(definitions: readonly ReadCrd[]): Importable {
  const realNames = new Map<string, string>()
  const typesByGroup = new Map<string, TypeNames>()
  const planned = definitions.map((definition) => {
    const { group } = definition.crd
    const types = typesByGroup.get(group) ?? new TypeNames()
    typesByGroup.set(group, types)
    return { ...definition, types, classes: claimClasses(definition, types) }
  })
  const documents = planned.map(({ crd, source, types, classes }) => {
    const versions = classes.map(({ version, className }) => {
      const printer = new Printer(types, realNames)
      // A construct declares the desired state; the status is the observed state.
      const fields = version.fields.filter(({ name }) => name !== 'status')
      const root: Shape = { kind: 'object', fields, keepsUnknownFields: false }
      refuseLost(fields, source, version.path)
      return { name: version.name, schema: { openAPIV3Schema: printer.root(root, version.description, className) } }
    })
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { group: crd.group, names: { kind: crd.kind }, versions },
    }
  })
  return { documents, realNames }
}

/** Claims class names first: a type yields to a class, never the other way round. */
function claimClasses({ crd, source }: ReadCrd, types: TypeNames) {
  return servedVersions(crd).map((version, index) => {
    const className = index === 0 ? crd.kind : `${crd.kind}${pascalCase(version.name)}`
    if (!types.claim(className) || !types.claim(`${className}Props`)) {
      const problem = `the construct ${className} would share its name with something else in ${crd.group}; keep them in separate folders`
      throw new GenerateError({ code: 'UnsupportedSchema', source, path: 'spec.names.kind', problem })
    }
    return { version, className }
  })
}

/**
 * Names of the types of a module. `cdk8s import` builds them from the path to a field and changes case and punctuation.
 * So two names count as one if their letters and digits are equal.
 */
class TypeNames {
  /** Names that a module imports, and the globals that it uses. */
  readonly #taken = new Set(['apiobject', 'apiobjectmetadata', 'construct', 'groupversionkind', 'object', 'record'])

  /** False if the name is taken. */
  claim(name: string): boolean {
    const folded = fold(name)
    if (this.#taken.has(folded)) return false
    this.#taken.add(folded)
    return true
  }
}

function fold(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** Prints shapes as schemas for the program. */
class Printer {
  readonly #types: TypeNames
  readonly #realNames: Map<string, string>

  constructor(types: TypeNames, realNames: Map<string, string>) {
    this.#types = types
    this.#realNames = realNames
  }

  root(shape: Shape & { kind: 'object' }, description: string, typeName: string): JsonObject {
    return { description, ...this.#object(shape, typeName) }
  }

  #schema(schema: Schema, typeName: string): JsonObject {
    const { shape, description } = schema
    const printed = this.#shape(shape, typeName)
    const note = noteOf(shape)
    return { description: note === '' ? description : `${description}\n${note}`.trim(), ...printed }
  }

  #shape(shape: Shape, typeName: string): JsonObject {
    switch (shape.kind) {
      case 'scalar':
        return { type: shape.type }
      case 'enum':
        return importableEnum(shape.values)
      case 'intOrString':
        return { anyOf: [{ type: 'number' }, { type: 'string' }] }
      case 'list':
        return { type: 'array', items: this.#schema(shape.items, typeName) }
      case 'map':
        return { type: 'object', additionalProperties: this.#schema(shape.values, typeName) }
      case 'anything':
        return {}
      case 'object':
        return isOpen(shape) ? {} : this.#object(shape, typeName)
    }
  }

  #object({ fields }: Shape & { kind: 'object' }, typeName: string): JsonObject {
    const folded = fields.map(({ name }) => fold(name))
    const shared = new Set(folded.filter((name, index) => folded.indexOf(name) !== index))
    const named = fields.map((field) => {
      const name = this.#nameOf(field, typeName, shared)
      const schema = this.#schema(field.schema, `${typeName}${fold(name)}`)
      return { name, schema, isRequired: field.isRequired }
    })
    return {
      type: 'object',
      properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
      required: named.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    }
  }

  /** Returns the field's own name if the program keeps it apart from all others, else a code name. */
  #nameOf({ name, schema }: Field, parent: string, shared: ReadonlySet<string>): string {
    const folded = fold(name)
    const isCarried = /^[A-Za-z][A-Za-z0-9_.-]*$/.test(name) && !inherited.has(folded) && !isCodeName(folded)
    const isAlone = !shared.has(folded)
    if (isCarried && isAlone && (!declaresType(schema) || this.#types.claim(`${parent}${folded}`))) return name
    // The number comes last, because a letter after it would change its case.
    const stem = `wire${folded.replaceAll(/[0-9]/g, '')}`
    let number = this.#realNames.size
    while (this.#realNames.has(`${stem}${number}`) || !this.#types.claim(`${parent}${stem}${number}`)) number += 1
    this.#realNames.set(`${stem}${number}`, name)
    return `${stem}${number}`
  }
}

/** Names that the program could change to one of Object.prototype. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype).map(fold))

/**
 * True for an object that accepts any field. To TypeScript an object without a field `toString` has one of a wrong
 * type.
 */
function isOpen({ fields, keepsUnknownFields }: Shape & { kind: 'object' }): boolean {
  return fields.length === 0 || keepsUnknownFields || fields.some(({ name }) => name in Object.prototype)
}

/** Rejects names of fields that cdk8s itself loses when it renders an object. */
function refuseLost(fields: readonly Field[], source: string, path: string): void {
  for (const { name, schema } of fields) {
    const at = `${path}.properties.${name}`
    if (name === '__proto__' || name === 'constructor') {
      const problem = `cdk8s cannot render a field named ${name}; take it out of the definition`
      throw new GenerateError({ code: 'UnsupportedSchema', source, path: at, problem })
    }
    refuseLostIn(schema, source, at)
  }
}

function refuseLostIn({ shape }: Schema, source: string, path: string): void {
  if (shape.kind === 'object') refuseLost(shape.fields, source, path)
  else if (shape.kind === 'list') refuseLostIn(shape.items, source, `${path}.items`)
  else if (shape.kind === 'map') refuseLostIn(shape.values, source, `${path}.additionalProperties`)
}

/** True if the program writes a separate type for it, named by the path. */
function declaresType({ shape }: Schema): boolean {
  switch (shape.kind) {
    case 'object':
      return !isOpen(shape)
    case 'enum':
      return 'enum' in importableEnum(shape.values)
    case 'intOrString':
      return true
    case 'list':
      return declaresType(shape.items)
    case 'map':
      return declaresType(shape.values)
    default:
      return false
  }
}

/** Returns the constraints that the type does not express. */
function noteOf(shape: Shape): string {
  if (shape.kind === 'enum' && !('enum' in importableEnum(shape.values))) {
    return `One of ${shape.values.map((value) => JSON.stringify(value)).join(', ')}.`
  }
  if (shape.kind === 'object' && shape.fields.length > 0 && isOpen(shape)) {
    const others = shape.keepsUnknownFields ? ' and any other fields' : ''
    return `As on the wire, with ${shape.fields.map(({ name }) => name).join(', ')}${others}.`
  }
  return ''
}
