// Random structural schemas, and objects that mostly conform to them. Seeded, so that a difference is reproducible.
import type { Json, JsonObject } from '../../src/base/json.ts'

type Fields = Record<string, Json>

const names = ['a', 'b', 'c', 'list', 'x-y', 'é']
const words = [
  '',
  'a',
  'b',
  'abc',
  'été',
  '2020-01-01',
  '1.2.3.4',
  '::1',
  'x@y.z',
  'http://a/b',
  '1h',
  'A b',
  '65',
  'k:v',
  'x'.repeat(70),
]
const formats = [
  'date',
  'date-time',
  'ipv4',
  'ipv6',
  'cidr',
  'email',
  'uri',
  'hostname',
  'mac',
  'uuid',
  'byte',
  'duration',
  'isbn',
  'k8s-short-name',
  'k8s-long-name',
  'int32',
  'int64',
  'float',
  'double',
  'password',
  'nonsense',
  'ssn',
  'hexcolor',
]
const patterns = ['^[a-z]+$', 'a|b', '^\\d{2,3}$', '^(a+)+$', '\\p{L}', '[[:upper:]]', '^.{0,3}$']
const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const

/** CEL rules that mostly compile. */
const rulesByType: Readonly<Record<(typeof types)[number], readonly string[]>> = {
  object: [
    'self == oldSelf',
    'size(self) < 3',
    'has(self.a)',
    'oldSelf.hasValue() || true',
    '!has(self.b) || self.b != self.a',
  ],
  array: ['size(self) < 3', 'self == oldSelf', 'self.all(x, size([x]) == 1)', 'size(self) >= size(oldSelf)'],
  string: ["self != 'abc'", "self.startsWith('a')", 'self == oldSelf', "self.matches('^[a-z]*$')"],
  integer: ['self < 5', 'self >= oldSelf', 'self + 1 > 0', 'self / (self - 1) > 0'],
  number: ['self < 5.0', 'self >= oldSelf'],
  boolean: ['self', 'self == oldSelf'],
}

export class Samples {
  /** Probability that a part of a schema has a rule. */
  rules = 0
  #state: number
  /** True within a default: its metadata must be valid, or the CRD is rejected. */
  #isDefault = false

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns the schema of a whole object with a spec and perhaps a status. */
  rootSchema(): JsonObject {
    const properties: Fields = { spec: this.schema(4) }
    if (this.chance(0.7)) properties['status'] = this.schema(3)
    if (this.chance(0.1)) properties['apiVersion'] = { type: 'string' }
    const root: Fields = { type: 'object', properties }
    if (this.chance(0.2)) root['required'] = ['spec']
    if (this.chance(0.1)) root['x-kubernetes-preserve-unknown-fields'] = true
    return root
  }

  schema(depth: number): JsonObject {
    if (this.chance(0.08)) return this.#intOrString()
    if (this.chance(0.05)) return { 'x-kubernetes-preserve-unknown-fields': true }
    const type = depth <= 0 ? this.pick(types.slice(2)) : this.pick(types)
    const schema: Fields = { type }
    if (this.chance(0.15)) schema['nullable'] = true
    if (type === 'object') this.#objectSchema(schema, depth)
    else if (type === 'array') this.#listSchema(schema, depth)
    else this.#scalarRules(schema, type)
    if (this.chance(0.1)) this.#combine(schema, depth)
    if (this.chance(this.rules)) schema['x-kubernetes-validations'] = [{ rule: this.pick(rulesByType[type]) }]
    if (this.chance(0.25)) schema['default'] = this.#default(schema)
    return schema
  }

  object(schema: JsonObject, wrongness = 0.08): JsonObject {
    const value = this.value(schema, wrongness)
    const body = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
    return { ...body, apiVersion: 'g.io/v1', kind: 'K', metadata: this.metadata() }
  }

  /** Returns the same object with few changes, as in an update. */
  changed(value: Json, schema: JsonObject): Json {
    if (this.chance(0.1)) return this.value(schema, 0.15)
    if (Array.isArray(value)) {
      const items = (schema['items'] ?? {}) as JsonObject
      const list = value.map((item: Json) => this.changed(item, items))
      if (this.chance(0.2)) list.reverse()
      if (this.chance(0.2)) list.push(this.value(items, 0.1))
      if (this.chance(0.1)) list.pop()
      return list
    }
    if (typeof value !== 'object' || value === null) return value
    const properties = (schema['properties'] ?? {}) as JsonObject
    const entries = Object.entries(value as JsonObject).flatMap(([key, field]): [string, Json][] =>
      this.chance(0.04) || field === undefined
        ? []
        : [[key, this.changed(field, (properties[key] ?? schema['additionalProperties'] ?? {}) as JsonObject)]],
    )
    return Object.fromEntries(entries)
  }

