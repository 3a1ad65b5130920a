// Schemas with the shapes of well-known projects' definitions, and some rarer ones: one kind for each.
import type { Json, JsonObject } from '../../src/base/json.ts'

export interface ShapeExample {
  /** The kind whose `spec` has this schema. */
  readonly kind: string
  readonly spec: JsonObject
  /** A spec in wire form that fits the schema; the construct renders it. */
  readonly valid: JsonObject
  /** TypeScript of the spec for the construct, if it differs from the wire. `imported` is the module. */
  readonly construct?: string
  /** Specs that do not fit, and the reported field. */
  readonly invalid?: readonly (readonly [spec: JsonObject, field: string])[]
  /** Specs that fit the types but not the schema. */
  readonly isValueOnly?: boolean
}

const text = { type: 'string' }
const count = { type: 'integer' }
const intOrString = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }
const anything = { 'x-kubernetes-preserve-unknown-fields': true }
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const map = (additionalProperties: Json): JsonObject => ({ type: 'object', additionalProperties })

/** A literal of JavaScript cannot express a field whose name begins with two underscores. */
const parsed = (json: string): JsonObject => JSON.parse(json)

export const shapes: readonly ShapeExample[] = [
  {
    kind: 'IntOrString',
    spec: object({
      port: intOrString,
      // A Quantity, and its form with an added pattern.
      divisor: { ...intOrString, pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$' },
      bare: { 'x-kubernetes-int-or-string': true },
      both: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: intOrString.anyOf }, { pattern: '^1' }] },
      limits: map(intOrString),
      ports: list(intOrString),
      known: { 'x-kubernetes-int-or-string': true, enum: [80, 'http'] },
    }),
    valid: {
      port: 'http',
      divisor: '1Gi',
      bare: 1,
      both: '1a',
      limits: { cpu: 1, memory: '1Gi' },
      ports: [1, 'http'],
      known: 'http',
    },
    construct: `{
      port: imported.IntOrStringSpecPort.fromString('http'),
      divisor: imported.IntOrStringSpecDivisor.fromString('1Gi'),
      bare: imported.IntOrStringSpecBare.fromNumber(1),
      both: imported.IntOrStringSpecBoth.fromString('1a'),
      limits: {
        cpu: imported.IntOrStringSpecLimits.fromNumber(1),
        memory: imported.IntOrStringSpecLimits.fromString('1Gi'),
      },
      ports: [imported.IntOrStringSpecPorts.fromNumber(1), imported.IntOrStringSpecPorts.fromString('http')],
      known: 'http',
    }`,
    invalid: [
      [{ port: true }, 'spec.port'],
      [{ limits: { cpu: [] } }, 'spec.limits.cpu'],
      [{ known: 81 }, 'spec.known'],
    ],
  },
  {
    kind: 'UnknownField',
    spec: object({
      anything,
      config: { type: 'object', ...anything },
      half: object({ size: count }, anything),
      values: map(anything),
      items: list(anything),
      free: map(true),
      closed: object({ size: count }, { additionalProperties: false }),
    }),
    valid: {
      anything: [1, { a: 'b' }],
      config: { a: { b: [true] } },
      half: { size: 1, other: { deep: 'x' } },
      values: { a: 1, b: { c: 'd' } },
      items: [1, 'a', { b: [] }],
      free: { a: 1 },
      closed: { size: 1 },
    },
    invalid: [
      [{ half: { size: 'x' } }, 'spec.half.size'],
      [{ closed: { other: 1 } }, 'spec.closed.other'],
      [{ config: 1 }, 'spec.config'],
    ],
  },
  {
    kind: 'EmbeddedResource',
    spec: object({
      manifest: { type: 'object', 'x-kubernetes-embedded-resource': true, ...anything },
      pod: object({ spec: object({ image: text }) }, { 'x-kubernetes-embedded-resource': true }),
    }),
    valid: {
      manifest: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } },
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { x: 'y' } }, spec: { image: 'i' } },
    },
    invalid: [
      [{ pod: { apiVersion: 'v1', metadata: {} } }, 'spec.pod.kind'],
      [{ pod: { apiVersion: 'v1', kind: 'Pod', metadata: {}, spce: {} } }, 'spec.pod.spce'],
    ],
  },
  {
    kind: 'ListInMapInList',
    spec: object({
      rules: list(map(list(map(list(object({ name: text }, { required: ['name'] })))))),
      matrix: list(list(list(count))),
      byKey: list(object({ name: text, port: { ...count, default: 80 }, value: text }, { required: ['name'] }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name', 'port'],
      }),
      set: list(text, { 'x-kubernetes-list-type': 'set' }),
      maps: map(map(map(text))),
    }),
    valid: {
      rules: [{ a: [{ b: [{ name: 'x' }] }] }],
      matrix: [[[1, 2], []], []],
      byKey: [{ name: 'a', port: 1, value: 'v' }],
      set: ['a', 'b'],
      maps: { a: { b: { c: 'd' } } },
    },
    invalid: [
      [{ rules: [{ a: [{ b: [{}] }] }] }, 'spec.rules[0].a[0].b[0].name'],
      [{ matrix: [[[1], ['x']]] }, 'spec.matrix[0][1][0]'],
      [{ maps: { a: { b: { c: 1 } } } }, 'spec.maps.a.b.c'],
    ],
  },
  {
    kind: 'Enumeration',
    spec: object({
      mode: { ...text, enum: ['Fast', 'very-slow', '1.5'] },
      code: { ...count, enum: [301, 302] },
      ratio: { type: 'number', enum: [-1, 1, 0.5] },
      flag: { type: 'boolean', enum: [true] },
      only: { ...text, enum: ['v1'] },
      orNull: { ...text, nullable: true, enum: ['a', null] },
      cased: { ...text, enum: ['Always', 'always'] },
      odd: { ...text, enum: ['', '*/', "it's", '$(x)', 'a@b', '\\'] },
      similar: { ...text, enum: ['a-b', 'a_b', 'aB', 'a b'] },
      pair: { type: 'array', items: count, enum: [[1, 2], []] },
      point: { type: 'object', ...anything, enum: [{ x: 1 }, { x: 2, y: [null] }] },
      nested: list({ ...text, enum: ['in', 'out'] }),
      // Words that are also properties of every object.
      reserved: { ...text, enum: ['constructor', 'default', 'toString', 'hasOwnProperty'] },
    }),
    valid: {
      mode: 'very-slow',
      code: 302,
      ratio: -1,
      flag: true,
      only: 'v1',
      orNull: 'a',
      cased: 'always',
      odd: '*/',
      similar: 'a b',
      pair: [1, 2],
      point: { x: 1 },
      nested: ['out'],
      reserved: 'constructor',
    },
    construct: `{
      mode: imported.EnumerationSpecMode.VERY_HYPHEN_SLOW,
      code: imported.EnumerationSpecCode.VALUE_302,
      ratio: -1,
      flag: true,
      only: imported.EnumerationSpecOnly.V1,
      orNull: imported.EnumerationSpecOrNull.A,
      cased: 'always',
      odd: '*/',
      similar: 'a b',
      pair: [1, 2],
      point: { x: 1 },
      nested: [imported.EnumerationSpecNested.OUT],
      reserved: 'constructor',
    }`,
    invalid: [
      [{ mode: 'fast' }, 'spec.mode'],
      [{ code: 303 }, 'spec.code'],
      [{ flag: false }, 'spec.flag'],
      [{ pair: [2, 1] }, 'spec.pair'],
      [{ point: { x: 3 } }, 'spec.point'],
      [{ cased: 'ALWAYS' }, 'spec.cased'],
    ],
  },
  {
    kind: 'FieldName',
    spec: object(
      {
        snake_case_name: text,
        'kebab-case-name': text,
        URLPath: text,
        clusterIP: text,
        ContainerID: text,
        ABCDef1GHI: object({ JSONPath: text }),
        'dotted.name': text,
        'example.dev/label': text,
        $ref: text,
        $schema: object({ $ref: list(object({ $id: text })) }),
        'x-kubernetes-validations': list(object({ rule: text })),
        'with space': text,
        "it's": text,
        'a*/b': { ...text, description: 'Ends */ nothing.' },
        '42': count,
        '4x': text,
        _: text,
        '-': text,
        __private: text,
        ünïcode: text,
        '#,': text,
        'a/b/c': text,
        default: text,
        class: text,
        new: text,
        readonly: text,
        build: text,
        equals: text,
        hash_code: text,
        toJson: text,
        obj: text,
        result: text,
        wire1: text,
        metadata: object({ labels: map(text) }),
        kind: text,
        status: object({ status: text }),
      },
      { required: ['$ref', 'with space', '42'] },
    ),
    valid: {
      snake_case_name: '1',
      'kebab-case-name': '2',
      URLPath: '3',
      clusterIP: '4',
      ContainerID: '5',
      ABCDef1GHI: { JSONPath: '6' },
      'dotted.name': '7',
      'example.dev/label': '8',
      $ref: '9',
      $schema: { $ref: [{ $id: '10' }] },
      'x-kubernetes-validations': [{ rule: '11' }],
      'with space': '12',
      "it's": '13',
      'a*/b': '14',
      '42': 15,
      '4x': '16',
      _: '17',
      '-': '18',
      __private: '19',
      ünïcode: '20',
      '#,': '21',
      'a/b/c': '22',
      default: '23',
      class: '24',
      new: '25',
      readonly: '26',
      build: '29',
      equals: '30',
      hash_code: '31',
      toJson: '32',
      obj: '33',
      result: '34',
      wire1: '35',
      metadata: { labels: { a: '36' } },
      kind: '37',
      status: { status: '38' },
    },
    construct: `{
      snakeCaseName: '1', kebabCaseName: '2', urlPath: '3', clusterIp: '4', containerId: '5',
      abcDef1Ghi: { jsonPath: '6' }, dottedName: '7', 'example.dev/label': '8', $ref: '9',
      $schema: { $ref: [{ $id: '10' }] }, xKubernetesValidations: [{ rule: '11' }], 'with space': '12', "it's": '13',
      'a*/b': '14', '42': 15, '4x': '16', _: '17', '-': '18', __private: '19', 'ünïcode': '20', '#,': '21', 'a/b/c': '22',
      default: '23', class: '24', new: '25', readonly: '26',
      build_: '29', equals_: '30', hashCode_: '31', toJson: '32', obj: '33', result: '34', wire1: '35',
      metadata: { labels: { a: '36' } }, kind: '37', status: { status: '38' },
    }`,
    invalid: [
      [{ $ref: '', 'with space': '' }, 'spec.42'],
      [{ $ref: 1, 'with space': '', '42': 1 }, 'spec.$ref'],
      [{ $ref: '', 'with space': '', '42': true }, 'spec.42'],
    ],
  },
  {
    // To TypeScript every object has fields of these names.
    kind: 'InheritedName',
    spec: object({
      plain: text,
      to_string: object({ a: text }),
      some: object({ toString: text, valueOf: object({ hasOwnProperty: text, b: text }) }),
    }),
    valid: { plain: '1', to_string: { a: '2' }, some: { valueOf: { b: '3' } } },
    invalid: [
      [{ some: { toString: 1 } }, 'spec.some.toString'],
      [{ some: { valueOf: { c: 1 } } }, 'spec.some.valueOf.c'],
    ],
  },
  {
    kind: 'SameName',
    spec: object({
      fooBar: object({ a: text }),
      foo_bar: object({ b: text }),
      'foo-bar': text,
      FooBar: text,
      foo: object({ bar: object({ c: text }), barBaz: object({ d: text }) }),
      fooBarBaz: object({ e: text }),
      // The program changes one to the name of the other.
      s_: text,
      s: count,
      props: object({ f: text }),
      spec: object({ spec: object({ g: text }) }),
    }),
    valid: {
      fooBar: { a: '1' },
      foo_bar: { b: '2' },
      'foo-bar': '3',
      FooBar: '4',
      foo: { bar: { c: '5' }, barBaz: { d: '6' } },
      fooBarBaz: { e: '7' },
      s_: '10',
      s: 11,
      props: { f: '8' },
      spec: { spec: { g: '9' } },
    },
    construct: `{
      fooBar: { a: '1' }, foo_bar: { b: '2' }, 'foo-bar': '3', FooBar: '4', foo: { bar: { c: '5' }, barBaz: { d: '6' } },
      fooBarBaz: { e: '7' }, s_: '10', s: 11, props: { f: '8' }, spec: { spec: { g: '9' } },
    }`,
    invalid: [[{ foo_bar: { a: '1' } }, 'spec.foo_bar.a']],
  },
  {
    kind: 'Alternative',
    spec: object(
      {
        secret: text,
        inline: text,
        address: object(
          { type: { ...text, default: 'IPAddress' }, value: text },
          {
            oneOf: [
              {
                properties: {
                  type: { enum: ['IPAddress'] },
                  value: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
                },
              },
              { properties: { type: { not: { enum: ['IPAddress'] } } } },
            ],
          },
        ),
        source: object({ git: text, http: text }, { anyOf: [{ required: ['git'] }, { required: ['http'] }] }),
        bounded: { ...text, allOf: [{ minLength: 2 }, { maxLength: 3 }], not: { pattern: '^x' } },
        none: object({ a: text }, { oneOf: [] }),
      },
      { oneOf: [{ required: ['secret'] }, { required: ['inline'] }] },
    ),
    valid: {
      secret: 's',
      address: { type: 'Hostname', value: 'h' },
      source: { git: 'g' },
      bounded: 'ab',
      none: { a: 'b' },
    },
    invalid: [
      [{ secret: 's', inline: 'i' }, 'spec'],
      [{}, 'spec'],
      [{ secret: 's', source: {} }, 'spec.source'],
      [{ secret: 's', bounded: 'a' }, 'spec.bounded'],
      [{ secret: 's', bounded: 'xa' }, 'spec.bounded'],
    ],
    isValueOnly: true,
  },
  {
    kind: 'Nullable',
    spec: object(
      {
        note: { ...text, nullable: true },
        box: object({ a: text }, { nullable: true }),
        list: { ...list({ ...count, nullable: true }), nullable: true },
        map: map({ ...text, nullable: true }),
        choice: { ...text, nullable: true, default: 'x' },
      },
      { required: ['note'] },
    ),
    valid: { note: 'n', box: { a: 'b' }, list: [1], map: { a: 'b' }, choice: 'y' },
    invalid: [
      [{ note: 1 }, 'spec.note'],
      [{ note: null, box: { a: 1 } }, 'spec.box.a'],
    ],
  },
  {
    kind: 'Described',
    spec: object(
      {
        ended: { ...text, description: '*/ export const broken = 1 /*' },
        lines: { ...text, description: 'One.\r\n\r\n\ttwo\u2028three `x` $\u007by} \\' },
        directive: { ...text, description: '@ts-expect-error\n\n@ts-ignore' },
        markup: { ...text, description: 'Defaults to */ <b>x</b> @default */ {@link x}', default: '*/' },
        rule: { ...text, pattern: '^(a*/|b)$', 'x-kubernetes-validations': [{ rule: 'self != "*/"' }] },
      },
      { description: 'A spec.\n\nWith */ all of it.' },
    ),
    valid: { ended: 'a', lines: 'b', directive: 'c', markup: 'd', rule: 'b' },
    invalid: [[{ rule: 'c' }, 'spec.rule']],
    isValueOnly: true,
  },
  {
    kind: 'Bounded',
    spec: object({
      above: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
      atLeast: { ...count, format: 'int32', minimum: 1, exclusiveMinimum: false, multipleOf: 2 },
      when: { ...text, format: 'date-time' },
      bytes: { ...text, format: 'byte' },
      custom: { ...text, format: 'no-such-format' },
      // Valid for Go's regexp but not for JavaScript's, or with another meaning.
      posix: { ...text, pattern: '^[[:alpha:]]+$' },
      escaped: { ...text, pattern: '^[\\w\\_\\-]+\\@[\\w\\.]+\\:$' },
      folded: { ...text, pattern: '(?i)^abc$' },
      anchored: { ...text, pattern: '\\A\\pL+\\z' },
      named: { ...text, pattern: '^(?P<year>[0-9]{4})$' },
      quoted: { ...text, pattern: '^\\Qa.b\\E$' },
    }),
    valid: {
      above: 0.5,
      atLeast: 2,
      when: '2026-01-31T12:00:00Z',
      bytes: 'eA==',
      custom: 'x',
      posix: 'abc',
      escaped: 'a_b@c.d:',
      folded: 'ABC',
      anchored: 'äbc',
      named: '2026',
      quoted: 'a.b',
    },
    invalid: [
      [{ above: 0 }, 'spec.above'],
      [{ above: 1 }, 'spec.above'],
      [{ atLeast: 0 }, 'spec.atLeast'],
      [{ atLeast: 3 }, 'spec.atLeast'],
      [{ posix: '1' }, 'spec.posix'],
      [{ escaped: 'a' }, 'spec.escaped'],
      [{ folded: 'abd' }, 'spec.folded'],
      [{ anchored: '1' }, 'spec.anchored'],
      [{ named: 'x' }, 'spec.named'],
    ],
    isValueOnly: true,
  },
  {
    kind: 'Nested',
    spec: nestedSpec(24),
    valid: nestedValue(24),
  },
]

/** Objects in lists in maps, as deep as a pod template in a generator in a generator. */
function nestedSpec(depth: number): JsonObject {
  if (depth === 0) return object({ leaf: text })
  return object({ next: depth % 3 === 0 ? map(list(nestedSpec(depth - 1))) : nestedSpec(depth - 1), size: intOrString })
}

function nestedValue(depth: number): JsonObject {
  if (depth === 0) return { leaf: 'x' }
  const next = nestedValue(depth - 1)
  return { next: depth % 3 === 0 ? { a: [next] } : next }
}

/**
 * A field that no construct can have, and objects can; parsed from JSON because a literal would mean something else.
 */
export const protoField: ShapeExample = {
  kind: 'ProtoField',
  spec: parsed('{"type": "object", "properties": {"__proto__": {"type": "string"}}}'),
  valid: parsed('{"__proto__": "x"}'),
  invalid: [[parsed('{"__proto__": 1}'), 'spec.__proto__']],
}
