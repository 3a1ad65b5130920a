// Random bodies for built-in kinds, generated from the kind's type: most valid, some with errors in a few values.
// Invariant: the same seed gives the same objects.
import type { GoField, GoType } from '../../../src/apiserver/built-in/go-type.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'

/** Returns numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Recipe {
  readonly next: () => number
  /** Percentage of values of a wrong type. */
  readonly faultPercent: number
  /** Percentage of values that are null or empty. */
  readonly emptyPercent: number
  /** True to generate only valid times, quantities and bytes, and longer lists. */
  readonly isWellFormed?: boolean
  /** True to generate often known texts, and always valid label keys and operators. */
  readonly isMeaningful?: boolean
}

/** Values for fields of these names. */
const words: Readonly<Record<string, readonly [string, ...string[]]>> = {
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
  phase: ['Pending', 'Running', 'Succeeded', 'Failed', 'Bound'],
  reason: ['', '', 'Completed', 'Error', 'CrashLoopBackOff', 'NodeLost', 'SchedulingGated', 'PodInitializing'],
  restartPolicy: ['Always', 'Never', ''],
  status: ['True', 'True', 'False', 'Unknown'],
  accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
}

/** Values for fields named type or kind, of any object. */
const types = [
  'Ready PodScheduled Initialized Complete Failed Suspended FailureTarget SuccessCriteriaMet InternalIP ExternalIP'.split(
    ' ',
  ),
  'ClusterIP NodePort LoadBalancer ExternalName External Object Pods Resource ContainerResource User Group'.split(' '),
  ['ServiceAccount'],
].flat()

const wellFormed: Readonly<Record<string, [string, ...string[]]>> = {
  bytes: ['', 'YQ==', 'YWI='],
  time: ['2024-02-28T10:20:30Z', '2024-02-28T10:20:31Z'],
  microTime: ['2024-02-28T10:20:30.123456Z', '2024-02-28T10:20:31.000000Z'],
  quantity: ['1', '100m', '1Gi', '0'],
}

export class RandomObjects {
  readonly #recipe: Recipe

  constructor(recipe: Recipe) {
    this.#recipe = recipe
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.#recipe.next() * values.length)] ?? values[0]
  }

  chance(percent: number): boolean {
    return this.#recipe.next() * 100 < percent
  }

