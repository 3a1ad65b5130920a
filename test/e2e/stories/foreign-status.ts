// Status that two controllers write, and a parent kind without status. Runs on every server.
import { ApiObject } from 'cdk8s'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Condition,
  ConfigMap,
  defineController,
  defineResource,
  Secret,
  type StatusWithConditions,
} from '../../../src/index.ts'
import { Hand } from '../hand.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

const group = 'status.example.dev'
const namespace = 'foreign-status'

interface ProbeStatus extends StatusWithConditions {
  readonly port?: number
  readonly health?: string
}

const Probe = defineResource<{ readonly port: number; readonly isOpen: boolean }, ProbeStatus>({
  ...{ group, version: 'v1', kind: 'Probe', plural: 'probes', scope: 'Namespaced' },
})

const probes = () =>
  defineController(Probe, {
    owns: [],
    desired: () => {},
    status: ({ object: { spec } }) => ({
      fields: spec.isOpen ? { port: spec.port } : {},
      conditions: spec.isOpen ? [{ type: 'Open', status: 'True', reason: 'Opened', message: '' }] : [],
    }),
  })

const pages = () =>
  defineController(ConfigMap, {
    owns: [Secret],
    desired: (chart, { object }) => {
      const { name, labels } = object.metadata
      const { port = '' } = (object['data'] ?? {}) as { readonly port?: string } // A ConfigMap.
      if (labels?.['page'] === undefined) return
      new ApiObject(chart, 'page', { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { port: btoa(port) } })
    },
  })

const text = { type: 'string' }
const conditionSchema = {
  ...{ type: 'object', required: ['type', 'status'] },
  properties: {
    ...{ type: text, status: text, reason: text, message: text, lastTransitionTime: text },
    observedGeneration: { type: 'integer' },
  },
}
const listMap = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }
const statusProperties = {
  ...{ observedGeneration: { type: 'integer' }, port: { type: 'integer' }, health: text },
  conditions: { type: 'array', items: conditionSchema, ...listMap },
}
const properties = {
  spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  status: { type: 'object', properties: statusProperties },
}
const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: `probes.${group}` },
  spec: {
    ...{ group, scope: 'Namespaced', names: { kind: 'Probe', plural: 'probes', singular: 'probe' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', properties } },
      },
    ],
  },
}

export function describeForeignStatus(start: StartStoryServer): void {
  let server: StoryServer
  let hand: Hand
  let operator: StoryOperator

  const status = async () => ((await hand.find('probe', 'a'))?.status ?? {}) as ProbeStatus
  const types = async () => ((await status()).conditions ?? []).map(({ type }) => type).sort()
  const operate = async () => {
    operator = await server.startControllers({ controllers: [probes(), pages()], namespaces: [namespace] })
  }

  beforeAll(async () => {
    server = await start()
    hand = new Hand(server, namespace)
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, definition)
    const path = `/apis/${group}/v1/probes`
    const isServed = async () => (await server.request({ method: 'GET', path })).status === 200
    await server.until({ what: 'probes to be served' }, isServed)
    await operate()
  })
  afterAll(async () => {
    for (const { metadata } of await hand.list('configmap'))
      if (metadata.labels?.['page'] !== undefined) await hand.delete('configmap', metadata.name)
    await server.until(
      { what: 'the end of the page' },
      async () => (await hand.find('configmap', 'page')) === undefined,
    )
    await operator.stop()
    // Other ConfigMaps of the namespace have the finalizer too.
    for (const { metadata } of await hand.list('configmap'))
      await hand.patch('configmap', metadata.name, { metadata: { finalizers: null } })
    await hand.delete('namespace', namespace)
    await hand.delete('crd', `probes.${group}`)
    await server.stop()
  })

  it('keeps conditions and fields of others, also after a restart, and removes its own', async () => {
    const spec = { port: 80, isOpen: true }
    await server.apply({ apiVersion: `${group}/v1`, kind: 'Probe', metadata: { name: 'a', namespace }, spec })
    await server.until({ what: 'a to be open' }, async () => (await types()).includes('Open'))
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const healthy: Condition = { type: 'Healthy', status: 'True', reason: 'Probed', message: '', lastTransitionTime }
    const conditions = [...((await status()).conditions ?? []), healthy]
    await hand.patch(
      'probe',
      'a',
      { status: { conditions, health: 'good' } },
      { manager: 'prober', subresource: 'status' },
    )
    await hand.patch('probe', 'a', { spec: { port: 81 } })
    await server.until({ what: 'port 81' }, async () => (await status()).port === 81)
    expect(await types()).toEqual(['Degraded', 'Healthy', 'Open', 'Progressing', 'Ready'])
    await operator.stop()
    await hand.patch('probe', 'a', { spec: { isOpen: false } })
    await operate()
    await server.until({ what: 'a to be closed' }, async () => (await status()).port === undefined)
    expect(await types()).toEqual(['Degraded', 'Healthy', 'Progressing', 'Ready'])
    expect((await status()).health).toBe('good')
    await hand.delete('probe', 'a')
    await server.until({ what: 'the end of a' }, async () => (await hand.find('probe', 'a')) === undefined)
  })

  it('reconciles a ConfigMap when its data changes, and releases it', async () => {
    const metadata = { name: 'page', namespace, labels: { page: '' } }
    const port = async () => (await hand.find('secret', 'page'))?.data?.['port']
    await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { port: '80' } })
    await server.until({ what: 'port 80' }, async () => (await port()) === btoa('80'))
    await hand.patch('configmap', 'page', { data: { port: '81' } })
    await server.until({ what: 'port 81' }, async () => (await port()) === btoa('81'))
    const written = (await server.requests()).filter(({ resource, code }) => resource === 'configmaps' && code >= 400)
    expect(written).toEqual([])
  })
}
