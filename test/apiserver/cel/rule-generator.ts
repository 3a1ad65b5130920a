// Generator of rules, from a grammar of typed expressions, and of objects for them. Deterministic for a seed.
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { fields, full } from './sample-schema.ts'

type Type = 'bool' | 'int' | 'double' | 'string' | 'ints' | 'strings' | 'time' | 'span' | 'maybe'

/** Variables of a rule, by type. */
type Scope = Readonly<Record<Type, readonly string[]>>

const nothing: Scope = {
  bool: [],
  int: [],
  double: [],
  string: [],
  ints: [],
  strings: [],
  time: [],
  span: [],
  maybe: [],
}

const specScope: Scope = {
  bool: ['self.flag', 'has(self.a)', 'has(self.o.y)', 'has(self.n)', 'has(self.m.one)', "'one' in self.m"],
  int: [
    'self.a',
    'self.b',
    'self.o.y',
    "self.m['one']",
    'self.m.two',
    "self.mo['p'].y",
    'self.l[0]',
    'self.ml[0].port',
    'self.ll[0][1]',
    'self.seti[0]',
    'self.half.known',
  ],
  double: ['self.d', 'self.ld[0]'],
  string: ['self.s', 'self.t', 'self.e', 'self.n', 'self.o.x', 'self.o.a__dash__b', "self.ms['k']", 'self.ls[0]'],
  ints: ['self.l', 'self.seti', 'self.ll[0]', 'self.m.map(k, self.m[k])'],
  strings: ['self.ls', 'self.set', 'self.ml.map(e, e.name)', 'self.ms.map(k, k)'],
  time: ['self.ts', 'self.day', 'self.lt[0]'],
  span: ['self.dur'],
  maybe: ['self.?a', 'self.?o.?y', "self.m[?'one']", 'self.l[?1]', 'self.?ml[0].port'],
}

/** Paths of rules, each with a different `self`. */
const places: readonly { readonly path: readonly string[]; readonly scope: Scope }[] = [
  { path: [], scope: specScope },
  {
    path: ['properties', 'o'],
    scope: {
      ...nothing,
      int: ['self.y', 'self.inner.z', 'oldSelf.y'],
      string: ['self.x', 'self.inner.w', 'self.namespace', 'oldSelf.x'],
      bool: ['has(self.x)', 'self == oldSelf', 'has(self.inner)'],
      maybe: ['self.?y', 'self.?inner.?z'],
    },
  },
  {
    path: ['properties', 'ml', 'items'],
    scope: {
      ...nothing,
      int: ['self.port', 'oldSelf.port'],
      string: ['self.name'],
      strings: ['self.tags', 'oldSelf.tags'],
      bool: ['has(self.tags)', 'self == oldSelf'],
      maybe: ['self.?port'],
    },
  },
  {
    path: ['properties', 'ml'],
    scope: { ...nothing, int: ['self.size()', 'self[0].port'], bool: ['self == oldSelf'] },
  },
  { path: ['properties', 's'], scope: { ...nothing, string: ['self', 'oldSelf'] } },
  { path: ['properties', 'l'], scope: { ...nothing, ints: ['self', 'oldSelf'], int: ['self[0]'] } },
  { path: ['properties', 'set'], scope: { ...nothing, strings: ['self', 'oldSelf'], bool: ['self == oldSelf'] } },
  {
    path: ['properties', 'mo', 'additionalProperties'],
    scope: { ...nothing, int: ['self.y', 'oldSelf.y'], string: ['self.x'], bool: ['has(self.y)'] },
  },
  { path: ['properties', 'm'], scope: { ...nothing, int: ['self.one', 'self.size()'], bool: ["'one' in self"] } },
  { path: ['properties', 'any'], scope: { ...nothing, bool: ['type(self) == int', 'self == 7', 'self > 3'] } },
  { path: ['properties', 'ts'], scope: { ...nothing, time: ['self', 'oldSelf'] } },
]

export class RuleGenerator {
  #state: number
  #variables = 0

  constructor(seed: number) {
    this.#state = seed
  }

  /** Returns the sample schema with rules at all these paths. */
  schema(ruleCount: number): JsonObject {
    let spec: JsonObject = { type: 'object', properties: fields }
    for (let count = 0; count < ruleCount; count++) {
      const { path, scope } = this.#one(places.slice(0, this.#below(2) === 0 ? 1 : places.length))
      spec = withRule(spec, path, this.#rule(scope))
    }
    return {
      type: 'object',
      properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, spec },
    }
  }

