// Updates: required versions and names, creation by update, no-op writes, generations, and immutable fields.
// Source: k8s.io/apiserver/pkg/registry/{rest,generic}.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import {
  budgets,
  claims,
  configMap,
  configMaps,
  deployment,
  deployments,
  jobs,
  type Kind,
  leases,
  object,
  pod,
  pods,
  podTemplate,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
  statefulSet,
  statefulSets,
  widget,
  widgets,
} from '../kinds.ts'
import { at, taken, textAt, versionOf } from '../stage.ts'

const modified = 'the object has been modified; please apply your changes to the latest version and try again'

/** One small object of each updated kind. */
const samples: readonly { kind: Kind; make: (name: string) => JsonObject; unconditional: boolean; creates: boolean }[] =
  [
    { kind: configMaps, make: (name) => configMap(name), unconditional: true, creates: false },
    { kind: secrets, make: (name) => object(secrets, name), unconditional: true, creates: false },
    { kind: serviceAccounts, make: (name) => object(serviceAccounts, name), unconditional: true, creates: false },
    {
      kind: services,
      make: (name) => object(services, name, { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }),
      unconditional: true,
      creates: true,
    },
    { kind: pods, make: (name) => pod(name), unconditional: true, creates: false },
    { kind: deployments, make: (name) => deployment(name), unconditional: true, creates: false },
    { kind: statefulSets, make: (name) => statefulSet(name), unconditional: true, creates: false },
    {
      kind: jobs,
      make: (name) =>
        object(jobs, name, {
          spec: {
            suspend: true,
            template: { spec: { ...(podTemplate(name)['spec'] as JsonObject), restartPolicy: 'Never' } },
          },
        }),
      unconditional: true,
      creates: false,
    },
    { kind: leases, make: (name) => object(leases, name), unconditional: false, creates: true },
    { kind: roles, make: (name) => object(roles, name, { rules: [] }), unconditional: true, creates: true },
    {
      kind: roleBindings,
      make: (name) =>
        object(roleBindings, name, { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' } }),
      unconditional: true,
      creates: true,
    },
    {
      kind: budgets,
      make: (name) => object(budgets, name, { spec: { minAvailable: 1 } }),
      unconditional: false,
      creates: false,
    },
    { kind: widgets, make: (name) => widget(name), unconditional: false, creates: false },
  ]

export const updates = area('updates', (it) => {
  it('updates with 200, a new version and the same identity', async (stage) => {
    const made = await stage.made(configMaps, configMap('updated', { a: '1' }))
    const { status, body } = await stage.update(configMaps, { ...made, data: { a: '2' } })
    expect(status).toBe(200)
    expect(at(body, 'data')).toEqual({ a: '2' })
    expect(at(body, 'metadata.uid')).toBe(at(made, 'metadata.uid'))
    expect(at(body, 'metadata.creationTimestamp')).toBe(at(made, 'metadata.creationTimestamp'))
    expect(BigInt(versionOf(body))).toBeGreaterThan(BigInt(versionOf(made)))
  })

  it('replaces the whole object: fields that the update omits are removed', async (stage) => {
    await stage.made(configMaps, configMap('replaced', { a: '1' }, { labels: { a: '1' }, annotations: { b: '2' } }))
    const body = taken(await stage.update(configMaps, configMap('replaced')))
    for (const path of ['data.a', 'metadata.labels', 'metadata.annotations']) expect(at(body, path)).toBeUndefined()
  })

  it('rejects an update of an older version with 409', async (stage) => {
    const made = await stage.made(widgets, widget('older'))
    taken(await stage.patch('merge', widgets, 'older', { spec: { size: 1 } }))
    const { status, body } = await stage.update(widgets, made)
    expect(status).toBe(409)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Operation cannot be fulfilled on widgets.conformance.konverge.dev "older": ${modified}`,
      reason: 'Conflict',
      details: { name: 'older', group: 'conformance.konverge.dev', kind: 'widgets' },
      code: 409,
    })
  })

  it('rejects an update with another uid as a failed precondition', async (stage) => {
    const made = await stage.made(configMaps, configMap('identity'))
    const uid = '00000000-0000-4000-8000-000000000000'
    const { status, body } = await stage.update(configMaps, configMap('identity', {}, { uid }))
    expect(status).toBe(409)
    const key = `/registry/configmaps/${stage.namespace}/identity`
    expect(at(body, 'message')).toBe(
      `Operation cannot be fulfilled on configmaps "identity": StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(made, 'metadata.uid')}`,
    )
  })

  it('rejects a body whose name or namespace differs from the path', async (stage) => {
    await stage.made(configMaps, configMap('path'))
    const path = stage.path(configMaps, 'path')
    const named = await stage.server.request({ method: 'PUT', path, body: configMap('other') })
    expect(named.status).toBe(400)
    expect(at(named.body, 'message')).toBe('the name of the object (other) does not match the name on the URL (path)')
    const body = configMap('path', {}, { namespace: 'default' })
    const placed = await stage.server.request({ method: 'PUT', path, body })
    expect(placed.status).toBe(400)
    expect(at(placed.body, 'message')).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  })

  it('rejects a resourceVersion that is no number', async (stage) => {
    await stage.made(widgets, widget('unreadable'))
    const { status, body } = await stage.update(
      widgets,
      widget('unreadable', {}, { metadata: { resourceVersion: 'abc' } }),
    )
    expect(status).toBe(500)
    expect(at(body, 'message')).toBe('strconv.ParseUint: parsing "abc": invalid syntax')
  })

  for (const { kind, make, unconditional, creates } of samples) {
    const name = `${kind.plural}-unconditional`
    it(`${unconditional ? 'takes' : 'refuses'} an update of ${kind.plural} without a resourceVersion`, async (stage) => {
      const { metadata, ...fields } = await stage.made(kind, make(name))
      const { resourceVersion, ...unversioned } = metadata as JsonObject
      const { status, body } = await stage.update(kind, { metadata: unversioned, ...fields })
      if (unconditional) return expect(status).toBe(200)
      expect(status).toBe(422)
      expect(at(body, 'details.causes.0')).toEqual({
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
        field: 'metadata.resourceVersion',
      })
    })

    it(`${creates ? 'creates' : 'does not create'} an absent object of ${kind.plural} by an update`, async (stage) => {
      const { status, body } = await stage.update(kind, make(`${kind.plural}-absent`))
      if (creates) return expect(status).toBe(201)
      expect(status).toBe(404)
      expect(at(body, 'details.name')).toBe(`${kind.plural}-absent`)
    })

    it(`keeps the version of ${kind.plural} where an update changes nothing`, async (stage) => {
      const name = `${kind.plural}-same`
      await stage.made(kind, make(name))
      await stage.settled(kind, name)
      const read = taken(await stage.get(kind, name))
      expect(taken(await stage.update(kind, read))).toEqual(read)
    })
  }

  it('creates by an update even if it has a resourceVersion', async (stage) => {
    const { status } = await stage.update(leases, object(leases, 'unborn', { metadata: { resourceVersion: '5' } }))
    expect(status).toBe(201)
  })

  it('increments the generation when the spec changes, but not when only metadata changes', async (stage) => {
    const made = await stage.made(widgets, widget('counted', { size: 1 }))
    const labelled = taken(
      await stage.patch('merge', widgets, 'counted', { metadata: { labels: { a: '1' }, annotations: { b: '2' } } }),
    )
    expect(at(labelled, 'metadata.generation')).toBe(1)
    const changed = taken(await stage.patch('merge', widgets, 'counted', { spec: { size: 2 } }))
    expect(at(changed, 'metadata.generation')).toBe(2)
    const same = taken(
      await stage.update(widgets, {
        ...made,
        metadata: { ...(changed['metadata'] as JsonObject), generation: 9 },
        spec: { size: 2 },
      }),
    )
    expect(at(same, 'metadata.generation')).toBe(2)
  })

  it('increments the generation of a deployment only when its spec changes', async (stage) => {
    await stage.made(deployments, deployment('counted'))
    const annotated = taken(await stage.patch('merge', deployments, 'counted', { metadata: { labels: { a: '1' } } }))
    expect(at(annotated, 'metadata.generation')).toBe(1)
    const paused = taken(await stage.patch('merge', deployments, 'counted', { spec: { paused: true } }))
    expect(at(paused, 'metadata.generation')).toBe(2)
  })

  it('keeps the creation time, and rejects a deletion time, with two errors for a custom kind', async (stage) => {
    const made = await stage.made(widgets, widget('kept'))
    const metadata = { ...(made['metadata'] as JsonObject), creationTimestamp: '2001-01-01T00:00:00Z' }
    expect(taken(await stage.update(widgets, { ...made, metadata }))).toEqual(made)
    const deletionTimestamp = '2001-01-01T00:00:00Z'
    const { status, body } = await stage.update(widgets, { ...made, metadata: { ...metadata, deletionTimestamp } })
    expect(status).toBe(422)
    const cause = {
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${deletionTimestamp}": field is immutable`,
      field: 'metadata.deletionTimestamp',
    }
    expect(at(body, 'details.causes')).toEqual([cause, cause])
  })

  it('rejects changes of an immutable config map, and its return to mutable', async (stage) => {
    const made = await stage.made(configMaps, { ...configMap('frozen', { a: '1' }), immutable: true })
    for (const change of [{ data: { a: '2' } }, { immutable: false }]) {
      const { status, body } = await stage.update(configMaps, { ...made, ...change })
      expect(status).toBe(422)
      expect(at(body, 'message')).toMatch(
        /^ConfigMap "frozen" is invalid: (data|immutable): Forbidden: field is immutable when `immutable` is set$/,
      )
    }
    taken(await stage.patch('merge', configMaps, 'frozen', { metadata: { labels: { a: '1' } } }))
  })

  it('rejects changes of immutable fields in a claim, a service and a stateful set', async (stage) => {
    const claim = object(claims, 'fixed', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' },
    })
    await stage.made(claims, claim)
    const storage = await stage.patch('merge', claims, 'fixed', { spec: { accessModes: ['ReadWriteMany'] } })
    expect(storage.status).toBe(422)
    expect(at(storage.body, 'details.causes.0.field')).toBe('spec')
    await stage.made(statefulSets, statefulSet('fixed'))
    const set = await stage.patch('merge', statefulSets, 'fixed', { spec: { serviceName: 'other' } })
    expect(set.status).toBe(422)
    expect(at(set.body, 'message')).toMatch(
      /^StatefulSet.apps "fixed" is invalid: spec: Forbidden: updates to statefulset spec for fields other than /,
    )
  })
})
