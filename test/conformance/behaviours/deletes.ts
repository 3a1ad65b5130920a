// Deletes: immediate ones, those that finalizers delay, preconditions, and deletions of collections.
// Source: k8s.io/apiserver/pkg/registry/{rest/delete.go,generic/registry/store.go}.
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, jobs, object, pod, pods, podTemplate, widget, widgets } from '../kinds.ts'
import { at, namesOf, type Stage, taken, textAt, versionOf } from '../stage.ts'

const held = { metadata: { finalizers: ['example.com/hold'] } }

async function release(stage: Stage, name: string): Promise<void> {
  taken(await stage.patch('merge', widgets, name, { metadata: { finalizers: null } }))
}

export const deletes = area('deletes', (it) => {
  it('deletes at once, and returns a Status that names the deleted object', async (stage) => {
    const made = await stage.made(widgets, widget('gone'))
    const { status, body } = await stage.delete(widgets, 'gone')
    expect(status).toBe(200)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: 'gone',
        group: 'conformance.konverge.dev',
        kind: 'widgets',
        uid: textAt(made, 'metadata.uid'),
      },
    })
    expect((await stage.get(widgets, 'gone')).status).toBe(404)
  })

  it('rejects the deletion of an absent object', async (stage) => {
    const { status, body } = await stage.delete(widgets, 'absent')
    expect(status).toBe(404)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'widgets.conformance.konverge.dev "absent" not found',
      reason: 'NotFound',
      details: { name: 'absent', group: 'conformance.konverge.dev', kind: 'widgets' },
      code: 404,
    })
  })

  it('marks an object with finalizers, increments its generation, and returns it', async (stage) => {
    await stage.made(widgets, widget('held', {}, held))
    const { status, body } = await stage.delete(widgets, 'held')
    expect(status).toBe(200)
    expect(at(body, 'kind')).toBe('Widget')
    expect(at(body, 'metadata.deletionTimestamp')).toMatch(/Z$/)
    expect(at(body, 'metadata.deletionGracePeriodSeconds')).toBe(0)
    expect(at(body, 'metadata.generation')).toBe(2)
    await release(stage, 'held')
  })

  it('changes nothing by a second deletion', async (stage) => {
    await stage.made(widgets, widget('twice', {}, held))
    const first = taken(await stage.delete(widgets, 'twice'))
    const second = taken(await stage.delete(widgets, 'twice'))
    expect(second).toEqual(first)
    await release(stage, 'twice')
  })

  it('deletes an object when its last finalizer is removed, and answers that write with the object', async (stage) => {
    await stage.made(widgets, widget('last', {}, held))
    taken(await stage.delete(widgets, 'last'))
    const { status, body } = await stage.patch('merge', widgets, 'last', { metadata: { finalizers: null } })
    expect(status).toBe(200)
    expect(at(body, 'metadata.finalizers')).toBeUndefined()
    expect((await stage.get(widgets, 'last')).status).toBe(404)
  })

  it('sends MODIFIED for the mark, and DELETED for the end', async (stage) => {
    const made = await stage.made(widgets, widget('told', {}, held))
    taken(await stage.delete(widgets, 'told'))
    await release(stage, 'told')
    const watch = await stage.watch(widgets, {
      resourceVersion: versionOf(made),
      fieldSelector: 'metadata.name=told',
    })
    const events = await watch.take(2)
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED'])
    // The last event shows the last stored state, with the finalizer.
    expect(at(events[1]?.object, 'metadata.finalizers')).toEqual(['example.com/hold'])
  })

  it('rejects new finalizers on an object that is being deleted, and accepts other changes', async (stage) => {
    await stage.made(widgets, widget('late', {}, held))
    taken(await stage.delete(widgets, 'late'))
    const finalizers = ['example.com/hold', 'example.com/more']
    const { status, body } = await stage.patch('merge', widgets, 'late', { metadata: { finalizers } })
    expect(status).toBe(422)
    expect(at(body, 'details.causes.0')).toEqual({
      reason: 'FieldValueForbidden',
      message:
        'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      field: 'metadata.finalizers',
    })
    taken(await stage.patch('merge', widgets, 'late', { spec: { size: 5 } }))
    await release(stage, 'late')
  })

  it('keeps the deletion mark in an update without it', async (stage) => {
    const made = await stage.made(widgets, widget('marked', {}, held))
    const marked = taken(await stage.delete(widgets, 'marked'))
    const { deletionTimestamp: _, ...metadata } = marked['metadata'] as JsonObject
    const updated = taken(await stage.update(widgets, { ...made, metadata }))
    expect(at(updated, 'metadata.deletionTimestamp')).toBe(at(marked, 'metadata.deletionTimestamp'))
    await release(stage, 'marked')
  })

  it('deletes only an object with the uid and version of the preconditions', async (stage) => {
    const made = await stage.made(widgets, widget('precise'))
    const uid = '00000000-0000-4000-8000-000000000000'
    const other = await stage.delete(widgets, 'precise', { preconditions: { uid } })
    expect(other.status).toBe(409)
    expect(at(other.body, 'message')).toBe(
      `Operation cannot be fulfilled on Widget.conformance.konverge.dev "precise": the UID in the precondition (${uid}) does not match the UID in record (${textAt(made, 'metadata.uid')}). The object might have been deleted and then recreated`,
    )
    const old = await stage.delete(widgets, 'precise', { preconditions: { resourceVersion: '1' } })
    expect(old.status).toBe(409)
    expect(at(old.body, 'message')).toBe(
      `Operation cannot be fulfilled on Widget.conformance.konverge.dev "precise": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${versionOf(made)}). The object might have been modified`,
    )
    const preconditions = { uid: textAt(made, 'metadata.uid'), resourceVersion: versionOf(made) }
    expect((await stage.delete(widgets, 'precise', { preconditions })).status).toBe(200)
  })

  it('rejects options that contradict each other or are unknown', async (stage) => {
    await stage.made(widgets, widget('options'))
    const both = await stage.delete(widgets, 'options', { orphanDependents: true, propagationPolicy: 'Orphan' })
    expect(both.status).toBe(422)
    expect(at(both.body, 'message')).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    )
    const unknown = await stage.delete(widgets, 'options', { propagationPolicy: 'Sideways' })
    expect(unknown.status).toBe(422)
    expect(at(unknown.body, 'message')).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    )
  })

  it('deletes nothing if an option has the wrong type or is unknown', async (stage) => {
    await stage.made(widgets, widget('typed'))
    const cases: readonly [Json, string][] = [
      [{ dryRun: 'All' }, 'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
      [
        { gracePeriodSeconds: '1' },
        'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { gracePeriodSeconds: 1.5 },
        'json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { preconditions: { uid: 1 } },
        'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
      ],
      [
        { orphanDependents: 'true' },
        'json: cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool',
      ],
      [
        { kind: 'Foo', apiVersion: 'v1' },
        'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
      ],
      [' ', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    ]
    for (const [body, message] of cases) {
      const refused = await stage.server.request({ method: 'DELETE', path: stage.path(widgets, 'typed'), body })
      expect([refused.status, at(refused.body, 'message')]).toEqual([400, message])
    }
    expect((await stage.get(widgets, 'typed')).status).toBe(200)
  })

  it('checks preconditions from the query', async (stage) => {
    await stage.made(widgets, widget('asked'))
    for (const query of [{ uid: 'other' }, { resourceVersion: '1' }, { gracePeriodSeconds: '' }]) {
      const { status } = await stage.delete(widgets, 'asked', undefined, { query })
      expect(status).toBe('gracePeriodSeconds' in query ? 400 : 409)
    }
    expect((await stage.get(widgets, 'asked')).status).toBe(200)
  })

  it('reports that an object with the same name is being deleted', async (stage) => {
    await stage.made(widgets, widget('leaving', {}, held))
    taken(await stage.delete(widgets, 'leaving'))
    const { status, body } = await stage.create(widgets, widget('leaving'))
    expect([status, at(body, 'message')]).toEqual([
      409,
      'object is being deleted: widgets.conformance.konverge.dev "leaving" already exists',
    ])
    await release(stage, 'leaving')
  })

  it('accepts the options in the query too', async (stage) => {
    // The garbage collector knows the built-in kinds from the start.
    await stage.made(configMaps, configMap('query'))
    const { status, body } = await stage.delete(configMaps, 'query', undefined, {
      query: { propagationPolicy: 'Foreground' },
    })
    expect(status).toBe(200)
    expect(at(body, 'metadata.finalizers')).toEqual(['foregroundDeletion'])
    await stage.gone(configMaps, 'query')
  })

  it('adds the finalizer of a foreground deletion, and the garbage collector removes it', async (stage) => {
    await stage.made(configMaps, configMap('foreground'))
    const { body } = await stage.delete(configMaps, 'foreground', { propagationPolicy: 'Foreground' })
    expect(at(body, 'metadata.finalizers')).toEqual(['foregroundDeletion'])
    expect(at(body, 'metadata.deletionTimestamp')).toMatch(/Z$/)
    await stage.gone(configMaps, 'foreground')
  })

  it('adds the finalizer of an orphaning deletion', async (stage) => {
    await stage.made(configMaps, configMap('orphan'))
    const { body } = await stage.delete(configMaps, 'orphan', { propagationPolicy: 'Orphan' })
    expect(at(body, 'metadata.finalizers')).toEqual(['orphan'])
    await stage.gone(configMaps, 'orphan')
  })

  it('rejects both propagation finalizers together', async (stage) => {
    const finalizers = ['foregroundDeletion', 'orphan']
    const { status, body } = await stage.create(configMaps, configMap('two', {}, { finalizers }))
    expect(status).toBe(422)
    expect(at(body, 'message')).toBe(
      'ConfigMap "two" is invalid: metadata.finalizers: Invalid value: ["foregroundDeletion","orphan"]: finalizer orphan and foregroundDeletion cannot be both set',
    )
  })

  it('deletes nothing in a dry run', async (stage) => {
    await stage.made(widgets, widget('dry'))
    const { status } = await stage.delete(widgets, 'dry', undefined, { query: { dryRun: 'All' } })
    expect(status).toBe(200)
    expect((await stage.get(widgets, 'dry')).status).toBe(200)
  })

  it('deletes the objects that a selector matches, and returns them as a list', async (stage) => {
    for (const name of ['a', 'b', 'c'])
      await stage.made(
        widgets,
        widget(`many-${name}`, {}, { metadata: { labels: { go: name === 'c' ? 'no' : 'yes' } } }),
      )
    const path = stage.path(widgets)
    const query = { labelSelector: 'go=yes' }
    const { status, body } = await stage.server.request({ method: 'DELETE', path, query })
    expect(status).toBe(200)
    expect(at(body, 'kind')).toBe('WidgetList')
    expect(namesOf(body)).toEqual(['many-a', 'many-b'])
    const left = await stage.list(widgets, { labelSelector: 'go' })
    expect(namesOf(left.body)).toEqual(['many-c'])
  })

  it('marks the objects with finalizers in the deletion of a collection', async (stage) => {
    const labels = { go: 'marked' }
    await stage.made(widgets, widget('marked-a', {}, { metadata: { labels, ...held.metadata } }))
    const query = { labelSelector: 'go=marked' }
    taken(await stage.server.request({ method: 'DELETE', path: stage.path(widgets), query }))
    expect(at((await stage.get(widgets, 'marked-a')).body, 'metadata.deletionTimestamp')).toMatch(/Z$/)
    await release(stage, 'marked-a')
  })

  it('marks a pod on a node for its grace period, and deletes a pod without a node at once', async (stage) => {
    await stage.made(pods, pod('unbound'))
    const unbound = await stage.delete(pods, 'unbound')
    expect(unbound.status).toBe(200)
    expect((await stage.get(pods, 'unbound')).status).toBe(404)
    await stage.made(pods, pod('bound', { nodeName: 'no-such-node' }))
    const bound = await stage.delete(pods, 'bound', { gracePeriodSeconds: 1000 })
    expect(at(bound.body, 'metadata.deletionGracePeriodSeconds')).toBe(1000)
    const sooner = await stage.delete(pods, 'bound', { gracePeriodSeconds: 0 })
    expect(sooner.status).toBe(200)
    await stage.gone(pods, 'bound')
  })

  it('marks a custom object with grace period 0 when the deletion has a negative one', async (stage) => {
    await stage.made(widgets, widget('negative', {}, held))
    const { body } = await stage.delete(widgets, 'negative', { gracePeriodSeconds: -5 })
    expect(at(body, 'metadata.deletionGracePeriodSeconds')).toBe(0)
    await release(stage, 'negative')
  })

  it('answers the deletion of a pod with the pod, and that of a config map with a Status', async (stage) => {
    await stage.made(pods, pod('answered'))
    expect(at((await stage.delete(pods, 'answered')).body, 'kind')).toBe('Pod')
    await stage.made(configMaps, configMap('answered'))
    expect(at((await stage.delete(configMaps, 'answered')).body, 'kind')).toBe('Status')
  })

  it('warns that the pods of a job stay if the deletion names no propagation', async (stage) => {
    const spec = {
      suspend: true,
      template: { spec: { ...(podTemplate('j')['spec'] as JsonObject), restartPolicy: 'Never' } },
    }
    const warning =
      '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"'
    await stage.made(jobs, object(jobs, 'warned', { spec }))
    expect((await stage.delete(jobs, 'warned', {})).headers['warning']).toBe(warning)
    await stage.made(jobs, object(jobs, 'chosen', { spec }))
    const chosen = await stage.delete(jobs, 'chosen', { propagationPolicy: 'Background' })
    expect([chosen.status, chosen.headers['warning']]).toEqual([200, undefined])
    const missing = await stage.delete(jobs, 'missing')
    expect([missing.status, missing.headers['warning']]).toEqual([404, warning])
  })

  it('warns of all jobs at once', async (stage) => {
    const path = stage.path(jobs)
    const { status, headers } = await stage.server.request({ method: 'DELETE', path })
    expect(status).toBe(200)
    expect(headers['warning']).toMatch(/^299 - "child pods are preserved/)
  })
})
