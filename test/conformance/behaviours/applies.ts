// Server-side apply: ownership, conflicts, removal, co-ownership, list types, managedFields of other writes.
// Source: k8s.io/apimachinery/pkg/util/managedfields, sigs.k8s.io/structured-merge-diff.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, deployment, deployments, object, services, widget, widgets } from '../kinds.ts'
import { at, recordsOf, type Stage, taken, versionOf } from '../stage.ts'

const force = { query: { force: true } }

function entryOf(manager: string): JsonObject {
  const apiVersion = 'conformance.konverge.dev/v1'
  return { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1' }
}

async function applied(stage: Stage, manager: string, body: JsonObject): Promise<JsonObject> {
  return taken(await stage.apply(manager, widgets, body))
}

export const applies = area('applies', (it) => {
  it('creates with 201, and records the applier’s fields', async (stage) => {
    const { status, body } = await stage.apply('a', widgets, widget('made', { size: 1, tags: ['x'] }))
    expect(status).toBe(201)
    expect(at(body, 'metadata.managedFields')).toEqual([
      {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'conformance.konverge.dev/v1',
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:size': {}, 'f:tags': { 'v:"x"': {} } } },
      },
    ])
    expect(at(body, 'spec.mode')).toBe('plain')
  })

  it('answers 200 for an existing object, and changes nothing if the apply is a no-op', async (stage) => {
    const made = await applied(stage, 'a', widget('same', { size: 1, limits: {} }))
    const { status, body } = await stage.apply('a', widgets, widget('same', { size: 1, limits: {} }))
    expect(status).toBe(200)
    expect(body).toEqual(made)
  })

  for (const [kind, body] of [
    [widgets, widget('exclusive', { size: 1 })],
    [configMaps, configMap('exclusive', { a: 'b' })],
    [deployments, deployment('exclusive')],
    [services, object(services, 'exclusive', { spec: { ports: [{ port: 80, protocol: 'TCP' }] } })],
  ] as const)
    it(`creates ${kind.plural} by an apply of version 1, and refuses it where the object exists`, async (stage) => {
      const versioned = { ...body, metadata: { ...(body['metadata'] as JsonObject), resourceVersion: '1' } }
      const { status, body: made } = await stage.apply('a', kind, versioned)
      expect(status).toBe(201)
      expect(versionOf(made)).not.toBe('1')
      const again = await stage.apply('b', kind, versioned, force)
      expect(again).toMatchObject({ status: 409, body: { reason: 'Conflict' } })
    })

  it('stores empty metadata values of a custom object until the next write drops them', async (stage) => {
    const empty = { metadata: { labels: {}, annotations: {} } }
    const applied = taken(await stage.apply('m', widgets, widget('hollow', { size: 1 }, empty)))
    expect(at(applied, 'metadata.labels')).toBeUndefined()
    const patched = taken(await stage.patch('merge', widgets, 'hollow', {}))
    expect(versionOf(patched)).not.toBe(versionOf(applied))
    const again = taken(await stage.patch('merge', widgets, 'hollow', {}))
    expect(versionOf(again)).toBe(versionOf(patched))
    const filled = { metadata: { labels: { a: 'b' }, finalizers: ['example.com/hold'] } }
    taken(await stage.apply('m', widgets, widget('hollowed', {}, filled)))
    taken(await stage.apply('n', widgets, widget('hollowed', {}, { metadata: { labels: {} } })))
    const emptied = taken(await stage.apply('m', widgets, widget('hollowed')))
    const rewritten = taken(await stage.patch('merge', widgets, 'hollowed', {}))
    expect(versionOf(rewritten)).not.toBe(versionOf(emptied))
  })

  it('accepts YAML', async (stage) => {
    const text = `apiVersion: conformance.konverge.dev/v1\nkind: Widget\nmetadata: {name: yaml}\nspec: {size: 3}\n`
    const where = { query: { fieldManager: 'a' } }
    const { status, body } = await stage.patch('apply', widgets, 'yaml', text, where)
    expect(status).toBe(201)
    expect(at(body, 'spec.size')).toBe(3)
  })

  it('removes a field that its only owner no longer applies', async (stage) => {
    await applied(stage, 'a', widget('removed', { size: 1, note: 'x', limits: { cpu: 1, memory: 2 } }))
    const body = await applied(stage, 'a', widget('removed', { size: 1, limits: { cpu: 1 } }))
    expect(at(body, 'spec')).toEqual({ size: 1, mode: 'plain', limits: { cpu: 1 } })
  })

  it('keeps a field that one owner no longer applies and another still owns', async (stage) => {
    await applied(stage, 'a', widget('shared', { size: 1, note: 'x' }))
    await applied(stage, 'b', widget('shared', { note: 'x' }))
    const body = await applied(stage, 'a', widget('shared', { size: 1 }))
    expect(at(body, 'spec.note')).toBe('x')
    expect(recordsOf(body)).toEqual({
      'a Apply': { 'f:spec': { 'f:size': {} } },
      'b Apply': { 'f:spec': { 'f:note': {} } },
    })
  })

  it('allows two managers to own a field with the same value', async (stage) => {
    await applied(stage, 'a', widget('co-owned', { size: 1 }))
    const body = await applied(stage, 'b', widget('co-owned', { size: 1 }))
    expect(recordsOf(body)).toEqual({
      'a Apply': { 'f:spec': { 'f:size': {} } },
      'b Apply': { 'f:spec': { 'f:size': {} } },
    })
  })

  it('rejects another value of an owned field with a 409 that names manager and field', async (stage) => {
    await applied(stage, 'a', widget('conflict', { size: 1 }))
    const { status, body } = await stage.apply('b', widgets, widget('conflict', { size: 2 }))
    expect(status).toBe(409)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Apply failed with 1 conflict: conflict with "a": .spec.size',
      reason: 'Conflict',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.size' }],
      },
      code: 409,
    })
  })

  it('lists several conflicts by manager', async (stage) => {
    await applied(stage, 'a', widget('conflicts', { size: 1, color: 'red' }))
    await applied(stage, 'b', widget('conflicts', { note: 'x' }))
    const { body } = await stage.apply('c', widgets, widget('conflicts', { size: 2, color: 'blue', note: 'y' }))
    expect(at(body, 'message')).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .spec.color\n- .spec.size\nconflicts with "b":\n- .spec.note',
    )
    // The real server iterates over a map of managers, in random order.
    const causes = (at(body, 'details.causes') as readonly JsonObject[]).map(
      ({ message, field }) => `${field}: ${message}`,
    )
    expect(causes.toSorted()).toEqual([
      '.spec.color: conflict with "a"',
      '.spec.note: conflict with "b"',
      '.spec.size: conflict with "a"',
    ])
  })

  it('reports version and time of a manager that updated', async (stage) => {
    await stage.made(widgets, widget('updated', { size: 1 }))
    const { body } = await stage.apply('a', widgets, widget('updated', { size: 2 }))
    expect(at(body, 'message')).toMatch(
      /^Apply failed with 1 conflict: conflict with "conformance" using conformance\.konverge\.dev\/v1: \.spec\.size$/,
    )
  })

  it('transfers a field to a manager that forces the apply', async (stage) => {
    await applied(stage, 'a', widget('forced', { size: 1, note: 'x' }))
    const body = taken(await stage.apply('b', widgets, widget('forced', { size: 2 }), force))
    expect(at(body, 'spec.size')).toBe(2)
    expect(recordsOf(body)).toEqual({
      'a Apply': { 'f:spec': { 'f:note': {} } },
      'b Apply': { 'f:spec': { 'f:size': {} } },
    })
  })

  it('drops the entry of a manager that no longer owns a field', async (stage) => {
    await applied(stage, 'a', widget('dropped', { size: 1 }))
    const body = taken(await stage.apply('b', widgets, widget('dropped', { size: 2 }), force))
    expect(Object.keys(recordsOf(body))).toEqual(['b Apply'])
  })

  it('merges the items of a map list by their keys, defaulted ones included', async (stage) => {
    await applied(stage, 'a', widget('ports', { ports: [{ name: 'http', number: 80 }] }))
    const body = await applied(stage, 'b', widget('ports', { ports: [{ name: 'dns', protocol: 'UDP', number: 53 }] }))
    expect(at(body, 'spec.ports')).toEqual([
      { name: 'http', protocol: 'TCP', number: 80 },
      { name: 'dns', protocol: 'UDP', number: 53 },
    ])
    expect(recordsOf(body)['a Apply']).toEqual({
      'f:spec': {
        'f:ports': { 'k:{"name":"http","protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:number': {} } },
      },
    })
    const less = await applied(stage, 'a', widget('ports', {}))
    expect(at(less, 'spec.ports')).toEqual([{ name: 'dns', protocol: 'UDP', number: 53 }])
  })

  it('reports the item of a map list in a conflict', async (stage) => {
    await applied(stage, 'a', widget('item', { ports: [{ name: 'http', number: 80 }] }))
    const { body } = await stage.apply('b', widgets, widget('item', { ports: [{ name: 'http', number: 81 }] }))
    expect(at(body, 'details.causes.0.field')).toBe('.spec.ports[name="http",protocol="TCP"].number')
  })

  it('rejects an apply with two items of one key', async (stage) => {
    const twice = [{ name: 'http' }, { name: 'http', protocol: 'TCP' }]
    const { status, body } = await stage.apply('a', widgets, widget('twice', { ports: twice }))
    expect(status).toBe(500)
    expect(at(body, 'message')).toBe(
      `failed to create typed patch object (/twice; conformance.konverge.dev/v1, Kind=Widget): .spec.ports: duplicate entries for key [name="http",protocol="TCP"]`,
    )
  })

  it('merges the values of a set', async (stage) => {
    await applied(stage, 'a', widget('set', { tags: ['x', 'y'] }))
    const both = await applied(stage, 'b', widget('set', { tags: ['z', 'y'] }))
    expect(new Set(at(both, 'spec.tags') as readonly string[])).toEqual(new Set(['x', 'y', 'z']))
    const less = await applied(stage, 'a', widget('set', { tags: ['x'] }))
    expect(new Set(at(less, 'spec.tags') as readonly string[])).toEqual(new Set(['x', 'y', 'z']))
    const none = await applied(stage, 'a', widget('set', {}))
    expect(new Set(at(none, 'spec.tags') as readonly string[])).toEqual(new Set(['y', 'z']))
  })

  it('owns an atomic list, an atomic map and a scalar as a whole', async (stage) => {
    const body = await applied(stage, 'a', widget('atomic', { steps: ['x', 'y'], pair: { left: 'l' } }))
    expect(recordsOf(body)).toEqual({ 'a Apply': { 'f:spec': { 'f:steps': {}, 'f:pair': {} } } })
    const { body: refused } = await stage.apply('b', widgets, widget('atomic', { pair: { right: 'r' }, steps: ['x'] }))
    expect(at(refused, 'message')).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.pair\n- .spec.steps',
    )
  })

  it('deduces fields without a schema: maps by key, lists as a whole', async (stage) => {
    const body = await applied(stage, 'a', widget('deduced', { free: { map: { k: 1 }, list: [{ a: 1 }] } }))
    expect(recordsOf(body)).toEqual({
      'a Apply': { 'f:spec': { 'f:free': { 'f:list': {}, 'f:map': { '.': {}, 'f:k': {} } } } },
    })
  })

  it('distinguishes an empty map from an absent one', async (stage) => {
    const body = await applied(stage, 'a', widget('empty', { limits: {} }))
    expect(at(body, 'spec.limits')).toEqual({})
    expect(recordsOf(body)).toEqual({ 'a Apply': { 'f:spec': { 'f:limits': {} } } })
  })

  it('rejects an apply that empties a map of only its own members, because null remains', async (stage) => {
    await applied(stage, 'a', widget('emptied', { size: 1, limits: { cpu: 1 } }))
    const { status, body } = await stage.apply('a', widgets, widget('emptied', { size: 1, limits: {} }))
    expect(status).toBe(422)
    expect(at(body, 'details.causes.0')).toMatchObject({ field: 'spec.limits', reason: 'FieldValueTypeInvalid' })
  })

  it('removes a struct with its defaults when the applier empties its only list', async (stage) => {
    await applied(stage, 'a', widget('unlisted', { tags: ['x'] }))
    expect(at(await applied(stage, 'a', widget('unlisted', { tags: [] })), 'spec')).toBe(undefined)
  })

  it('accepts an empty map after a JSON patch emptied it without an entry of its own', async (stage) => {
    await applied(stage, 'a', widget('patched', { size: 1, limits: { cpu: 1 } }))
    const operations = [{ op: 'replace', path: '/spec/limits', value: {} }]
    taken(await stage.patch('json', widgets, 'patched', operations, { query: { fieldManager: 'a' } }))
    const body = await applied(stage, 'a', widget('patched', { size: 1, limits: {} }))
    expect(at(body, 'spec')).toEqual({ size: 1, mode: 'plain', limits: {} })
    expect(recordsOf(body)).toEqual({ 'a Apply': { 'f:spec': { 'f:size': {}, 'f:limits': {} } } })
  })

  it('keeps a default after a JSON patch removed the member and its entry', async (stage) => {
    const labels = { team: 'x' }
    const labelled = (spec: JsonObject) =>
      object(widgets, 'defaulted', { metadata: { name: 'defaulted', labels }, spec })
    await applied(stage, 'a', labelled({ mode: 'plain', tags: ['x'] }))
    const records = [{ ...entryOf('a'), fieldsV1: { 'f:metadata': { 'f:labels': { 'f:team': {} } } } }]
    const operations = [
      { op: 'replace', path: '/spec', value: {} },
      { op: 'add', path: '/metadata/managedFields', value: records },
    ]
    const patched = taken(await stage.patch('json', widgets, 'defaulted', operations, { query: { fieldManager: 'a' } }))
    expect(Object.keys(recordsOf(patched))).toEqual(['a Apply'])
    const body = await applied(stage, 'a', labelled({ tags: [] }))
    expect(at(body, 'spec')).toEqual({ mode: 'plain', tags: [] })
  })

  it('removes from an updater only the fields that a forced apply takes over', async (stage) => {
    await stage.made(widgets, widget('takeover', { size: 1, note: 'x' }))
    const body = taken(await stage.apply('a', widgets, widget('takeover', { size: 2 }), force))
    expect(recordsOf(body)).toEqual({
      'a Apply': { 'f:spec': { 'f:size': {} } },
      'conformance Update': { 'f:spec': { '.': {}, 'f:mode': {}, 'f:note': {} } },
    })
  })

  it('removes from an applier the fields that an update changes', async (stage) => {
    await applied(stage, 'a', widget('changed', { size: 1, note: 'x' }))
    const query = { fieldManager: 'u' }
    const body = taken(await stage.patch('merge', widgets, 'changed', { spec: { size: 2 } }, { query }))
    expect(recordsOf(body)).toEqual({
      'a Apply': { 'f:spec': { 'f:note': {} } },
      'u Update': { 'f:spec': { 'f:size': {} } },
    })
  })

  it('uses the user agent up to the slash as the default manager of a write', async (stage) => {
    const headers = { 'user-agent': 'my-agent/2.0 (linux)' }
    const { body } = await stage.create(widgets, widget('agent', { size: 1 }), { headers })
    expect(Object.keys(recordsOf(body))).toEqual(['my-agent Update'])
  })

  it('rejects an apply without a manager, and force on other patches', async (stage) => {
    const unnamed = await stage.patch('apply', widgets, 'unnamed', widget('unnamed'))
    expect(unnamed.status).toBe(422)
    expect(at(unnamed.body, 'message')).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )
    const forced = await stage.patch('merge', widgets, 'unnamed', {}, { query: { force: true } })
    expect(forced.status).toBe(422)
    expect(at(forced.body, 'message')).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    )
  })

  it('rejects a manager that is too long or not printable', async (stage) => {
    const long = await stage.apply('x'.repeat(129), widgets, widget('long'))
    expect(long.status).toBe(422)
    expect(at(long.body, 'details.causes.0')).toEqual({
      reason: 'FieldValueTooLong',
      message: 'Too long: may not be more than 128 bytes',
      field: 'fieldManager',
    })
    const odd = await stage.apply('a\u0001', widgets, widget('odd'))
    expect(odd.status).toBe(422)
    expect(at(odd.body, 'details.causes.0.field')).toBe('fieldManager')
  })

  it('rejects managedFields in an apply', async (stage) => {
    const body = widget('managed', {}, { metadata: { managedFields: [{ manager: 'x', operation: 'Apply' }] } })
    const answer = await stage.apply('a', widgets, body)
    expect(answer.status).toBe(400)
    expect(at(answer.body, 'message')).toBe('metadata.managedFields must be nil')
  })

  it('rejects a field outside the schema with 500', async (stage) => {
    const { status, body } = await stage.apply('a', widgets, widget('unknown', { sizes: 1 }))
    expect(status).toBe(500)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `failed to create typed patch object (/unknown; conformance.konverge.dev/v1, Kind=Widget): .spec.sizes: field not declared in schema`,
      code: 500,
    })
  })

  it('rejects an apply with a uid if the object is absent', async (stage) => {
    const { status, body } = await stage.apply('a', widgets, widget('ghost', {}, { metadata: { uid: 'some' } }))
    expect(status).toBe(409)
    expect(at(body, 'message')).toBe(
      'Operation cannot be fulfilled on widgets.conformance.konverge.dev "ghost": uid mismatch: the provided object specified uid some, and no existing object was found',
    )
  })

  it('rejects an apply of an older version', async (stage) => {
    const made = await applied(stage, 'a', widget('version', { size: 1 }))
    await applied(stage, 'a', widget('version', { size: 2 }))
    const metadata = { resourceVersion: versionOf(made) }
    const { status } = await stage.apply('a', widgets, widget('version', { size: 3 }, { metadata }))
    expect(status).toBe(409)
  })

  it('applies a status only through its subresource, which creates nothing', async (stage) => {
    await applied(stage, 'a', widget('status', { size: 1 }))
    const body = widget('status', {}, { status: { phase: 'Ready' } })
    const main = await applied(stage, 's', body)
    expect(at(main, 'status')).toBeUndefined()
    const written = taken(await stage.apply('s', widgets, body, { subresource: 'status' }))
    expect(at(written, 'status.phase')).toBe('Ready')
    expect(recordsOf(written)['s Apply status']).toEqual({ 'f:status': { 'f:phase': {} } })
    const absent = await stage.apply('s', widgets, widget('no-status'), { subresource: 'status' })
    expect(absent.status).toBe(404)
  })

  it('owns no status fields by an apply to the object', async (stage) => {
    const body = await applied(stage, 'a', widget('unowned', { size: 1 }, { status: { phase: 'Ready' } }))
    expect(recordsOf(body)).toEqual({ 'a Apply': { 'f:spec': { 'f:size': {} } } })
  })

  it('transfers the replicas of an applied deployment to the manager that scales it', async (stage) => {
    taken(await stage.apply('a', deployments, deployment('scaled', { replicas: 0, paused: true })))
    await stage.settled(deployments, 'scaled')
    const where = { subresource: 'scale', query: { fieldManager: 'scaler' } }
    taken(await stage.patch('merge', deployments, 'scaled', { spec: { replicas: 1 } }, where))
    const read = taken(await stage.get(deployments, 'scaled'))
    expect(recordsOf(read)['scaler Update scale']).toEqual({ 'f:spec': { 'f:replicas': {} } })
    const conflict = await stage.apply('a', deployments, deployment('scaled', { replicas: 0, paused: true }))
    expect(at(conflict.body, 'message')).toBe(
      'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
    )
  })

  it('owns the ports of a service by port and protocol, with the default protocol', async (stage) => {
    const body = taken(
      await stage.apply(
        'a',
        services,
        object(services, 'ports', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } }),
      ),
    )
    expect(at(recordsOf(body)['a Apply'], 'f:spec')).toEqual({
      'f:clusterIP': {},
      'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
    })
    expect(at(body, 'spec.ports.0')).toEqual({ port: 80, protocol: 'TCP', targetPort: 80 })
  })

  it('drops all managers when an update clears them, and records the next apply', async (stage) => {
    const made = await applied(stage, 'a', widget('reset', { size: 1 }))
    const metadata = { ...(made['metadata'] as JsonObject), managedFields: [{}] }
    const cleared = taken(await stage.update(widgets, { ...made, metadata }))
    expect(at(cleared, 'metadata.managedFields')).toBeUndefined()
    const again = taken(await stage.apply('b', widgets, widget('reset', { note: 'x' })))
    expect(Object.keys(recordsOf(again))).toEqual(['b Apply', 'before-first-apply Update'])
  })

  it('keeps at most ten updaters, and merges older ones', async (stage) => {
    await stage.made(configMaps, configMap('many', { a: '1' }))
    for (let index = 0; index < 12; index++) {
      const query = { fieldManager: `m${index}` }
      taken(await stage.patch('merge', configMaps, 'many', { data: { [`k${index}`]: 'x' } }, { query }))
    }
    const owners = Object.keys(recordsOf((await stage.get(configMaps, 'many')).body))
    expect(owners).toHaveLength(10)
    expect(owners).toContain('ancient-changes Update')
  })

  it('drops all managers when managedFields is empty in a built-in kind, but not in a custom kind', async (stage) => {
    for (const [kind, sent] of [
      [widgets, widget('forgetful')],
      [configMaps, configMap('forgetful', { a: '1' })],
    ] as const) {
      const made = await stage.made(kind, sent)
      const left = kind === widgets ? ['conformance Update'] : []
      const metadata = { ...(made['metadata'] as JsonObject), managedFields: [] }
      expect(Object.keys(recordsOf(taken(await stage.update(kind, { ...made, metadata }))))).toEqual(left)
      const patched = taken(await stage.patch('merge', kind, 'forgetful', { metadata: { managedFields: [] } }))
      expect(Object.keys(recordsOf(patched))).toEqual(left)
    }
  })

  it('keeps the entry of an applier that owns only an empty spec', async (stage) => {
    const body = await applied(stage, 'a', widget('bare'))
    expect(recordsOf(body)).toEqual({ 'a Apply': { 'f:spec': {} } })
  })
})
