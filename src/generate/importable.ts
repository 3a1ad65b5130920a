// What of a definition can `cdk8s import` carry? The program drops, merges or breaks on what jsii cannot say, often in
// silence. So it never sees a definition as it was written, but one printed anew from what we read, in which everything that
// is left is something it does right:
//
// - Demands on values are gone; they would turn types into others or stop the program.
// - A field whose name it would change for that of another, or cannot write, bears a code name; `mend-import` puts the real
//   one back.
// - What jsii has no type for is `any`, and its description says what the definition wants.
import type { JsonObject } from '../base/json.ts'
import { type Crd, type Field, type Schema, type Shape, servedVersions } from './crd.ts'
import { GenerateError } from './generate-error.ts'
import { importableEnum } from './importable-enum.ts'
import { isCodeName } from './mend-import.ts'
import { pascalCase } from './type-text.ts'

/** A definition that was read, and the file that it is from. */
export interface ReadCrd {
  readonly crd: Crd
  readonly source: string
}

export interface Importable {
  /** What to hand to the program instead of the definitions. */
  readonly documents: readonly JsonObject[]
  /** The real names by code name, which stands for nothing else. */
  readonly realNames: ReadonlyMap<string, string>
}

/** @throws {GenerateError} `UnsupportedSchema`, with the path of what no construct can have. */
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
      const printer = new Printer(source, types, realNames)
      // A construct says what should be, and status what is.
      const fields = version.fields.filter(({ name }) => name !== 'status')
      const root: Shape = { kind: 'object', fields, keepsUnknownFields: false }
      const place = { path: version.path, typeName: className }
      return { name: version.name, schema: { openAPIV3Schema: printer.root(root, version.description, place) } }
    })
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { group: crd.group, names: { kind: crd.kind }, versions },
    }
  })
  return { documents, realNames }
}

/** Classes are named first: a type gives way to a class, never the other way round. */
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
 * The names of the types of a module. `cdk8s import` builds them from the path to a field and changes case and punctuation on
 * the way, so two names count as one if their letters and digits are the same.
 */
class TypeNames {
  /** What a module imports, and the globals that it uses. */
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

interface Place {
  readonly path: string
  readonly typeName: string
}

/** Prints shapes as the schemas that the program reads. */
class Printer {
  readonly #source: string
  readonly #types: TypeNames
  readonly #realNames: Map<string, string>

  constructor(source: string, types: TypeNames, realNames: Map<string, string>) {
    this.#source = source
    this.#types = types
    this.#realNames = realNames
  }

  root(shape: Shape & { kind: 'object' }, description: string, place: Place): JsonObject {
    return { description, ...this.#object(shape, place) }
  }

  #schema(schema: Schema, place: Place): JsonObject {
    const { shape, description } = schema
    const printed = this.#shape(shape, place)
    const note = noteOf(shape)
    return { description: note === '' ? description : `${description}\n${note}`.trim(), ...printed }
  }

  #shape(shape: Shape, place: Place): JsonObject {
    switch (shape.kind) {
      case 'scalar':
        return { type: shape.type }
      case 'enum':
        return importableEnum(shape.values)
      case 'intOrString':
        return { anyOf: [{ type: 'number' }, { type: 'string' }] }
      case 'list':
        return { type: 'array', items: this.#schema(shape.items, { ...place, path: `${place.path}.items` }) }
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.#schema(shape.values, { ...place, path: `${place.path}.additionalProperties` }),
        }
      case 'anything':
        return {}
      case 'object':
        return shape.fields.length === 0 || shape.keepsUnknownFields ? {} : this.#object(shape, place)
    }
  }

  #object({ fields }: Shape & { kind: 'object' }, place: Place): JsonObject {
    const siblings = new Set<string>()
    const named = fields.map((field) => {
      const path = `${place.path}.properties.${field.name}`
      this.#refuseUncarried(field.name, path)
      const name = this.#nameOf(field, place.typeName, siblings)
      const schema = this.#schema(field.schema, { path, typeName: `${place.typeName}${fold(name)}` })
      return { name, schema, isRequired: field.isRequired }
    })
    return {
      type: 'object',
      properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
      required: named.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    }
  }

  /** What cdk8s itself loses when it renders an object. */
  #refuseUncarried(name: string, path: string): void {
    if (name !== '__proto__' && name !== 'constructor') return
    const problem = `cdk8s cannot render a field named ${name}; take it out of the definition`
    throw new GenerateError({ code: 'UnsupportedSchema', source: this.#source, path, problem })
  }

  /** The field's own name if the program keeps it apart from all others, else a code name. */
  #nameOf({ name, schema }: Field, parent: string, siblings: Set<string>): string {
    const folded = fold(name)
    const isCarried = /^[A-Za-z][A-Za-z0-9_.-]*$/.test(name) && !inherited.has(folded) && !isCodeName(folded)
    const isFree = !siblings.has(folded)
    if (isCarried && isFree && (!declaresType(schema) || this.#types.claim(`${parent}${folded}`))) {
      siblings.add(folded)
      return name
    }
    // The number comes last, or the letter after it would change its case.
    const stem = `wire${folded.replaceAll(/[0-9]/g, '')}`
    let number = this.#realNames.size
    while (this.#realNames.has(`${stem}${number}`) || !this.#types.claim(`${parent}${stem}${number}`)) number += 1
    this.#realNames.set(`${stem}${number}`, name)
    return `${stem}${number}`
  }
}

/** What every object answers to in JavaScript, present or not. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype).map(fold))

/** Does the program write a type of its own for it, named by the path? */
function declaresType({ shape }: Schema): boolean {
  switch (shape.kind) {
    case 'object':
      return shape.fields.length > 0 && !shape.keepsUnknownFields
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

/** What the type does not say. */
function noteOf(shape: Shape): string {
  if (shape.kind === 'enum' && !('enum' in importableEnum(shape.values))) {
    return `One of ${shape.values.map((value) => JSON.stringify(value)).join(', ')}.`
  }
  if (shape.kind === 'object' && shape.keepsUnknownFields && shape.fields.length > 0) {
    return `As on the wire, with ${shape.fields.map(({ name }) => name).join(', ')} and any other fields.`
  }
  return ''
}
