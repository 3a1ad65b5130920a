// Random CRDs, most of them with an error.
import type { Json, JsonObject } from '../../src/base/json.ts'
import { Samples } from './custom-samples.ts'

type Fields = Record<string, Json>

/** Mostly invalid values to set somewhere in a schema. */
const mischief: readonly (readonly [string, Json])[] = [
  ['type', ''],
  ['type', 'null'],
  ['type', 'file'],
  ['type', 'array'],
  ['type', 'object'],
  ['type', 'string'],
  ['nullable', true],
  ['default', 1],
  ['default', { a: 1, unknown: 2 }],
  ['default', null],
  ['description', 'd'],
  ['title', 't'],
  ['id', 'x'],
  ['$ref', '#/x'],
  ['$schema', 'x'],
  ['uniqueItems', true],
  ['pattern', '('],
  ['pattern', '^a$'],
  ['pattern', 'a**'],
  ['pattern', '[z-a]'],
  ['additionalProperties', true],
  ['additionalProperties', false],
  ['additionalProperties', { type: 'string' }],
  ['additionalProperties', { description: 'x' }],
  ['properties', { metadata: { type: 'object' } }],
  ['properties', { metadata: { type: 'object', properties: { name: { type: 'string', pattern: 'a' } } } }],
  ['properties', { kind: { type: 'integer' }, apiVersion: { type: 'string', default: 'x' } }],
  ['properties', { metadata: { type: 'string', default: 'x', description: 'd' } }],
  ['properties', { metadata: { type: 'object', properties: { labels: { type: 'object' } } } }],
  ['x-kubernetes-int-or-string', true],
  ['x-kubernetes-preserve-unknown-fields', true],
  ['x-kubernetes-preserve-unknown-fields', false],
  ['x-kubernetes-embedded-resource', true],
  ['x-kubernetes-list-type', 'set'],
  ['x-kubernetes-list-type', 'map'],
  ['x-kubernetes-list-type', 'odd'],
  ['x-kubernetes-list-map-keys', ['a']],
  ['x-kubernetes-list-map-keys', ['a', 'a', 'q']],
  ['x-kubernetes-map-type', 'atomic'],
  ['x-kubernetes-map-type', 'odd'],
  ['items', { type: 'object', nullable: true, properties: { a: { type: 'string', nullable: true } } }],
  ['items', { type: 'object', properties: { a: { type: 'object' } }, required: ['a'] }],
  ['items', { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }],
  ['items', [{ type: 'string' }]],
  ['anyOf', [{ type: 'integer' }, { type: 'string' }]],
  ['anyOf', [{ required: ['a'] }]],
  ['allOf', [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '(' }]],
  ['oneOf', [{ properties: { zz: { minimum: 1 } } }]],
  ['not', { type: 'string', default: 1, nullable: true, description: 'x' }],
  ['allOf', [{ items: { minLength: 1 } }]],
  [
    'not',
    {
      properties: { metadata: {} },
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-map-type': 'atomic',
      additionalProperties: {},
    },
  ],
  ['enum', ['a']],
  ['maxProperties', 2],
  ['definitions', { a: { type: 'string' } }],
  ['patternProperties', { a: { type: 'string' } }],
  ['additionalItems', true],
  ['dependencies', { a: ['b'] }],
]

