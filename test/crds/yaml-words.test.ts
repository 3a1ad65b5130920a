// YAML 1.1 words in the CRDs. Invariant: a manifest needs no quotes for a field name, an enumerated value, a default or
// a name of a kind.
// kubectl reads YAML 1.1, where a bare `on` is the boolean true and a bare `0777` is the number 511.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts'

/**
 * Every scalar that a reader of YAML 1.1 does not take for a string. Source: yaml.org/type, and strconv.ParseInt as
 * kubectl uses it.
 */
const implicitTypes: Readonly<Record<string, RegExp>> = {
  null: /^(?:~|null|)$/i,
  boolean: /^(?:y|yes|n|no|true|false|on|off)$/i,
  merge: /^(?:<<|=)$/,
  binary: /^[-+]?0b[01_]+$/i,
  octal: /^[-+]?0o?[0-7_]+$/i,
  hexadecimal: /^[-+]?0x[0-9a-f_]+$/i,
  decimal: /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[-+]?[0-9]+)?$/i,
  sexagesimal: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/,
  'not a number': /^(?:[-+]?\.inf|\.nan)$/i,
  timestamp: /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt \t])/,
}

function implicitTypeOf(word: string): string | undefined {
  return Object.keys(implicitTypes).find((type) => implicitTypes[type]?.test(word))
}

/** A word in a CRD, and its path. */
type Word = readonly [path: string, word: string]

/**
 * Returns field names, enumerated values and defaults of a schema, including those of its fields, and the literals of
 * its rules.
 */
function wordsOfSchema(schema: Json | undefined, path: string): readonly Word[] {
  if (!isJsonObject(schema)) return []
  const { properties, items, additionalProperties, required, enum: values, default: value } = schema
  const fields = Object.entries(isJsonObject(properties) ? properties : {})
  return [
    ...fields.flatMap(([name, field]) => [[path, name] as const, ...wordsOfSchema(field, `${path}.${name}`)]),
    ...wordsOfSchema(items, `${path}[]`),
    ...wordsOfSchema(additionalProperties, `${path}.*`),
    ...[required, schema['x-kubernetes-list-map-keys'], values, value].flatMap((found) => wordsOfValue(found, path)),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((junction) => {
      const branches = schema[junction]
      return Array.isArray(branches) ? branches.flatMap((branch: Json) => wordsOfSchema(branch, path)) : []
    }),
    ...wordsOfSchema(schema['not'], path),
    ...literalsOfRules(schema['x-kubernetes-validations'], path),
  ]
}

/** Returns all texts in a value, including its keys. */
function wordsOfValue(value: Json | undefined, path: string): readonly Word[] {
  if (typeof value === 'string') return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((item: Json) => wordsOfValue(item, path))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [[path, key] as const, ...wordsOfValue(inner, path)])
}

/** Returns values and keys that a rule names: `self in ['Schema', 'Database']`. */
function literalsOfRules(rules: Json | undefined, path: string): readonly Word[] {
  if (!Array.isArray(rules)) return []
  return rules.flatMap((rule: Json) => {
    const text = isJsonObject(rule) ? String(rule['rule']) : ''
    return [...text.matchAll(/'([^']*)'/g)]
      .map(([, literal = '']) => literal)
      .filter((literal) => literal !== '')
      .map((literal) => [`${path} (rule)`, literal] as const)
  })
}