  value(schema: JsonObject, wrongness: number): Json {
    if (this.chance(wrongness)) return this.anything(2)
    if (schema['nullable'] === true && this.chance(0.1)) return null
    if (Array.isArray(schema['enum']) && this.chance(0.7)) return this.pick(schema['enum'] as Json[])
    if (schema['x-kubernetes-int-or-string'] === true) return this.chance(0.5) ? this.pick(words) : this.integer()
    switch (schema['type']) {
      case 'object':
        return this.#objectValue(schema, wrongness)
      case 'array':
        return Array.from({ length: this.below(4) }, () => this.value((schema['items'] ?? {}) as JsonObject, wrongness))
      case 'string':
        return this.pick(words)
      case 'integer':
        return this.integer()
      case 'number':
        return this.number()
      case 'boolean':
        return this.chance(0.5)
      default:
        return this.anything(2)
    }
  }

  metadata(): JsonObject {
    const metadata: Fields = { name: this.pick(['x', 'X', 'a.b']) }
    if (this.#isDefault) return metadata
    if (this.chance(0.2))
      metadata['labels'] = this.pick<Json>([{ a: 'b' }, { a: 1 }, [], {}, null, { 'a b': 'c' }, { a: null }])
    if (this.chance(0.1)) metadata['unknown'] = 1
    if (this.chance(0.1)) metadata['finalizers'] = this.pick<Json>([['x/y'], [], 'x', [null], [1]])
    if (this.chance(0.1))
      metadata['creationTimestamp'] = this.pick<Json>([
        '2020-01-01T00:00:00Z',
        null,
        'x',
        5,
        '2020-02-30T00:00:00Z',
        '2020-01-01T00:00:00.5+02:00',
        '2020-13-01T00:00:00Z',
        {},
      ])
    if (this.chance(0.1))
      metadata['ownerReferences'] = this.pick<Json>([
        [{ name: 'x' }],
        [{ name: 'x', kind: 'K', apiVersion: 'v1', uid: 'u', extra: 1 }],
        [1],
        {},
        [{ uid: 5 }],
        [null],
        [{ controller: 'yes' }],
      ])
    if (this.chance(0.05)) metadata['generation'] = this.pick<Json>([0, 1, 1.5, 'x', null])
    if (this.chance(0.05)) metadata['deletionGracePeriodSeconds'] = this.pick<Json>([0, 1, null, 'x'])
    if (this.chance(0.03))
      metadata['managedFields'] = this.pick<Json>([[{ manager: 'm', fieldsV1: {}, x: 1 }], [{ operation: 1 }], []])
    if (this.chance(0.03)) metadata['namespace'] = this.pick<Json>(['ns', '', 5, 'N S'])
    return metadata
  }

  anything(depth: number): Json {
    const kind = this.below(depth <= 0 ? 6 : 8)
    if (kind === 6) return Array.from({ length: this.below(3) }, () => this.anything(depth - 1))
    if (kind === 7) {
      const keys = Array.from({ length: this.below(3) }, () =>
        this.pick([...names, 'z', 'apiVersion', 'kind', 'metadata']),
      )
      return Object.fromEntries(keys.map((key) => [key, this.anything(depth - 1)]))
    }
    return this.pick<Json>([null, this.chance(0.5), this.integer(), this.number(), this.pick(words), this.pick(names)])
  }

  integer(): number | bigint {
    return this.pick<number | bigint>([
      0,
      1,
      2,
      3,
      5,
      -1,
      10,
      65,
      2 ** 31,
      2 ** 31 - 1,
      -(2 ** 31) - 1,
      9007199254740993n,
    ])
  }

  number(): number | bigint {
    return this.pick<number | bigint>([
      this.integer(),
      0.5,
      1.5,
      2.5,
      -0.5,
      1e-7,
      1234567.5,
      3e38,
      4e38,
      1e20,
      1e300,
      1.0000000001,
    ])
  }

  below(limit: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value // Sound: never empty.
  }

  #default(schema: JsonObject): Json {
    this.#isDefault = true
    const value = this.value(schema, 0)
    this.#isDefault = false
    return value
  }

