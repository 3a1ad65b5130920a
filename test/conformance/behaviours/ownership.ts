// Effects of deletions by the garbage collector and the namespace controller. Each behaviour waits until the
// controllers are idle.
// Source: k8s.io/kubernetes/pkg/controller/{garbagecollector,namespace}.
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, events, namespaces, object, widget, widgets } from '../kinds.ts'
import { at, type Stage, taken, textAt } from '../stage.ts'

function ownedBy(owner: Json, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: textAt(owner, 'apiVersion'),
    kind: textAt(owner, 'kind'),
    name: textAt(owner, 'metadata.name'),
    uid: textAt(owner, 'metadata.uid'),
    ...more,
  }
}

async function child(
  stage: Stage,
  name: string,
  owners: readonly JsonObject[],
  more: JsonObject = {},
): Promise<JsonObject> {
  return await stage.made(configMaps, configMap(name, {}, { ownerReferences: owners, ...more }))
}

export const ownership = area(
  'ownership',
  (it) => {
    it('collects the dependents of a deleted owner, at every level', async (stage) => {
      const owner = await stage.made(widgets, widget('owner'))
      const middle = await child(stage, 'middle', [ownedBy(owner)])
      await child(stage, 'leaf', [ownedBy(middle)])
      taken(await stage.delete(widgets, 'owner'))
      await stage.gone(configMaps, 'leaf')
      await stage.gone(configMaps, 'middle')
    })

    it('collects an object whose owner never existed, or has another uid', async (stage) => {
      const owner = await stage.made(widgets, widget('other'))
      await child(stage, 'lost', [ownedBy(owner, { uid: '00000000-0000-4000-8000-000000000000' })])
      await stage.gone(configMaps, 'lost')
      expect((await stage.get(widgets, 'other')).status).toBe(200)
    })

    it('collects an object whose owner is in another namespace, and reports that in an Event', async (stage) => {
      const elsewhere = await stage.madeNamespace('elsewhere')
      const owner = await stage.made(configMaps, configMap('far'), { namespace: elsewhere })
      const stray = await child(stage, 'stray', [ownedBy(owner)])
      await stage.gone(configMaps, 'stray')
      const { body } = await stage.eventually(
        () => stage.list(events, { fieldSelector: 'involvedObject.name=stray' }),
        ({ body }) => at(body, 'items.0') !== undefined,
      )
      expect(at(body, 'items.0')).toMatchObject({
        ...{ type: 'Warning', reason: 'OwnerRefInvalidNamespace', count: 1 },
        message: `ownerRef [v1/ConfigMap, namespace: ${stage.namespace}, name: far, uid: ${textAt(owner, 'metadata.uid')}] does not exist in namespace "${stage.namespace}"`,
        involvedObject: {
          ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: stage.namespace, name: 'stray' },
          uid: textAt(stray, 'metadata.uid'),
        },
        source: { component: 'garbage-collector-controller' },
      })
      expect(at(body, 'items.0.involvedObject.resourceVersion')).toBe(undefined)
    })

    it('keeps an object with another owner, and removes the dangling reference', async (stage) => {
      const first = await stage.made(widgets, widget('first'))
      const second = await stage.made(widgets, widget('second'))
      await child(stage, 'two', [ownedBy(first), ownedBy(second)])
      taken(await stage.delete(widgets, 'first'))
      const { body } = await stage.eventually(
        () => stage.get(configMaps, 'two'),
        ({ body }) => at(body, 'metadata.ownerReferences.1') === undefined,
      )
      expect(at(body, 'metadata.ownerReferences.0.name')).toBe('second')
    })

    it('keeps the dependents of an orphaning deletion, without the reference', async (stage) => {
      const owner = await stage.made(widgets, widget('orphaning'))
      await child(stage, 'orphan', [ownedBy(owner)])
      taken(await stage.delete(widgets, 'orphaning', { propagationPolicy: 'Orphan' }))
      await stage.gone(widgets, 'orphaning')
      expect(at((await stage.get(configMaps, 'orphan')).body, 'metadata.ownerReferences')).toBeUndefined()
    })

    it('waits in a foreground deletion for blocking dependents', async (stage) => {
      const owner = await stage.made(widgets, widget('waiting'))
      const hold = { finalizers: ['example.com/hold'] }
      await child(stage, 'blocking', [ownedBy(owner, { blockOwnerDeletion: true })], hold)
      taken(await stage.delete(widgets, 'waiting', { propagationPolicy: 'Foreground' }))
      await stage.eventually(
        () => stage.get(configMaps, 'blocking'),
        ({ body }) => at(body, 'metadata.deletionTimestamp') !== undefined,
      )
      expect((await stage.get(widgets, 'waiting')).status).toBe(200)
      taken(await stage.patch('merge', configMaps, 'blocking', { metadata: { finalizers: null } }))
      await stage.gone(widgets, 'waiting')
    })

    it('waits in a foreground deletion for no other dependents', async (stage) => {
      const owner = await stage.made(widgets, widget('hurried'))
      const hold = { finalizers: ['example.com/hold'] }
      await child(stage, 'free', [ownedBy(owner)], hold)
      taken(await stage.delete(widgets, 'hurried', { propagationPolicy: 'Foreground' }))
      await stage.gone(widgets, 'hurried')
      taken(await stage.patch('merge', configMaps, 'free', { metadata: { finalizers: null } }))
      await stage.gone(configMaps, 'free')
    })

    it('treats an owner in another namespace as absent', async (stage) => {
      const elsewhere = await stage.madeNamespace('owners')
      const owner = await stage.made(widgets, widget('far'), { namespace: elsewhere })
      await child(stage, 'near', [ownedBy(owner)])
      await stage.gone(configMaps, 'near')
    })

    it('keeps an object whose owner has a kind that is not served', async (stage) => {
      const owner = { apiVersion: 'absent.example.com/v1', kind: 'Absent', name: 'a', uid: 'u' }
      await child(stage, 'unknown', [owner])
      await stage.settled(configMaps, 'unknown')
      expect((await stage.get(configMaps, 'unknown')).status).toBe(200)
    })

    it('deletes a cycle of owners', async (stage) => {
      const one = await child(stage, 'one', [])
      const two = await child(stage, 'two-of-circle', [ownedBy(one)])
      taken(await stage.patch('merge', configMaps, 'one', { metadata: { ownerReferences: [ownedBy(two)] } }))
      taken(await stage.delete(configMaps, 'one', { propagationPolicy: 'Foreground' }))
      await stage.gone(configMaps, 'one')
      await stage.gone(configMaps, 'two-of-circle')
    })

    it('deletes the content of a namespace, then the namespace', async (stage) => {
      const namespace = await stage.madeNamespace('ending')
      await stage.made(configMaps, configMap('inside'), { namespace })
      await stage.made(widgets, widget('inside'), { namespace })
      const { status, body } = await stage.delete(namespaces, namespace)
      expect(status).toBe(200)
      expect(at(body, 'kind')).toBe('Namespace')
      expect(at(body, 'status.phase')).toBe('Terminating')
      await stage.gone(namespaces, namespace)
      expect((await stage.get(widgets, 'inside', { namespace })).status).toBe(404)
    })

    it('rejects creates in a terminating namespace, and reports its remaining content', async (stage) => {
      const namespace = await stage.madeNamespace('held')
      await stage.made(configMaps, configMap('stays', {}, { finalizers: ['example.com/hold'] }), { namespace })
      taken(await stage.delete(namespaces, namespace))
      const { status, body } = await stage.create(configMaps, configMap('late'), { namespace })
      expect(status).toBe(403)
      expect(body).toMatchObject({
        message: `configmaps "late" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        details: {
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${namespace} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      })
      const held = await stage.eventually(
        () => stage.get(namespaces, namespace),
        ({ body }) => JSON.stringify(body).includes('example.com/hold'),
      )
      const conditions = at(held.body, 'status.conditions') as readonly JsonObject[]
      expect(conditions.map(({ type, status }) => `${String(type)}=${String(status)}`)).toEqual([
        'NamespaceDeletionDiscoveryFailure=False',
        'NamespaceDeletionGroupVersionParsingFailure=False',
        'NamespaceDeletionContentFailure=False',
        'NamespaceContentRemaining=True',
        'NamespaceFinalizersRemaining=True',
      ])
      taken(await stage.patch('merge', configMaps, 'stays', { metadata: { finalizers: null } }, { namespace }))
      await stage.gone(namespaces, namespace)
    })

    it('ignores an update of the finalizers in a namespace’s spec', async (stage) => {
      const namespace = await stage.madeNamespace('finalized')
      const read = taken(await stage.get(namespaces, namespace))
      const updated = taken(await stage.update(namespaces, { ...read, spec: {} }))
      expect(at(updated, 'spec.finalizers')).toEqual(['kubernetes'])
      expect(at(updated, 'metadata.name')).toBe(at(object(namespaces, namespace), 'metadata.name'))
    })
  },
  { runs: 'together', needsCollector: true },
)
