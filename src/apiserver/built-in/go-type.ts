// Go types of built-in values, as the real server's JSON codec uses them. They contain what OpenAPI lacks: the order of
// fields, the
// fields that are omitted when empty, and the names in error messages. Made from the table in data/types.json.br.
import { assert } from '../../base/assert.ts'

export type GoType = GoScalar | GoPointer | GoList | GoMap | GoStruct | GoSchemaChoice

export interface GoScalar {
  readonly form:
    | 'string'
    | 'bool'
    | 'int32'
    | 'int64'
    | 'float64'
    | 'bytes'
    | 'time'
    | 'microTime'
    | 'quantity'
    | 'intOrString'
    /** Any JSON, unchanged. */
    | 'raw'
  /** Name in error messages: `int32`, `v1.PodPhase`. */
  readonly goName: string
}

export interface GoPointer {
  readonly form: 'pointer'
  readonly goName: string
  readonly to: GoType
}

export interface GoList {
  readonly form: 'list'
  readonly goName: string
  readonly items: GoType
}

export interface GoMap {
  readonly form: 'map'
  readonly goName: string
  readonly values: GoType
}

export interface GoStruct {
  readonly form: 'struct'
  readonly goName: string
  /** In the order in which the encoder writes them. */
  readonly fields: ReadonlyMap<string, GoField>
  /** Fields that the encoder always writes, also empty. */
  readonly alwaysWritten: readonly GoField[]
}

/** Field of a custom resource definition that holds a schema or a simpler value. */
export interface GoSchemaChoice {
  readonly form: 'schemaOrList' | 'schemaOrBool' | 'schemaOrStrings'
  readonly goName: string
  readonly schema: GoType
}

export interface GoField {
  readonly name: string
  /** Position in its struct. */
  readonly index: number
  readonly type: GoType
  /** When the encoder omits the field. Only times are marked as omitted when zero. */
  readonly isLeftOut: 'never' | 'whenEmpty' | 'whenZero'
  /** Name of the struct that has the field, as in error messages: `PodSpec`. */
  readonly owner: string
  /** Structs that embed it, joined by dots, as in error messages. */
  readonly embeddedIn: string
  /**
   * Field number in protocol buffers, after the numbers of the embedding structs; empty if the field is not encoded
   * there.
   */
  readonly wirePath: readonly number[]
  /** Patch strategy of a strategic merge patch: `merge`, `merge,retainKeys`, … or empty. */
  readonly patchStrategy: string
  /** Field that identifies the items of a merged list, or empty. */
  readonly patchMergeKey: string
}

/** Table from the real server's reflection; see oracles/built-in-types.go. */
export interface TypeTable {
  /** `apps/v1/Deployment` (`/v1/Pod`) → index into `types`. */
  readonly kinds: Readonly<Record<string, number>>
  readonly types: readonly TypeLine[]
}

/** Form, Go's name of the type, and its content: an index, or the fields. */
type TypeLine = readonly [form: string, goName: string, holds?: number | readonly FieldLine[]]
type FieldLine = readonly [
  name: string,
  type: number,
  leftOut: '' | 'empty' | 'zero',
  embeddedIn: string,
  wirePath: string,
  patchStrategy?: string,
  patchMergeKey?: string,
]

/** Types of one table. Equal indexes give the same GoType, so that recursive types terminate. */
export class GoTypes {
  readonly #table: TypeTable
  readonly #made: (GoType | undefined)[] = []

  constructor(table: TypeTable) {
    this.#table = table
  }

  /** Returns the type of a kind; undefined for a kind outside the table. */
  ofKind(kind: { readonly group: string; readonly version: string; readonly kind: string }): GoStruct | undefined {
    const index = this.#table.kinds[`${kind.group}/${kind.version}/${kind.kind}`]
    const type = index === undefined ? undefined : this.#type(index)
    return type?.form === 'struct' ? type : undefined
  }

  #type(index: number): GoType {
    const known = this.#made[index]
    if (known !== undefined) return known
    const line = this.#table.types[index]
    assert(line !== undefined, `the table of types has a line ${index}`)
    const made = this.#make(line)
    this.#made[index] = made
    return made
  }

  #make([form, goName, holds]: TypeLine): GoType {
    if (typeof holds === 'number') return heldType(form, goName, () => this.#type(holds))
    if (holds === undefined) return { form: form as GoScalar['form'], goName } // All generated forms.
    return structType(goName, () => new Map(holds.map((line, index) => [line[0], this.#field(line, index, goName)])))
  }

  #field(line: FieldLine, index: number, goName: string): GoField {
    const [name, type, leftOut, embeddedIn, wirePath, patchStrategy = '', patchMergeKey = ''] = line
    const held = this.#type(type)
    return {
      name,
      index,
      type: held,
      isLeftOut: leftOut === 'zero' ? 'whenZero' : leftOut === 'empty' && hasEmpty(held) ? 'whenEmpty' : 'never',
      owner: goName.slice(goName.indexOf('.') + 1),
      embeddedIn,
      wirePath: wirePath === '' ? [] : wirePath.split('.').map(Number),
      patchStrategy,
      patchMergeKey,
    }
  }
}

const withoutEmpty: ReadonlySet<GoType['form']> = new Set([
  'struct',
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'raw',
  'schemaOrList',
  'schemaOrBool',
  'schemaOrStrings',
])

/** Go never counts a struct as empty, so `omitempty` has no effect on one. */
function hasEmpty({ form }: GoType): boolean {
  return !withoutEmpty.has(form)
}

/** Builds the content of a type at its first use: types are recursive, and most are never needed. */
function heldType(form: string, goName: string, make: () => GoType): GoType {
  const held = once(make)
  switch (form) {
    case 'pointer':
      return {
        form,
        goName,
        get to() {
          return held()
        },
      }
    case 'list':
      return {
        form,
        goName,
        get items() {
          return held()
        },
      }
    case 'map':
      return {
        form,
        goName,
        get values() {
          return held()
        },
      }
    default:
      return {
        form: form as GoSchemaChoice['form'], // All generated forms.
        goName,
        get schema() {
          return held()
        },
      }
  }
}

function structType(goName: string, make: () => ReadonlyMap<string, GoField>): GoStruct {
  const fields = once(make)
  const alwaysWritten = once(() => [...fields().values()].filter(({ isLeftOut }) => isLeftOut === 'never'))
  return {
    form: 'struct',
    goName,
    get fields() {
      return fields()
    },
    get alwaysWritten() {
      return alwaysWritten()
    },
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