  /** Returns a value. Deeper objects have fewer fields, to bound the size. */
  value(type: GoType, depth = 0): Json {
    if (depth > 0 && this.chance(this.#recipe.faultPercent)) return this.#wrong()
    if (depth > 0 && this.chance(this.#recipe.emptyPercent)) return this.#empty(type)
    switch (type.form) {
      case 'struct':
        return this.#struct([...type.fields.values()], depth)
      case 'list':
        return this.#times(() => this.value(type.items, depth + 1))
      case 'map':
        return Object.fromEntries(this.#times(() => [this.#key(), this.value(type.values, depth + 1)] as const))
      case 'pointer':
        return this.value(type.to, depth)
      case 'schemaOrBool':
        return this.chance(50) ? this.chance(50) : this.value(type.schema, depth + 1)
      case 'schemaOrList':
        return this.chance(50)
          ? this.value(type.schema, depth + 1)
          : this.#times(() => this.value(type.schema, depth + 1))
      case 'schemaOrStrings':
        return this.chance(50) ? this.value(type.schema, depth + 1) : this.#times(() => this.#text())
      default:
        return this.#scalar(type.form)
    }
  }

  /** Returns a value that suits the field's name, else any value. */
  #meaningful({ name, type }: GoField, depth: number): Json {
    const inner = type.form === 'pointer' ? type.to : type
    const known = name === 'type' || name === 'kind' ? ([...types] as [string, ...string[]]) : words[name] // Not empty.
    if (!this.#recipe.isMeaningful || known === undefined) return this.value(type, depth)
    if (inner.form === 'string') return this.pick([...known])
    const isList = inner.form === 'list' && inner.items.form === 'string'
    return isList ? this.#times(() => this.pick([...known])) : this.value(type, depth)
  }

  #struct(fields: readonly GoField[], depth: number): JsonObject {
    const depthPercent = this.#recipe.isWellFormed ? 75 - depth * 7 : 60 - depth * 9
    const percent = depth === 0 ? 90 : depth > 9 ? 0 : Math.max(8, depthPercent - fields.length / 2)
    const chosen = fields
      .filter(({ name }) => name !== 'kind' && name !== 'apiVersion' && this.chance(percent))
      .map((field) => [field.name, this.#meaningful(field, depth + 1)] as const)
    const ordered = this.chance(20) ? chosen.toReversed() : chosen
    const unknown = this.chance(this.#recipe.faultPercent) ? [[this.#key(), this.#wrong()] as const] : []
    return Object.fromEntries([...ordered, ...unknown])
  }

  #times<Value>(make: () => Value): Value[] {
    const length = this.#recipe.isWellFormed ? this.pick([1, 2, 3, 3, 4]) : this.pick([0, 1, 1, 1, 2, 2, 3])
    return Array.from({ length }, make)
  }

  #key(): string {
    if (this.#recipe.isMeaningful)
      return this.pick(['app', 'a', 'b.c/d', 'storage', 'node-role.kubernetes.io/x', 'kubernetes.io/role', 'Zz', '7'])
    return this.pick([
      'app',
      'a',
      'b.c/d',
      'cpu',
      'memory',
      'Zz',
      '__proto__',
      'constructor',
      '7',
      'é',
      'spec',
      'key "x"',
    ])
  }

  #text(): string {
    if (this.#recipe.isMeaningful) return this.pick(['', 'a', 'b', 'x-1', '10.0.0.1', 'fd00--1', 'true', 'Completed'])
    return this.pick(['', 'a', 'b', 'x-1', 'é', 'TCP', 'v1', '<&>'])
  }

  #scalar(form: string): Json {
    if (this.#recipe.isWellFormed && form in wellFormed) return this.pick(wellFormed[form] ?? [''])
    switch (form) {
      case 'string':
        return this.#text()
      case 'bool':
        return this.chance(50)
      case 'int32':
        return this.pick([0, 1, -1, 80, 2147483647, -2147483648])
      case 'int64':
        return this.pick<Json>([0, 1, -1, 600, 9007199254740993n, -9223372036854775808n])
      case 'float64':
        return this.pick([0, 1, -1.5, 0.25])
      case 'bytes':
        return this.pick(['', 'YQ==', 'YWI=', 'YWJj', 'QR==', 'YW\nJj', 'YQ=', 'YQ', '*', '==', 'YQ==x', 'é'])
      case 'time':
        return this.#time('')
      case 'microTime':
        return this.#time(this.pick(['.123456', '.123456', '.000000', ',123456', '.12', '']))
      case 'quantity':
        return this.pick<Json>([
          '1',
          '100m',
          '1Gi',
          '1024Mi',
          '0.5',
          '1e3',
          ' 2 ',
          'Ki',
          'Ei',
          '',
          '1x',
          'a',
          3,
          0,
          -1,
          0.25,
        ])
      case 'intOrString':
        return this.pick<Json>([0, 1, 80, 'http', '50%', '', 2147483647])
      default:
        return this.pick<Json>([{}, { b: [1, null], a: { 'f:x': {} } }, [], 'text', 1.5, true])
    }
  }

  #time(fraction: string): string {
    const day = this.pick([
      '2024-02-29',
      '2024-02-28',
      '0001-01-01',
      '2023-02-29',
      '2024-13-01',
      '2024-1-01',
      '24-01-01',
      '',
    ])
    const hour = this.pick([
      'T10:20:30',
      'T10:20:30',
      'T00:00:00',
      'T5:04:05',
      'T24:00:00',
      't10:20:30',
      'T10:60:00',
      'T10:20:61',
    ])
    const zone = this.pick(['Z', 'Z', 'Z', '+01:30', '-24:00', '+25:00', '+1:00', 'é', '', 'Zx', '.5Z', '+ab:00'])
    return this.chance(60) ? `2024-02-28T10:20:30${fraction}Z` : `${day}${hour}${fraction}${zone}`
  }

  #wrong(): Json {
    return this.pick<Json>([
      null,
      'text',
      7,
      1.5,
      true,
      [],
      {},
      [1],
      ['a'],
      { a: 1 },
      99999999999,
      -0.5,
      '',
      [null],
      [{}],
    ])
  }

  #empty(type: GoType): Json {
    const empty: Json[] = [null]
    if (type.form === 'list') empty.push([], [null])
    if (type.form === 'map') empty.push({}, { a: null })
    if (type.form === 'struct') empty.push({})
    return this.pick([null, ...empty])
  }
}
