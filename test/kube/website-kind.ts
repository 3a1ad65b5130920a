// Kind for tests of clients, with a spec, a status, and scale.
import { defineResource } from '../../src/object/resource.ts'

export interface WebsiteSpec {
  readonly image: string
  readonly replicas: number
  readonly note?: string
}

export interface WebsiteStatus {
  readonly url?: string
}

export const website = defineResource<WebsiteSpec, WebsiteStatus>({
  ...{ group: 'example.com', version: 'v1', kind: 'Website', plural: 'websites', scope: 'Namespaced' },
})

const text = { type: 'string' }

export const websiteDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'websites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'websites', singular: 'website', kind: 'Website', listKind: 'WebsiteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { image: text, note: text, replicas: { type: 'integer' } } },
              status: { type: 'object', properties: { url: text } },
            },
          },
        },
      },
    ],
  },
}