  #intOrString(): JsonObject {
    const schema: Fields = { 'x-kubernetes-int-or-string': true }
    if (this.chance(0.3)) schema['anyOf'] = [{ type: 'integer' }, { type: 'string' }]
    if (this.chance(0.3)) schema['pattern'] = this.pick(patterns)
    if (this.chance(0.2)) schema['maximum'] = 5
    if (this.chance(0.2)) schema['default'] = this.chance(0.5) ? 1 : 'a'
    if (this.chance(0.1)) schema['format'] = this.pick(formats)
    return schema
  }

  #objectSchema(schema: Fields, depth: number): void {
    if (this.chance(0.3)) {
      schema['additionalProperties'] = this.chance(0.1) ? true : this.schema(depth - 1)
    } else {
      const keys = names.filter(() => this.chance(0.5))
      schema['properties'] = Object.fromEntries(keys.map((key) => [key, this.schema(depth - 1)]))
      if (this.chance(0.3)) schema['required'] = names.filter(() => this.chance(0.3))
      if (this.chance(0.1)) schema['x-kubernetes-preserve-unknown-fields'] = true
      if (this.chance(0.1)) schema['x-kubernetes-embedded-resource'] = true
    }
    if (this.chance(0.1)) schema['minProperties'] = this.below(3)
    if (this.chance(0.1)) schema['maxProperties'] = this.below(3)
  }

  #listSchema(schema: Fields, depth: number): void {
    const items = { ...this.schema(depth - 1) } as Fields
    schema['items'] = items
    const listType = this.below(4)
    if (listType === 0) schema['x-kubernetes-list-type'] = 'set'
    if (listType === 1 && items['type'] === 'object' && typeof items['properties'] === 'object') {
      schema['x-kubernetes-list-type'] = 'map'
      const keys = Object.keys(items['properties'] as JsonObject).filter(() => this.chance(0.6))
      schema['x-kubernetes-list-map-keys'] = keys.length === 0 ? ['a'] : keys
    }
    if (this.chance(0.1)) schema['minItems'] = this.below(3)
    if (this.chance(0.1)) schema['maxItems'] = this.below(3)
    if (this.chance(0.1)) schema['x-kubernetes-preserve-unknown-fields'] = true
  }

  #scalarRules(schema: Fields, type: string): void {
    if (this.chance(0.15))
      schema['enum'] = [this.value({ type }, 0), this.value({ type }, 0.1), ...(this.chance(0.2) ? [null] : [])]
    if (this.chance(0.25)) schema['format'] = this.pick(formats)
    if (type === 'string') {
      if (this.chance(0.2)) schema['maxLength'] = this.below(5)
      if (this.chance(0.2)) schema['minLength'] = this.below(5)
      if (this.chance(0.2)) schema['pattern'] = this.pick(patterns)
      return
    }
    if (this.chance(0.25)) schema['maximum'] = this.pick<Json>([5, 2.5, 0, 1e300, 3e9])
    if (this.chance(0.1)) schema['exclusiveMaximum'] = true
    if (this.chance(0.25)) schema['minimum'] = this.pick<Json>([1, 0.5, -1, 3, -1e300])
    if (this.chance(0.1)) schema['exclusiveMinimum'] = true
    if (this.chance(0.2)) schema['multipleOf'] = this.pick<Json>([2, 0.5, 3, 0.1, 1e7])
  }

  #combine(schema: Fields, depth: number): void {
    const inner = (): JsonObject => {
      const rules: Fields = {}
      if (schema['type'] === 'object') {
        const properties = Object.keys((schema['properties'] ?? {}) as JsonObject)
        if (this.chance(0.5)) rules['required'] = [this.pick(names)]
        if (properties.length > 0 && this.chance(0.5))
          rules['properties'] = {
            [this.pick(properties)]: this.pick<JsonObject>([
              { enum: ['a', 1] },
              { minLength: 2 },
              { maximum: 2 },
              { type: 'string' },
            ]),
          }
      } else {
        this.#scalarRules(rules, String(schema['type']))
        if (depth > 0 && this.chance(0.2)) this.#combine(rules, depth - 2)
      }
      return rules
    }
    const kind = this.pick(['anyOf', 'oneOf', 'allOf', 'not'])
    schema[kind] = kind === 'not' ? inner() : Array.from({ length: 1 + this.below(3) }, inner)
  }

  #objectValue(schema: JsonObject, wrongness: number): JsonObject {
    const fields: Fields = {}
    const properties = (schema['properties'] ?? {}) as JsonObject
    for (const [key, property] of Object.entries(properties))
      if (this.chance(0.7)) fields[key] = this.value(property as JsonObject, wrongness)
    const additional = schema['additionalProperties']
    if (typeof additional === 'object' && additional !== null)
      for (const key of names) if (this.chance(0.3)) fields[key] = this.value(additional as JsonObject, wrongness)
    if (schema['x-kubernetes-embedded-resource'] === true) this.#embed(fields)
    if (this.chance(0.15)) fields[this.pick(['z', 'unknown', '__proto__x'])] = this.anything(2)
    return fields
  }

  /** Adds the fields that make a value an embedded object. */
  #embed(fields: Fields): void {
    if (this.chance(0.9))
      fields['apiVersion'] = this.#isDefault || this.chance(0.9) ? 'v1' : this.pick<Json>(['', 'a/b/c', 1, null])
    if (this.chance(0.9))
      fields['kind'] = this.#isDefault || this.chance(0.9) ? 'Pod' : this.pick<Json>(['', 'é', 1, 'lower', null])
    if (this.chance(0.7)) fields['metadata'] = this.metadata()
  }
}