export class DefinitionSamples extends Samples {
  definition(): JsonObject {
    const kind = this.usually('Widget', ['', 'widget', 'W_', 'É'])
    const plural = this.usually('widgets', ['', 'Widgets', '1w'])
    const group = this.usually('example.com', ['', 'nodots', 'EXAMPLE.com', 'x.k8s.io'])
    const versions = Array.from({ length: this.usually<number>(1, [0, 2, 2, 3]) }, (_, index) => this.version(index))
    const shared = this.chance(0.4) && versions.length > 1 ? { schema: versions[0]?.['schema'] ?? {} } : {}
    const names: Fields = { plural, kind }
    if (this.chance(0.1)) names['listKind'] = this.pick(['Widget', 'L', 'l_'])
    if (this.chance(0.1)) names['singular'] = this.pick(['w', 'W'])
    if (this.chance(0.1)) names['shortNames'] = this.pick([['w'], ['W', 'x_']])
    if (this.chance(0.1)) names['categories'] = this.pick([['all'], ['A']])
    const spec: Fields = {
      group,
      scope: this.usually('Namespaced', ['Cluster', '', 'Odd']),
      names,
      versions: versions.map((version) => ({ ...version, ...shared })),
    }
    if (this.chance(0.1))
      spec['conversion'] = this.pick<Json>([
        { strategy: 'None' },
        { strategy: 'Odd' },
        { strategy: '' },
        { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } },
      ])
    if (this.chance(0.03)) spec['preserveUnknownFields'] = true
    const metadata: Fields = { name: this.usually(`${plural}.${group}`, ['x', '']) }
    if (this.chance(0.3))
      metadata['annotations'] = {
        'api-approved.kubernetes.io': this.pick(['unapproved, x', 'https://github.com/x', 'odd', '/path', 'mailto:x']),
      }
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec }
  }

  version(index: number): JsonObject {
    const version: Fields = {
      name: this.usually(`v${index + 1}`, ['v1', 'V', '1']),
      served: true,
      storage: index === 0 ? this.chance(0.95) : this.chance(0.05),
    }
    if (this.chance(0.97))
      version['schema'] = this.chance(0.03) ? {} : { openAPIV3Schema: this.mischievous(this.rootSchema()) }
    if (this.chance(0.3))
      version['subresources'] = this.pick<Json>([
        { status: {} },
        { status: {} },
        {},
        { scale: this.scale() },
        { status: {}, scale: this.scale() },
      ])
    if (this.chance(0.2))
      version['additionalPrinterColumns'] = this.pick<Json>([
        [{ name: 'a', type: 'string', jsonPath: '.a' }],
        [{ name: '', type: '', jsonPath: '' }],
        [{ name: 'a', type: 'odd', format: 'odd', jsonPath: 'a' }],
      ])
    if (this.chance(0.15)) version['selectableFields'] = this.selectable()
    if (this.chance(0.1)) version['deprecated'] = true
    if (this.chance(0.1)) version['deprecationWarning'] = this.pick(['old', '', 'a\u0007', 'x'.repeat(257)])
    return version
  }

  scale(): JsonObject {
    return {
      specReplicasPath: this.pick(['.spec.replicas', '', 'spec', '.status.x', '.spec']),
      statusReplicasPath: this.pick(['.status.replicas', '', '.spec.x']),
      ...(this.chance(0.5) ? { labelSelectorPath: this.pick(['.status.s', '.spec.s', '', '.x', 'x']) } : {}),
    }
  }

  selectable(): JsonObject[] {
    const path = (): string =>
      this.pick([
        '.spec.a',
        '.spec.b',
        '.spec.c',
        '.spec',
        '.metadata.name',
        '',
        'spec',
        ".spec['a']",
        '.',
        '.spec.zz',
        '.status.a',
        '.spec.list',
        '.spec..a',
      ])
    return Array.from({ length: this.chance(0.05) ? 12 : 1 + this.below(2) }, () => ({ jsonPath: path() }))
  }

  mischievous(schema: JsonObject): JsonObject {
    if (this.chance(0.35)) return schema
    const changed: Fields = { ...(schema as Fields) }
    this.#spoil(changed)
    return changed
  }

  usually<Value>(value: Value, others: readonly Value[]): Value {
    return this.chance(0.93) ? value : this.pick(others)
  }

  /** Sets one such value here or in a nested schema. */
  #spoil(schema: Fields): void {
    const parts = ['properties', 'items', 'additionalProperties', 'anyOf', 'allOf', 'oneOf', 'not'].filter(
      (key) => typeof schema[key] === 'object',
    )
    if (parts.length === 0 || this.chance(0.3)) {
      const [key, value] = this.pick(mischief)
      schema[key] = value
      return
    }
    const key = this.pick(parts)
    const part = schema[key] as JsonObject | Json[] // Sound: found above.
    if (Array.isArray(part)) {
      schema[key] = part.map((item) => this.mischievous(item as JsonObject))
      return
    }
    if (key !== 'properties') {
      schema[key] = this.mischievous(part as JsonObject)
      return
    }
    const entries = Object.entries(part as JsonObject)
    const chosen = this.below(Math.max(entries.length, 1))
    schema[key] = Object.fromEntries(
      entries.map(([name, inner], index) => [
        name,
        index === chosen ? this.mischievous(inner as JsonObject) : (inner ?? null),
      ]),
    )
  }
}
