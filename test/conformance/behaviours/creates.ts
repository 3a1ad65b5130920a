// Creates: fields that only the server sets, generated names, and rejections. Source:
// k8s.io/apiserver/pkg/registry/{rest,generic}.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import {
  configMap,
  configMaps,
  deployment,
  deployments,
  jobs,
  namespaces,
  object,
  pod,
  pods,
  secrets,
  serviceAccounts,
  services,
  widget,
  widgets,
} from '../kinds.ts'
import { at, taken, textAt } from '../stage.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const wholeSeconds = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/

export const creates = area('creates', (it) => {
  it('creates with 201 an object with an identity, a time in whole seconds and a version', async (stage) => {
    const { status, body } = await stage.create(configMaps, configMap('made', { a: '1' }))
    expect(status).toBe(201)
    expect(body).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'made',
        namespace: stage.namespace,
        uid: expect.stringMatching(uuid),
        resourceVersion: expect.stringMatching(/^[0-9]+$/),
        creationTimestamp: expect.stringMatching(wholeSeconds),
        managedFields: [
          {
            manager: 'conformance',
            operation: 'Update',
            apiVersion: 'v1',
            time: expect.stringMatching(wholeSeconds),
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
          },
        ],
      },
      data: { a: '1' },
    })
  })

  it('sets generation 1 for custom objects and kinds with a spec, and none for other kinds', async (stage) => {
    expect(at(await stage.made(widgets, widget('first')), 'metadata.generation')).toBe(1)
    expect(at(await stage.made(deployments, deployment('first')), 'metadata.generation')).toBe(1)
    expect(at(await stage.made(pods, pod('first')), 'metadata.generation')).toBe(1)
    for (const [kind, body] of [
      [configMaps, configMap('first')],
      [services, object(services, 'first', { spec: { clusterIP: 'None' } })],
      [serviceAccounts, object(serviceAccounts, 'first')],
    ] as const)
      expect(at(await stage.made(kind, body), 'metadata.generation')).toBeUndefined()
  })

  it('overwrites uid, times, generation and self link of the client', async (stage) => {
    const given = {
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: '/mine',
    }
    const made = await stage.made(widgets, widget('given', {}, { metadata: given }))
    expect(textAt(made, 'metadata.uid')).toMatch(uuid)
    expect(textAt(made, 'metadata.creationTimestamp')).not.toContain('2001')
    expect(at(made, 'metadata.generation')).toBe(1)
    for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds'])
      expect(at(made, `metadata.${key}`)).toBeUndefined()
  })

  it('rejects an existing name with 409', async (stage) => {
    await stage.made(widgets, widget('taken'))
    const { status, body } = await stage.create(widgets, widget('taken'))
    expect(status).toBe(409)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'widgets.conformance.konverge.dev "taken" already exists',
      reason: 'AlreadyExists',
      details: { name: 'taken', group: 'conformance.konverge.dev', kind: 'widgets' },
      code: 409,
    })
  })

  it('reports that the object with the same name is being deleted', async (stage) => {
    await stage.made(widgets, widget('going', {}, { metadata: { finalizers: ['example.com/hold'] } }))
    taken(await stage.delete(widgets, 'going'))
    const { status, body } = await stage.create(widgets, widget('going'))
    expect(status).toBe(409)
    expect(at(body, 'message')).toBe('object is being deleted: widgets.conformance.konverge.dev "going" already exists')
  })

  it('rejects a create with a resourceVersion with a 500 without a reason', async (stage) => {
    const { status, body } = await stage.create(
      widgets,
      widget('versioned', {}, { metadata: { resourceVersion: '1' } }),
    )
    expect(status).toBe(500)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion should not be set on objects to be created',
      code: 500,
    })
  })

  it('generates a name from the prefix and five characters of a fixed alphabet', async (stage) => {
    const made = await stage.made(configMaps, { metadata: { generateName: 'pre-' } })
    expect(textAt(made, 'metadata.name')).toMatch(/^pre-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(at(made, 'metadata.generateName')).toBe('pre-')
  })

  it('cuts a long prefix to 58 characters', async (stage) => {
    const made = await stage.made(configMaps, { metadata: { generateName: 'x'.repeat(70) } })
    expect(textAt(made, 'metadata.name')).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(at(made, 'metadata.generateName')).toBe('x'.repeat(70))
  })

  it('prefers the name to the prefix', async (stage) => {
    const made = await stage.made(configMaps, configMap('named', {}, { generateName: 'pre-' }))
    expect(at(made, 'metadata.name')).toBe('named')
  })

  it('rejects an object without a name', async (stage) => {
    const { status, body } = await stage.create(configMaps, { metadata: {} })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      reason: 'Invalid',
      details: { kind: 'ConfigMap', causes: [{ reason: 'FieldValueRequired', field: 'metadata.name' }] },
    })
  })

  it('uses the namespace of the path, and rejects another one in the body', async (stage) => {
    const made = await stage.made(configMaps, configMap('placed'))
    expect(at(made, 'metadata.namespace')).toBe(stage.namespace)
    const { status, body } = await stage.create(configMaps, configMap('misplaced', {}, { namespace: 'default' }))
    expect(status).toBe(400)
    expect(at(body, 'message')).toBe(
      `the namespace of the provided object does not match the namespace sent on the request`,
    )
  })

  it('rejects a create in an absent namespace', async (stage) => {
    const { status, body } = await stage.create(configMaps, configMap('a'), { namespace: 'absent' })
    expect(status).toBe(404)
    expect(body).toMatchObject({
      message: 'namespaces "absent" not found',
      details: { name: 'absent', kind: 'namespaces' },
    })
  })

  it('accepts a body without kind and apiVersion, and rejects those of another kind', async (stage) => {
    await stage.made(configMaps, { metadata: { name: 'bare' } })
    const { status, body } = await stage.create(configMaps, {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'x' },
    })
    expect(status).toBe(400)
    expect(at(body, 'message')).toBe(
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    )
  })

  it('treats a create at the path of a custom object as one in its collection', async (stage) => {
    const path = stage.path(widgets, 'elsewhere')
    const { status, body } = await stage.server.request({ method: 'POST', path, body: widget('elsewhere') })
    expect(status).toBe(201)
    expect(at(body, 'metadata.name')).toBe('elsewhere')
  })

  it('accepts YAML and JSON', async (stage) => {
    const { status, body } = await stage.create(configMaps, 'metadata:\n  name: yaml\ndata:\n  a: "1"\n', {
      headers: { 'content-type': 'application/yaml' },
    })
    expect(status).toBe(201)
    expect(at(body, 'data')).toEqual({ a: '1' })
  })

  it('reads the first of several YAML documents', async (stage) => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: several\n---\nmetadata:\n  name: second\n'
    const headers = { 'content-type': 'application/yaml' }
    expect(at((await stage.create(configMaps, body, { headers })).body, 'metadata.name')).toBe('several')
  })

  it('merges two equal owner references, and warns', async (stage) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '00000000-0000-4000-8000-000000000001' }
    const { status, body, headers } = await stage.create(
      configMaps,
      configMap('owned', {}, { ownerReferences: [owner, owner], finalizers: ['example.com/keep'] }),
    )
    expect(status).toBe(201)
    expect(at(body, 'metadata.ownerReferences')).toEqual([owner])
    expect(headers['warning']).toBe(
      '299 - ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 00000000-0000-4000-8000-000000000001"',
    )
  })

  it('converts the stringData of a secret to data', async (stage) => {
    const made = await stage.made(
      secrets,
      object(secrets, 'text', { stringData: { a: 'plain' }, data: { a: 'b2xk', b: 'Yg==' } }),
    )
    expect(at(made, 'data')).toEqual({ a: 'cGxhaW4=', b: 'Yg==' })
    expect(at(made, 'stringData')).toBeUndefined()
    expect(at(made, 'type')).toBe('Opaque')
  })

  it('stores an unpaired surrogate as the replacement character', async (stage) => {
    const made = await stage.made(configMaps, configMap('halves', { a: '\ud800x\udc00' }))
    expect(at(made, 'data.a')).toBe('\ufffdx\ufffd')
  })

  it('warns of an unknown field even if it rejects the object', async (stage) => {
    await stage.made(configMaps, configMap('warned'))
    const { status, headers } = await stage.create(configMaps, { ...configMap('warned'), absent: 1 })
    expect([status, headers['warning']]).toEqual([409, '299 - "unknown field \\"absent\\""'])
  })

  it('sets the generated labels of its pods on a job without labels, without a manager', async (stage) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example:1' }] } }
    const made = await stage.made(jobs, object(jobs, 'labelled', { spec: { suspend: true, template } }))
    expect(at(made, 'metadata.labels')).toEqual(at(made, 'spec.template.metadata.labels'))
    expect(at(made, 'metadata.labels.job-name')).toBe('labelled')
    expect(JSON.stringify(at(made, 'metadata.managedFields'))).not.toContain('f:labels')
  })

  it('hides the traffic policy of a service that became an external name', async (stage) => {
    await stage.made(services, object(services, 'external', { spec: { clusterIP: 'None' } }))
    const spec = { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null }
    const patched = taken(await stage.patch('merge', services, 'external', { spec }))
    expect(at(patched, 'spec.type')).toBe('ExternalName')
    expect(at(patched, 'spec.internalTrafficPolicy')).toBeUndefined()
  })

  it('stores the traffic policy of a service even if it is hidden', async (stage) => {
    await stage.made(services, object(services, 'unshown', { spec: { clusterIP: 'None' } }))
    const external = { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null }
    taken(await stage.patch('merge', services, 'unshown', { spec: external }))
    const spec = { type: 'ClusterIP', externalName: null, clusterIP: 'None' }
    const back = taken(await stage.patch('merge', services, 'unshown', { spec }, { query: { fieldManager: 'other' } }))
    expect(at(back, 'spec.internalTrafficPolicy')).toBe('Cluster')
    const entries = at(back, 'metadata.managedFields') as readonly JsonObject[] // A list of objects, by its schema.
    const owners = entries.filter((entry) => JSON.stringify(entry).includes('f:internalTrafficPolicy'))
    expect(owners.map(({ manager }) => manager)).toEqual(['conformance'])
  })

  it('reports strict decoding errors of a custom object before its wrong kind, under that kind', async (stage) => {
    const { body } = await stage.server.request({
      method: 'POST',
      path: `/apis/conformance.konverge.dev/v1/namespaces/${stage.namespace}/widgets`,
      query: { fieldValidation: 'Strict' },
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}',
    })
    expect(at(body, 'message')).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.x"',
    )
  })

  it('labels a namespace with its name, and gives it the finalizer of its content', async (stage) => {
    const made = await stage.made(namespaces, object(namespaces, `${stage.namespace}-labelled`))
    expect(at(made, 'metadata.labels')).toEqual({ 'kubernetes.io/metadata.name': `${stage.namespace}-labelled` })
    expect(at(made, 'spec.finalizers')).toEqual(['kubernetes'])
    expect(at(made, 'status.phase')).toBe('Active')
  })
})
