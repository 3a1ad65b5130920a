// Resources of the endurance run: sites, of which every fifth has a ConfigMap with its page.
import { ApiObject } from 'cdk8s'
import type { JsonObject } from '../../src/base/json.ts'
import {
  ConfigMap,
  type Controller,
  defineController,
  defineResource,
  type StatusWithConditions,
} from '../../src/index.ts'

interface SiteSpec {
  readonly page: string
  readonly isServed: boolean
}

interface SiteStatus extends StatusWithConditions {
  readonly pages?: number
}

export const Site = defineResource<SiteSpec, SiteStatus>({
  group: 'bench.konverge.dev',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
})

export const sitesPath = '/apis/bench.konverge.dev/v1/namespaces/default/sites'

export const siteDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.bench.konverge.dev' },
  spec: {
    group: 'bench.konverge.dev',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site', listKind: 'SiteList' },
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
              spec: {
                type: 'object',
                properties: { page: { type: 'string' }, isServed: { type: 'boolean' }, about: { type: 'string' } },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

export const childEvery = 5

export const siteName = (index: number) => `site-${index}`

/** Stored size 2 KiB. */
export function siteObject(index: number): JsonObject {
  return {
    apiVersion: 'bench.konverge.dev/v1',
    kind: 'Site',
    metadata: { name: siteName(index), labels: { app: 'site', shard: String(index % 100) } },
    spec: { page: `page ${index}`, isServed: index % childEvery === 0, about: `${index} `.repeat(200).slice(0, 1_000) },
  }
}

export const sites: Controller = defineController<SiteSpec, SiteStatus>(Site, {
  owns: [ConfigMap],
  desired: (chart, { object: { metadata, spec } }) => {
    if (!spec.isServed) return
    new ApiObject(chart, 'page', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${metadata.name}-page` },
      data: { index: spec.page },
    })
  },
  status: ({ children }) => ({ fields: { pages: children.length }, conditions: [] }),
})
