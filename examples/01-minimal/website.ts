// The smallest complete controller: a Website is a Deployment and a Service. Outside this repository the first import
// reads: from 'konverge'.
import { ApiObject } from 'cdk8s'
import { type Condition, Deployment, defineController, defineResource, Service } from '../../src/index.ts'

interface WebsiteSpec {
  readonly image: string
  readonly replicas: number
}

interface WebsiteStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
  readonly readyChildren?: number
}

export const Website = defineResource<WebsiteSpec, WebsiteStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
})

export const website = defineController(Website, {
  owns: [Deployment, { resource: Service, statusMatters: false }],
  desired: (chart, { object }) => {
    const { name } = object.metadata
    const labels = { 'example.com/website': name }
    const service = new ApiObject(chart, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    })
    const deployment = new ApiObject(chart, 'deployment', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas: object.spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: object.spec.image }] } },
      },
    })
    deployment.addDependency(service)
  },
  status: ({ children }) => ({
    fields: { readyChildren: children.filter(({ readiness }) => readiness.kind === 'ready').length },
    conditions: [],
  }),
})
