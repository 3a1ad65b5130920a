// Definition of Widget: a custom kind with a field of every list type and map type, defaults, a status and a scale.
import type { JsonObject } from '../../src/base/json.ts'
import { definitions, object, widgetGroup } from './kinds.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }

const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer', format: 'int64', minimum: 0 },
    color: { type: 'string', enum: ['red', 'green', 'blue'] },
    note: text,
    replicas: { type: 'integer', format: 'int32' },
    mode: { type: 'string', default: 'plain' },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    steps: { type: 'array', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: text, protocol: { type: 'string', default: 'TCP' }, number: integer, comment: text },
      },
    },
    limits: { type: 'object', additionalProperties: integer },
    pair: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { left: text, right: text } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
  },
}

const status = {
  type: 'object',
  properties: {
    phase: text,
    replicas: integer,
    selector: text,
    observedGeneration: { type: 'integer', format: 'int64' },
  },
}

export const widgetDefinition: JsonObject = object(definitions, `widgets.${widgetGroup}`, {
  spec: {
    group: widgetGroup,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
        ],
      },
    ],
  },
})
