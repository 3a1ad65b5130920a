import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { readCrd } from '../../src/generate/read-crd.ts'
import { type WireModule, wireTypes } from '../../src/generate/wire-types.ts'
import { crdOf, crdWithVersions, versionOf } from './crds.ts'

const generated = (document: Json): WireModule => wireTypes(readCrd(document, 'crds/widget.yaml'), 'crds/widget.yaml')

/** The text of one exported declaration, without its comments. */
function declaration(module: WireModule, name: string): string {
  const tree = ts.createSourceFile('a.ts', module.text, ts.ScriptTarget.Latest, true)
  const statement = tree.statements.find(
    (node) => (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && node.name.text === name,
  )
  if (statement === undefined) throw new Error(`${name} is not declared in\n${module.text}`)
  return statement.getText().replaceAll(/^\s*(\/\*\*|\*).*\n/gm, '')
}

function fieldType(node: JsonObject): string {
  const module = generated(crdOf({ spec: { type: 'object', required: ['it'], properties: { it: node } } }))
  return /readonly it\??: (.*)/.exec(declaration(module, 'WidgetSpec'))?.[1] ?? ''
}

function syntaxErrors(text: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.ESNext },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('wireTypes', () => {
  it.each<[string, JsonObject, string]>([
    ['text', { type: 'string' }, 'string'],
    ['an integer', { type: 'integer', format: 'int64' }, 'number'],
    ['a date-time as the text it is', { type: 'string', format: 'date-time' }, 'string'],
    ['an enum', { type: 'string', enum: ['on', "it's", 'a\\b'] }, "'on' | 'it\\'s' | 'a\\\\b'"],
    ['an enum of numbers', { type: 'number', enum: [1, -0.5, 1] }, '1 | -0.5'],
    ['an enum of booleans', { type: 'boolean', enum: [true] }, 'true'],
    [
      'an enum of lists and objects',
      { 'x-kubernetes-preserve-unknown-fields': true, enum: [[1, 'a'], [], { 'b-c': { d: null } }, {}] },
      "readonly [1, 'a'] | readonly [] | { readonly 'b-c': { readonly d: null } } | Readonly<Record<string, never>>",
    ],
    ['a list of an enum', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [
      'a list of lists',
      { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      'readonly (readonly number[])[]',
    ],
    ['an int-or-string', { 'x-kubernetes-int-or-string': true }, 'number | string'],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, 'Readonly<Record<string, string>>'],
    [
      'a map of int-or-string',
      { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
      'Readonly<Record<string, number | string>>',
    ],
    ['a nullable', { type: 'string', nullable: true }, 'string | null'],
    ['a list of nullables', { type: 'array', items: { type: 'string', nullable: true } }, 'readonly (string | null)[]'],
    ['anything', { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }, 'unknown'],
    [
      'an object of unknown fields',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'Readonly<Record<string, unknown>>',
    ],
    ['an object without fields', { type: 'object' }, 'Readonly<Record<string, never>>'],
    ['an object', { type: 'object', properties: { a: { type: 'string' } } }, 'WidgetSpecIt'],
    [
      'a list of objects',
      { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      'readonly WidgetSpecIt[]',
    ],
  ])('writes %s', (_name, node, type) => {
    expect(fieldType(node)).toBe(type)
  })

  it('has a field with a default always in what the server returns, and optionally in what people write', () => {
    const module = generated(
      crdOf({
        spec: {
          type: 'object',
          required: ['image', 'port'],
          properties: {
            image: { type: 'string' },
            port: { type: 'integer', default: 1 },
            storage: { type: 'object', default: {}, properties: { size: { type: 'string', default: '1Gi' } } },
            probe: { type: 'object', properties: { path: { type: 'string' } } },
          },
        },
      }),
    )
    expect(declaration(module, 'WidgetSpec')).toMatch(
      /image: string\n.*port: number\n.*storage: WidgetSpecStorage\n.*probe\?: WidgetSpecProbe\n/s,
    )
    expect(declaration(module, 'WidgetSpecStorage')).toContain('readonly size: string')
    expect(declaration(module, 'WidgetSpecInput')).toMatch(
      /image: string\n.*port\?: number\n.*storage\?: WidgetSpecStorageInput\n.*probe\?: WidgetSpecProbe\n/s,
    )
    expect(declaration(module, 'WidgetSpecStorageInput')).toContain('readonly size?: string')
    expect(module.types).not.toContain('WidgetSpecProbeInput')
  })

  it('writes one type for both if nothing has a default', () => {
    const module = generated(crdOf({ spec: { type: 'object', properties: { a: { type: 'string' } } } }))
    expect(declaration(module, 'WidgetSpecInput')).toBe('export type WidgetSpecInput = WidgetSpec')
  })

  it('keeps unknown fields beside known ones', () => {
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } }
    expect(declaration(generated(crdOf({ spec })), 'WidgetSpec')).toContain('readonly [field: string]: unknown')
  })

  it('writes types for kinds without spec or status', () => {
    const module = generated(crdOf({}))
    expect(declaration(module, 'WidgetSpec')).toBe('export type WidgetSpec = Readonly<Record<string, never>>')
    expect(declaration(module, 'WidgetStatus')).toBe('export type WidgetStatus = Readonly<Record<string, never>>')
  })

  it('names the stored version plainly and others after the version, and omits those that are not served', () => {
    const version = (name: string, { served = true, storage = false }) => ({ ...versionOf(name, {}, served), storage })
    const document = crdWithVersions([
      version('v1alpha1', { served: false }),
      version('v1beta2', {}),
      version('v1', { storage: true }),
    ])
    const { values, text } = generated(document)
    expect(values).toEqual(['Widget', 'WidgetV1Beta2'])
    expect(text).toMatch(/const Widget: .*\n.*\n {2}version: 'v1',/)
    expect(text).toContain("version: 'v1beta2'")
    expect(text).not.toContain('v1alpha1')
  })

  it('gives the plain name to the first version if the stored one is not served', () => {
    const version = (name: string, served: boolean) => ({ ...versionOf(name, {}, served), storage: !served })
    expect(generated(crdWithVersions([version('v1', false), version('v2', true)])).values).toEqual(['Widget'])
  })

  it('numbers colliding names', () => {
    const inner = { type: 'object', properties: { a: { type: 'string' } } }
    const module = generated(
      crdOf({ spec: { type: 'object', properties: { 'a-b': inner, aB: inner, resource: inner } } }),
    )
    expect(module.types).toEqual(expect.arrayContaining(['WidgetSpecAB', 'WidgetSpecAB2', 'WidgetSpecResource']))
    expect(new Set(module.types).size).toBe(module.types.length)
  })

  it('puts descriptions, constraints and defaults into doc comments', () => {
    const size = { type: 'string', description: 'How big.\n\nEnds no comment */ here.', maxLength: 5, default: '1Gi' }
    const { text } = generated(crdOf({ spec: { type: 'object', properties: { size } } }))
    expect(text).toContain(
      [
        '  /**',
        '   * How big.',
        '   * Ends no comment *\\/ here.',
        '   * At most 5 characters.',
        '   * @default "1Gi"',
        '   */',
      ].join('\n'),
    )
  })

  it('stays valid TypeScript for any names and texts of a definition', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.constantFrom('*/', '`', "'", '\\', 'constructor', '__proto__', 'a b', '$x', '1', '\u2028'),
    )
    const field = fc.record({
      type: fc.constant('string'),
      description: anyText,
      enum: fc.array(anyText, { minLength: 1, maxLength: 3 }),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, field), { maxLength: 4 }), (fields) => {
        const spec = { type: 'object', properties: Object.fromEntries(fields) }
        const { text } = generated(crdOf({ spec }))
        expect(syntaxErrors(text)).toEqual([])
        for (const name of Object.keys(spec.properties)) {
          expect(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest).text).toContain(
            /^[A-Za-z_$][\w$]*$/.test(name) ? `readonly ${name}?:` : "readonly '",
          )
        }
      }),
    )
  })
})