  #rule(scope: Scope): JsonObject {
    const rule: Record<string, Json> = { rule: this.#expression('bool', 3, this.#aged(scope)) }
    if (this.#below(3) === 0) rule['message'] = 'a message'
    if (this.#below(4) === 0) rule['messageExpression'] = this.#expression('string', 2, scope)
    if (this.#below(5) === 0)
      rule['reason'] = this.#one([
        'FieldValueInvalid',
        'FieldValueForbidden',
        'FieldValueRequired',
        'FieldValueDuplicate',
      ])
    if (this.#below(12) === 0) rule['optionalOldSelf'] = true
    if (scope === specScope && this.#below(6) === 0)
      rule['fieldPath'] = this.#one(['.a', '.o.x', ".m['one']", '.o.a-b', ".o['dot.ted']", '.nope', 'a', '.l[0]'])
    return rule
  }

  /** Sometimes adds the old object to the scope. */
  #aged(scope: Scope): Scope {
    if (scope !== specScope || this.#below(4) !== 0) return scope
    return { ...scope, int: [...scope.int, 'oldSelf.a', 'oldSelf.l[0]'], bool: [...scope.bool, 'self.o == oldSelf.o'] }
  }

  #expression(type: Type, depth: number, scope: Scope): string {
    const known = scope[type]
    if (depth <= 0 || this.#below(5) === 0)
      return known.length > 0 && this.#below(4) > 0 ? this.#one(known) : this.#one(literals[type])
    const template = this.#one(templates[type])
    const variable = `v${this.#variables++}`
    return template.replace(/\$(\w+)/g, (_, name: string) => {
      if (name === 'v') return variable
      const [wanted = '', over] = name.split('_')
      const inner = over === undefined ? scope : { ...scope, [over]: [...scope[over as Type], variable] } // Type names.
      const made = this.#expression(wanted as Type, depth - 1, inner)
      return /^[\w.'[\]]+$/.test(made) ? made : `(${made})`
    })
  }

  object(): JsonObject {
    const spec: Record<string, Json> = {}
    for (const [key, value] of Object.entries(full)) {
      const chance = this.#below(6)
      if (value === undefined || chance === 0) continue
      spec[key] = chance < 3 ? this.#changed(value) : value
    }
    return { apiVersion: 'example.com/v1', kind: 'Thing', spec }
  }

  /** Returns the same object with few changes. */
  successor(object: JsonObject): JsonObject {
    const spec: Record<string, Json> = {}
    for (const [key, value] of Object.entries(object['spec'] as JsonObject)) // Sound: `object` makes it.
      if (value !== undefined && this.#below(9) > 0) spec[key] = this.#below(4) === 0 ? this.#changed(value) : value
    return { ...object, spec }
  }

  #changed(value: Json): Json {
    if (typeof value === 'number') return Number.isInteger(value) ? this.#below(11) - 5 : value + 1
    if (typeof value === 'boolean') return !value
    if (Array.isArray(value))
      return this.#below(2) === 0 ? [...value].reverse() : value.slice(this.#below(value.length + 1))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(() => this.#below(4) > 0)
    return Object.fromEntries(entries.map(([key, inner]) => [key, inner === undefined ? null : this.#changed(inner)]))
  }

  #one<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }

  /** Returns a random number; a linear congruential generator suffices for choices. */
  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }
}

function withRule(schema: JsonObject, path: readonly string[], rule: JsonObject): JsonObject {
  const [key, ...rest] = path
  if (key !== undefined) {
    const inner = schema[key] as JsonObject // Sound: in the sample schema.
    return { ...schema, [key]: withRule(inner, rest, rule) }
  }
  const known = schema['x-kubernetes-validations']
  return { ...schema, 'x-kubernetes-validations': [...(Array.isArray(known) ? known : []), rule] }
}

const literals: Readonly<Record<Type, readonly string[]>> = {
  bool: ['true', 'false'],
  int: ['0', '1', '-3', '5', '9223372036854775807', '100'],
  double: ['0.0', '1.5', '-2.25', '1e10'],
  string: ["''", "'a'", "'hello'", "'héé'", "'one'", "'10.0.0.1'", "'1.5Gi'", "'2024-01-01T00:00:00Z'", "'a,b'"],
  ints: ['[]', '[1, 2, 3]', '[3, 3]', '[5]'],
  strings: ['[]', "['a', 'b']", "['x', 'y']"],
  time: ["timestamp('2024-02-29T12:00:00Z')", "timestamp('1999-12-31T23:59:59.5+01:00')"],
  span: ["duration('1h')", "duration('-90s')", "duration('1.5ms')"],
  maybe: ['optional.of(1)', 'optional.none()'],
}

/** `$type` is replaced by an expression; `$type_other` by one that may use the variable `$v` of the other type. */
const templates: Readonly<Record<Type, readonly string[]>> = {
  bool: [
    '$int == $int',
    '$int != $int',
    '$int < $int',
    '$int >= $double',
    '$double <= $double',
    '$string == $string',
    '$string < $string',
    '$ints == $ints',
    '$strings != $strings',
    '$time < $time',
    '$span >= $span',
    '$maybe == $maybe',
    '$bool && $bool',
    '$bool || $bool',
    '!$bool',
    '$bool ? $bool : $bool',
    '$int in $ints',
    '$int in [1, 2, 5]',
    '$string in $strings',
    "$string in ['a', 'hello']",
    '$ints.all($v, $bool_int)',
    '$ints.exists($v, $bool_int)',
    '$ints.exists_one($v, $bool_int)',
    '$strings.all($v, $bool_string)',
    '$strings.exists($v, $bool_string)',
    '$ints.all(i, $v, $bool_int)',
    '$strings.exists(i, $v, i < 2 && $bool_string)',
    '$string.startsWith($string)',
    '$string.endsWith($string)',
    '$string.contains($string)',
    "$string.matches('^[a-z]+$')",
    '$string.matches($string)',
    '$maybe.hasValue()',
    'sets.contains($ints, $ints)',
    'sets.intersects($strings, $strings)',
    'sets.equivalent($ints, $ints)',
    '$ints.isSorted()',
    'isIP($string)',
    'isURL($string)',
    'isQuantity($string)',
    'isSemver($string)',
    'type($int) == int',
    'dyn($int) == $double',
    'dyn($string) == $int',
    'dyn($ints) == $strings',
    'format.dns1123Label().validate($string).hasValue()',
    '$int > 1u',
  ],
  int: [
    '$int + $int',
    '$int - $int',
    '$int * $int',
    '$int / $int',
    '$int % $int',
    '-$int',
    '$bool ? $int : $int',
    '$string.size()',
    'size($ints)',
    '$strings.size()',
    '$ints[$int]',
    '$ints.sum()',
    '$ints.max()',
    '$ints.min()',
    '$ints.indexOf($int)',
    '$ints.lastIndexOf($int)',
    '$string.indexOf($string)',
    '$string.lastIndexOf($string)',
    '$time.getFullYear()',
    "$time.getHours('-03:30')",
    '$time.getDayOfWeek()',
    '$span.getMinutes()',
    'int($double)',
    'int($string)',
    'int($time)',
    '$maybe.orValue($int)',
    '$maybe.value()',
    '$ints.map($v, $int_int)[0]',
    "{'a': $int, 'b': $int}['a']",
    "{'a': $int}.b",
  ],
  double: [
    '$double + $double',
    '$double * $double',
    '$double / $double',
    'double($int)',
    'double($string)',
    '-$double',
  ],
  string: [
    '$string + $string',
    '$bool ? $string : $string',
    'string($int)',
    'string($double)',
    'string($bool)',
    'string($time)',
    'string($span)',
    '$string.upperAscii()',
    '$string.lowerAscii()',
    '$string.trim()',
    '$string.charAt($int)',
    '$string.substring($int)',
    '$string.substring(0, $int)',
    "$string.replace('l', $string)",
    '$strings.join($string)',
    '$strings[$int]',
    "$string.find('[a-z]+')",
    'strings.quote($string)',
    "'%s/%d'.format([$string, $int])",
    "'%s'.format([$ints])",
    'string(ip($string))',
    'url($string).getHost()',
  ],
  ints: [
    '$ints + $ints',
    '$ints.map($v, $int_int)',
    '$ints.map($v, $bool_int, $int_int)',
    '$ints.filter($v, $bool_int)',
    '$ints.transformList(i, $v, i + $int_int)',
    '$strings.map($v, $int_string)',
    '$ints.sort()',
    '$ints.reverse()',
    '$ints.distinct()',
    '$ints.slice(0, $int)',
    '$ints.sortBy($v, -$int_int)',
    '[$int, $int]',
    '[?$maybe, $int]',
    '[$ints, $ints].flatten()',
    '$bool ? $ints : $ints',
  ],
  strings: [
    '$strings + $strings',
    '$strings.filter($v, $bool_string)',
    '$strings.map($v, $string_string)',
    '$ints.map($v, $string_int)',
    "$string.split(',')",
    "$string.findAll('[a-z]')",
    '[$string, $string]',
  ],
  time: ['$time + $span', '$time - $span', 'timestamp($string)'],
  span: ['$span + $span', '$time - $time', 'duration($string)'],
  maybe: [
    'optional.of($int)',
    '$ints[?$int]',
    '$ints.first()',
    '$maybe.or($maybe)',
    '$maybe.optMap($v, $int_int)',
    'optional.ofNonZeroValue($int)',
    '$bool ? $maybe : optional.none()',
  ],
}
