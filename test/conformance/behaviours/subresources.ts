// Subresources status and scale of custom and built-in kinds: the fields that they change and keep.
// Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource, k8s.io/kubernetes/pkg/registry.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import {
  budgets,
  claims,
  configMaps,
  deployment,
  deployments,
  jobs,
  type Kind,
  namespaces,
  object,
  pod,
  pods,
  podTemplate,
  services,
  statefulSet,
  statefulSets,
  widget,
  widgets,
} from '../kinds.ts'
import { at, type Stage, taken, versionOf } from '../stage.ts'

const status = { subresource: 'status' }
const scale = { subresource: 'scale' }
const finalize = { subresource: 'finalize' }

/** Built-in kinds with a status: a status to write, and whether that write may change labels and annotations. */
const withStatus: readonly { kind: Kind; make: (name: string) => JsonObject; status: JsonObject }[] = [
  {
    kind: deployments,
    make: (name) => deployment(name),
    status: { readyReplicas: 0, conditions: [condition('Tested')] },
  },
  { kind: statefulSets, make: (name) => statefulSet(name), status: { replicas: 0, conditions: [condition('Tested')] } },
  { kind: pods, make: (name) => pod(name), status: { phase: 'Pending', conditions: [condition('Tested')] } },
  {
    kind: services,
    make: (name) => object(services, name, { spec: { clusterIP: 'None' } }),
    status: { conditions: [{ ...condition('Tested'), lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  },
  {
    kind: jobs,
    make: (name) =>
      object(jobs, name, {
        spec: {
          suspend: true,
          template: { spec: { ...(podTemplate(name)['spec'] as JsonObject), restartPolicy: 'Never' } },
        },
      }),
    status: { conditions: [condition('Tested')] },
  },
  {
    kind: budgets,
    make: (name) =>
      object(budgets, name, { spec: { minAvailable: 1, selector: { matchLabels: { app: 'nobody-at-all' } } } }),
    status: { conditions: [{ ...condition('Tested'), lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  },
  {
    kind: claims,
    make: (name) =>
      object(claims, name, {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: 'none',
        },
      }),
    status: { conditions: [condition('Tested')] },
  },
]

function condition(type: string): JsonObject {
  return { type, status: 'True', reason: 'Asked', message: '' }
}

async function sized(stage: Stage, name: string, spec: JsonObject = { size: 1, replicas: 3 }): Promise<JsonObject> {
  return await stage.made(widgets, widget(name, spec))
}

export const subresources = area('subresources', (it) => {
  it('drops the status in the create of a custom object', async (stage) => {
    const made = await stage.made(widgets, widget('dropped', {}, { status: { phase: 'Ready' } }))
    expect(at(made, 'status')).toBeUndefined()
  })

  it('ignores the status in an update of the object', async (stage) => {
    const made = await sized(stage, 'main')
    const ready = taken(await stage.update(widgets, { ...made, status: { phase: 'Ready' } }, status))
    const updated = taken(await stage.update(widgets, { ...ready, status: { phase: 'Lost' } }))
    expect(at(updated, 'status.phase')).toBe('Ready')
    expect(versionOf(updated)).toBe(versionOf(ready))
    const { status: _, ...without } = ready
    expect(at(taken(await stage.update(widgets, without)), 'status.phase')).toBe('Ready')
  })

  it('changes only the status in an update of the status', async (stage) => {
    const made = await sized(stage, 'only')
    const metadata = {
      ...(made['metadata'] as JsonObject),
      labels: { a: '1' },
      annotations: { b: '2' },
      finalizers: ['example.com/f'],
    }
    const updated = taken(
      await stage.update(widgets, { ...made, metadata, spec: { size: 9 }, status: { phase: 'Ready' } }, status),
    )
    expect(at(updated, 'spec.size')).toBe(1)
    expect(at(updated, 'status')).toEqual({ phase: 'Ready' })
    for (const key of ['labels', 'annotations', 'finalizers']) expect(at(updated, `metadata.${key}`)).toBeUndefined()
  })

  it('does not increment the generation for a status', async (stage) => {
    const made = await sized(stage, 'generation')
    const updated = taken(await stage.update(widgets, { ...made, status: { phase: 'Ready' } }, status))
    expect(at(updated, 'metadata.generation')).toBe(1)
    expect(versionOf(updated)).not.toBe(versionOf(made))
  })

  it('records the writer of a status separately from the writer of the object', async (stage) => {
    const made = await sized(stage, 'recorded')
    const updated = taken(await stage.update(widgets, { ...made, status: { phase: 'Ready' } }, status))
    expect(at(updated, 'metadata.managedFields.1')).toMatchObject({
      manager: 'conformance',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } },
    })
  })

  it('patches a status, and ignores the spec in such a patch', async (stage) => {
    await sized(stage, 'patched')
    const patched = taken(
      await stage.patch('merge', widgets, 'patched', { spec: { size: 9 }, status: { phase: 'Ready' } }, status),
    )
    expect(at(patched, 'spec.size')).toBe(1)
    expect(at(patched, 'status.phase')).toBe('Ready')
  })

  it('gets an object through its status subresource', async (stage) => {
    const made = await sized(stage, 'got')
    expect((await stage.get(widgets, 'got', status)).body).toEqual(made)
  })

  it('shows all stored fields of a service in its status subresource, unlike in the object', async (stage) => {
    await stage.made(services, object(services, 'outward', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }))
    const outward = { spec: { type: 'ExternalName', externalName: 'example.com', ports: null } }
    const policy = 'spec.internalTrafficPolicy'
    expect(at(taken(await stage.patch('merge', services, 'outward', outward)), policy)).toBeUndefined()
    expect(at(taken(await stage.get(services, 'outward')), policy)).toBeUndefined()
    expect(at(taken(await stage.get(services, 'outward', status)), policy)).toBe('Cluster')
    const labelled = (value: string) => ({ metadata: { labels: { labelled: value } } })
    for (const query of [{ dryRun: 'All' }, {}, {}]) {
      const where = { ...status, query }
      const patched = taken(await stage.patch('merge', services, 'outward', labelled('yes'), where))
      expect(at(patched, policy)).toBe('Cluster')
      expect(at(patched, 'metadata.labels.labelled')).toBe('yes')
    }
    const annotated = { metadata: { annotations: { annotated: 'yes' } } }
    expect(at(taken(await stage.patch('merge', services, 'outward', annotated)), policy)).toBeUndefined()
  })

  it('rejects a status of the wrong type', async (stage) => {
    await sized(stage, 'typed')
    const { status: code, body } = await stage.patch('merge', widgets, 'typed', { status: { phase: 5 } }, status)
    expect(code).toBe(422)
    expect(at(body, 'message')).toBe(
      'Widget.conformance.konverge.dev "typed" is invalid: status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    )
  })

  it('answers 404 for the status of a kind without one', async (stage) => {
    await stage.made(configMaps, object(configMaps, 'without'))
    const { status: code, body } = await stage.get(configMaps, 'without', status)
    expect(code).toBe(404)
    expect(at(body, 'message')).toBe('the server could not find the requested resource')
  })

  it('rejects the status of an absent object', async (stage) => {
    const { status: code, body } = await stage.update(widgets, widget('absent'), status)
    expect(code).toBe(404)
    expect(at(body, 'message')).toBe('widgets.conformance.konverge.dev "absent" not found')
  })

  it('neither creates nor deletes through a status subresource', async (stage) => {
    await sized(stage, 'method')
    for (const method of ['POST', 'DELETE'] as const) {
      const path = stage.path(widgets, 'method', status)
      const { status: code } = await stage.server.request({ method, path, body: {} })
      expect(code).toBe(405)
    }
  })

  for (const { kind, make, status: written } of withStatus) {
    it(`takes the status of ${kind.plural} on its endpoint, and neither spec nor labels`, async (stage) => {
      const name = `${kind.plural}-status`
      await stage.made(kind, make(name))
      await stage.settled(kind, name)
      const before = taken(await stage.get(kind, name))
      const body = { metadata: { labels: { a: '1' } }, spec: { paused: true }, status: written }
      const patched = taken(await stage.patch('merge', kind, name, body, status))
      expect(at(patched, 'spec')).toEqual(at(before, 'spec'))
      expect(at(patched, 'status.conditions.0')).toMatchObject({ type: 'Tested', status: 'True' })
    })

    it(`leaves the status of ${kind.plural} as it is when the object is written`, async (stage) => {
      const name = `${kind.plural}-object`
      await stage.made(kind, make(name))
      await stage.settled(kind, name)
      const before = taken(await stage.get(kind, name))
      const patched = taken(await stage.patch('merge', kind, name, { status: written }))
      expect(at(patched, 'status')).toEqual(at(before, 'status'))
    })
  }

  it('shows the scale of a custom object', async (stage) => {
    const made = await sized(stage, 'scaled')
    taken(await stage.patch('merge', widgets, 'scaled', { status: { replicas: 2, selector: 'a=b' } }, status))
    const { body } = await stage.get(widgets, 'scaled', scale)
    expect(body).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'scaled',
        namespace: stage.namespace,
        uid: at(made, 'metadata.uid'),
        resourceVersion: expect.any(String),
        creationTimestamp: at(made, 'metadata.creationTimestamp'),
      },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'a=b' },
    })
  })

  it('sets the replicas of a custom object by its scale, and increments the generation', async (stage) => {
    await sized(stage, 'rescaled')
    const { body } = await stage.get(widgets, 'rescaled', scale)
    const changed = taken(await stage.update(widgets, { ...(body as JsonObject), spec: { replicas: 7 } }, scale))
    expect(at(changed, 'spec.replicas')).toBe(7)
    const read = taken(await stage.get(widgets, 'rescaled'))
    expect(at(read, 'spec.replicas')).toBe(7)
    expect(at(read, 'spec.size')).toBe(1)
    expect(at(read, 'metadata.generation')).toBe(2)
    // Its entry has no time and therefore comes first.
    expect(at(read, 'metadata.managedFields.0')).toEqual({
      manager: 'conformance',
      operation: 'Update',
      apiVersion: 'conformance.konverge.dev/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    })
  })

  it('patches the scale of a custom object', async (stage) => {
    await sized(stage, 'patched-scale')
    const patched = taken(await stage.patch('merge', widgets, 'patched-scale', { spec: { replicas: 0 } }, scale))
    expect(at(patched, 'spec')).toEqual({})
    expect(at(taken(await stage.get(widgets, 'patched-scale')), 'spec.replicas')).toBe(0)
  })

  it('rejects a scale of an older version, below zero, or of another name', async (stage) => {
    await sized(stage, 'refused')
    const old = taken(await stage.get(widgets, 'refused', scale))
    taken(await stage.patch('merge', widgets, 'refused', { spec: { size: 2 } }))
    expect((await stage.update(widgets, { ...old, spec: { replicas: 1 } }, scale)).status).toBe(409)
    const negative = await stage.patch('merge', widgets, 'refused', { spec: { replicas: -1 } }, scale)
    expect(negative.status).toBe(422)
    expect(at(negative.body, 'details.causes.0')).toEqual({
      reason: 'FieldValueInvalid',
      message: 'Invalid value: -1: should be a non-negative integer',
      field: '.spec.replicas',
    })
  })

  it('rejects a read of the scale without replicas, but allows a write', async (stage) => {
    await sized(stage, 'unscaled', { size: 1 })
    const { status: code, body } = await stage.get(widgets, 'unscaled', scale)
    expect(code).toBe(500)
    expect(at(body, 'message')).toBe('Internal error occurred: the spec replicas field ".spec.replicas" does not exist')
    const set = taken(await stage.update(widgets, { metadata: { name: 'unscaled' }, spec: { replicas: 3 } }, scale))
    expect(at(set, 'spec')).toEqual({ replicas: 3 })
  })

  for (const [kind, make] of [
    [deployments, deployment],
    [statefulSets, statefulSet],
  ] as const)
    it(`scales ${kind.plural}`, async (stage) => {
      const name = `${kind.plural}-scaled`
      await stage.made(kind, make(name, { paused: true, replicas: 0 }))
      await stage.settled(kind, name)
      const shown = taken(await stage.get(kind, name, scale))
      expect(shown).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        spec: {},
        status: { replicas: 0, selector: `app=${name}` },
      })
      const scaled = taken(await stage.update(kind, { ...shown, spec: { replicas: 0 } }, scale))
      expect(at(scaled, 'spec')).toEqual({})
    })

  it('changes the finalizers in a namespace’s spec only through the finalize subresource', async (stage) => {
    const name = await stage.madeNamespace('finalized')
    const live = taken(await stage.get(namespaces, name))
    const wanted = { ...live, spec: { finalizers: ['kubernetes', 'example.com/hold'] } }
    expect(at(taken(await stage.update(namespaces, wanted)), 'spec.finalizers')).toEqual(['kubernetes'])
    const fresh = taken(await stage.get(namespaces, name))
    const changed = { ...fresh, spec: wanted.spec, status: { phase: 'Terminating' } }
    const held = taken(await stage.update(namespaces, changed, finalize))
    expect(held).toMatchObject({ kind: 'Namespace', spec: wanted.spec, status: { phase: 'Active' } })
    const refused = await stage.update(
      namespaces,
      { ...held, spec: { finalizers: ['example.com/hold', 'odd'] } },
      finalize,
    )
    expect({ status: refused.status, message: at(refused.body, 'message') }).toEqual({
      status: 422,
      message: `Namespace "${name}" is invalid: spec.finalizers[1]: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified`,
    })
    const path = stage.path(namespaces, name, finalize)
    for (const method of ['GET', 'DELETE'] as const)
      expect((await stage.server.request({ method, path })).status).toBe(405)
    expect((await stage.patch('merge', namespaces, name, { spec: { finalizers: [] } }, finalize)).status).toBe(405)
  })

  it('deletes a namespace when its last finalizer is removed', async (stage) => {
    const name = await stage.madeNamespace('let-go')
    await stage.settled(namespaces, name)
    const live = taken(await stage.get(namespaces, name))
    taken(await stage.update(namespaces, { ...live, spec: { finalizers: ['example.com/hold'] } }, finalize))
    await stage.delete(namespaces, name)
    await stage.settled(namespaces, name)
    const ending = taken(await stage.get(namespaces, name))
    expect(ending).toMatchObject({ spec: { finalizers: ['example.com/hold'] }, status: { phase: 'Terminating' } })
    const { metadata } = ending
    const last = await stage.update(namespaces, { ...ending, metadata, spec: {} }, finalize)
    expect({ status: last.status, kind: at(last.body, 'kind') }).toEqual({ status: 200, kind: 'Namespace' })
    expect((await stage.get(namespaces, name)).status).toBe(404)
  })

  it('neither creates nor deletes a scale', async (stage) => {
    await sized(stage, 'scale-method')
    const path = stage.path(widgets, 'scale-method', scale)
    expect((await stage.server.request({ method: 'DELETE', path })).status).toBe(405)
    expect((await stage.get(configMaps, 'kube-root-ca.crt', scale)).status).toBe(404)
  })
})
