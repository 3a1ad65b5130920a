// Schema of ObjectMeta: the published definition, reduced to what server-side apply reads.
// Source: k8s.io/kubernetes/api/openapi-spec/v3/api__v1_openapi.json.
import { compileSchema } from '../schema/schema.ts'

export const objectMetaDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

const text = { type: 'string' }
const integer = { type: 'integer', format: 'int64' }
const time = { type: 'string', format: 'date-time' }
const textByName = { type: 'object', additionalProperties: text }
const requiredText = { type: 'string', default: '' }

export const objectMetaSchema = compileSchema({
  type: 'object',
  properties: {
    annotations: textByName,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    generateName: text,
    generation: integer,
    labels: textByName,
    managedFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          fieldsType: text,
          fieldsV1: { type: 'object' },
          manager: text,
          operation: text,
          subresource: text,
          time,
        },
      },
    },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: requiredText,
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: requiredText,
          name: requiredText,
          uid: requiredText,
        },
      },
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
})
