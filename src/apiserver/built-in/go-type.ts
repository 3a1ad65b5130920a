// How does the real server's own type of a built-in value read and write JSON? What OpenAPI does not say: the order of
// fields, which are left out when empty, and the names that refusals show. Made from the table in data/types.json.br.
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
    /** Any JSON, kept as it came. */
    | 'raw'
  /** As refusals show it: `int32`, `v1.PodPhase`. */
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
  /** In the order in which they are written. */
  readonly fields: ReadonlyMap<string, GoField>
  /** Those that are written whatever they hold. */
  readonly alwaysWritten: readonly GoField[]
}

/** A place in a custom resource definition that holds a schema, or something simpler. */
export interface GoSchemaChoice {
  readonly form: 'schemaOrList' | 'schemaOrBool' | 'schemaOrStrings'
  readonly goName: string
  readonly schema: GoType
}

export interface GoField {
  readonly name: string
  /** Its place in the order of its struct. */
  readonly index: number
  readonly type: GoType
  /** When is the field not written? Only times are marked to be left out when zero. */
  readonly isLeftOut: 'never' | 'whenEmpty' | 'whenZero'
  /** The name of the struct that has the field, as refusals show it: `PodSpec`. */
  readonly owner: string
  /** The structs it is embedded in, joined by dots; refusals show them too. */
  readonly embeddedIn: string
  /** Its number in protocol buffers, after those of the structs it is embedded in; empty if it does not travel in them. */
  readonly wirePath: readonly number[]
  /** How a strategic merge patch changes the field: `merge`, `merge,retainKeys`, … or empty. */
  readonly patchStrategy: string
  /** The field that tells the items of a merged list apart, or empty. */
  readonly patchMergeKey: string
}

/** The table as the real server's reflection gave it; see oracles/built-in-types.go. */
export interface TypeTable {
  /** `apps/v1/Deployment` (`/v1/Pod`) → index into `types`. */
  readonly kinds: Readonly<Record<string, number>>
  readonly types: readonly TypeLine[]
}

/** The form, Go's text for the type, and what it holds: an index, or the fields. */
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

/** Types of one table; equal indices give the same GoType, so that recursive types end. */
export class GoTypes {
  readonly #table: TypeTable
  readonly #made: (GoType | undefined)[] = []

  constructor(table: TypeTable) {
    this.#table = table
  }

  /** The type of a kind; undefined for a kind that the table does not have. */
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
    if (holds === undefined) return { form: form as GoScalar['form'], goName } // The forms that the table's maker knows.
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

/** Go calls no struct empty, whatever it writes, so `omitempty` on one means nothing. */
function hasEmpty({ form }: GoType): boolean {
  return !withoutEmpty.has(form)
}

/** What a type holds is made when it is first asked for: types are recursive, and most are never needed. */
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
        form: form as GoSchemaChoice['form'], // As above.
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