/** Returns the names of a kind, of its versions and of its columns. */
function wordsOf(definition: JsonObject): readonly Word[] {
  const { spec } = definition as unknown as Definition // The API server accepts this form: test/crds/*.test.ts.
  return [
    ...wordsOfValue(spec.names, 'names'),
    ...spec.versions.flatMap(({ name, schema, additionalPrinterColumns: columns = [] }) => [
      ['versions', name] as const,
      ...wordsOfSchema(schema.openAPIV3Schema, name),
      ...columns.flatMap((column) => [
        ['columns', column.name] as const,
        ...column.jsonPath
          .split(/[.[\]'"@?()=\s]+/)
          .filter(isFieldName)
          .map((part) => ['columns', part] as const),
      ]),
    ]),
  ]
}

interface Definition {
  readonly spec: {
    readonly names: JsonObject
    readonly versions: readonly {
      readonly name: string
      readonly schema: { readonly openAPIV3Schema: JsonObject }
      readonly additionalPrinterColumns?: readonly { readonly name: string; readonly jsonPath: string }[]
    }[]
  }
}

/** Returns false for the index of a list. */
function isFieldName(part: string): boolean {
  return part !== '' && !/^[0-9*]+$/.test(part)
}

/**
 * Words that are not plain strings in YAML 1.1, and stay. The API server rejects each of them without quotes and
 * reports that it must be a string, so none is misread silently.
 */
const quoted: readonly { readonly path: RegExp; readonly word: RegExp; readonly because: string }[] = [
  {
    path: /^v1alpha1\.spec\.version$/,
    word: /^1[0-9]$/,
    because: 'versions are strings, as in other APIs; the description says so',
  },
  {
    path: /^v1alpha1\.spec\.steps\[\]\.verify\.expect$/,
    word: /^1$/,
    because: 'the text of any column; the description says so',
  },
  {
    path: /^v1alpha1\.status\..*conditions\[\]\.status$/,
    word: /^(?:True|False)$/,
    because: 'metav1.Condition; no user writes it',
  },
  {
    path: /\.size \(rule\)$/,
    word: /^0$/,
    because: 'a rule compares a quantity with it; the field takes a number too',
  },
]

const folder = new URL('../../crds/', import.meta.url)

describe('a manifest needs no quotes for the words of', () => {
  it.each(readdirSync(folder))('%s', (file) => {
    const words = wordsOf(parse(readFileSync(new URL(file, folder), 'utf8')))
    expect(words.length).toBeGreaterThan(50)
    const found = words.filter(([path, word]) => {
      const isQuoted = quoted.some((entry) => entry.path.test(path) && entry.word.test(word))
      return implicitTypeOf(word) !== undefined && !isQuoted
    })
    expect(found).toEqual([])
  })

  it.each(quoted)('$path excepted, which $because', ({ path, word }) => {
    const all = readdirSync(folder).flatMap((file) => wordsOf(parse(readFileSync(new URL(file, folder), 'utf8'))))
    const excepted = all.filter(([at, found]) => path.test(at) && word.test(found))
    expect(excepted.length).toBeGreaterThan(0)
  })
})

describe('the check of words', () => {
  it.each([
    ...['y', 'Y', 'n', 'yes', 'No', 'ON', 'on', 'off', 'True', 'FALSE', 'null', 'NULL', '~', '', '<<', '='],
    ...[
      '1',
      '-1',
      '1e3',
      '1.5',
      '.5',
      '1_000',
      '0777',
      '08',
      '0o17',
      '0x1F',
      '0b11',
      '12:30:45',
      '1:2',
      '.inf',
      '.NaN',
    ],
    ...['2001-12-14', '2001-12-14T21:59:43Z'],
  ])('finds %j', (word) => {
    expect(implicitTypeOf(word)).toBeDefined()
  })

  it.each(['one', 'ony', 'nothing', 'Table', 'e3', 'v1', '10m', '1Gi', '0.1.0', 'x-y', '-', 'Never', 'oN2'])(
    'passes %j',
    (word) => {
      expect(implicitTypeOf(word)).toBeUndefined()
    },
  )

  it('finds the words at every place of a CRD', () => {
    const field = (schema: JsonObject) => ({ type: 'object', properties: { field: schema } })
    const at = (schema: JsonObject) => wordsOfSchema(schema, 'v1').map(([, word]) => word)
    for (const schema of [
      { type: 'object', properties: { on: {} } },
      field({ type: 'string', enum: ['a', 'on'] }),
      field({ type: 'string', default: 'on' }),
      field({ type: 'object', default: { on: 1 } }),
      field({ type: 'array', items: { type: 'object', required: ['on'] } }),
      field({ type: 'object', additionalProperties: { type: 'string', enum: ['on'] } }),
      field({ type: 'array', 'x-kubernetes-list-map-keys': ['on'] }),
      field({ anyOf: [{ required: ['on'] }], not: {} }),
      field({ 'x-kubernetes-validations': [{ rule: "self.all(name, name in ['on'])" }] }),
    ])
      expect(at(schema), JSON.stringify(schema)).toContain('on')
  })
})
