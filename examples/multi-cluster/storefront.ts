// A Storefront in the hub cluster is a Deployment and a Service in the cluster `edge`. Outside this repository the first import reads:
// from 'konverge'.
import { ApiObject } from 'cdk8s'
import { type Condition, Deployment, defineController, defineResource, Service } from '../../src/index.ts'

interface StorefrontSpec {
  readonly image: string
  readonly replicas: number
}

interface StorefrontStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
  readonly address?: string
}

export const Storefront = defineResource<StorefrontSpec, StorefrontStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Storefront',
  plural: 'storefronts',
  scope: 'Namespaced',
})

export const storefront = defineController(Storefront, {
  owns: [Deployment, Service],
  childrenIn: 'edge',
  desired: (chart, { object: { metadata, spec } }) => {
    const labels = { 'example.com/storefront': metadata.name }
    const service = new ApiObject(chart, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: metadata.name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    })
    const deployment = new ApiObject(chart, 'deployment', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: metadata.name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: spec.image }] } },
      },
    })
    deployment.addDependency(service)
  },
  status: ({ children }) => {
    const service = children.find(({ object }) => object.kind === 'Service')
    const { clusterIP } = (service?.object['spec'] ?? {}) as { clusterIP?: string } // A Service has this field.
    return { fields: clusterIP === undefined ? {} : { address: clusterIP }, conditions: [] }
  },
})
