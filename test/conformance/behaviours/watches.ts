// Watches: start revision, content of events, selectors that move objects in and out, bookmarks, and rejections.
// Source: k8s.io/apiserver/pkg/storage/cacher.
import { expect } from 'vitest'
import { deepEqual } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, widget, widgets } from '../kinds.ts'
import { at, taken, textAt, versionOf } from '../stage.ts'
import type { WatchEvent } from '../watch-reader.ts'

const labelled = (label: string) => ({ metadata: { labels: { in: label } } })
const selecting = (label: string) => ({ labelSelector: `in=${label}` })

/** Formats an event as `ADDED a`, `MODIFIED a` …; a bookmark has no name. */
function told({ type, object }: WatchEvent): string {
  return type === 'BOOKMARK' ? type : `${type} ${textAt(object, 'metadata.name')}`
}

function isClosingBookmark({ type, object }: WatchEvent): boolean {
  const annotations = at(object, 'metadata.annotations')
  return type === 'BOOKMARK' && deepEqual(annotations, { 'k8s.io/initial-events-end': 'true' })
}

const needsMatch =
  'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
const needsInitialEvents =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'

const refused = [
  { options: { sendInitialEvents: true }, status: 422, message: needsMatch },
  { options: { sendInitialEvents: false }, status: 422, message: needsMatch },
  {
    options: { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
    status: 422,
    message: `ListOptions.meta.k8s.io "" is invalid: ${needsInitialEvents}`,
  },
  {
    options: { resourceVersionMatch: 'Exact', resourceVersion: '1' },
    status: 422,
    message: `ListOptions.meta.k8s.io "" is invalid: [${needsInitialEvents}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
  },
  {
    options: { resourceVersion: 'abc' },
    status: 500,
    message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  },
  {
    options: { labelSelector: 'a===b' },
    status: 400,
    message: "unable to parse requirement: found '=', expected: identifier",
  },
  { options: { fieldSelector: 'spec.size=1' }, status: 400, message: 'field label not supported: spec.size' },
] as const

export const watches = area(
  'watches',
  (it) => {
    it('starts after the given revision, and sends every write in order', async (stage) => {
      const made = await stage.made(widgets, widget('a', {}, labelled('order')))
      const watch = await stage.watch(widgets, { ...selecting('order'), resourceVersion: versionOf(made) })
      expect(watch.status).toBe(200)
      expect(watch.headers['content-type']).toBe('application/json')
      const changed = taken(await stage.patch('merge', widgets, 'a', { spec: { size: 1 } }))
      const added = await stage.made(widgets, widget('b', {}, labelled('order')))
      taken(await stage.delete(widgets, 'a'))
      const events = await watch.take(3)
      expect(events.map(told)).toEqual(['MODIFIED a', 'ADDED b', 'DELETED a'])
      expect(events[0]?.object).toEqual(changed)
      expect(events[1]?.object).toEqual(added)
    })

    it('sends a DELETED event with the last state, at the revision of the deletion', async (stage) => {
      const made = await stage.made(widgets, widget('last', { size: 3 }, labelled('last')))
      taken(await stage.delete(widgets, 'last'))
      const watch = await stage.watch(widgets, { ...selecting('last'), resourceVersion: versionOf(made) })
      const [event] = await watch.take(1)
      expect(event?.type).toBe('DELETED')
      expect(at(event?.object, 'spec.size')).toBe(3)
      expect(BigInt(versionOf(event?.object ?? null))).toBeGreaterThan(BigInt(versionOf(made)))
      expect(at(event?.object, 'metadata.deletionTimestamp')).toBeUndefined()
    })

    it('replays events from a revision that is not compacted', async (stage) => {
      const made = await stage.made(widgets, widget('past', {}, labelled('past')))
      for (const size of [1, 2, 3]) taken(await stage.patch('merge', widgets, 'past', { spec: { size } }))
      const watch = await stage.watch(widgets, { ...selecting('past'), resourceVersion: versionOf(made) })
      const events = await watch.take(3)
      expect(events.map(({ object }) => at(object, 'spec.size'))).toEqual([1, 2, 3])
    })

    for (const resourceVersion of ['0', undefined]) {
      it(`begins with the state of now as ADDED events at revision ${resourceVersion ?? 'none'}`, async (stage) => {
        const label = `now-${resourceVersion ?? 'none'}`
        for (const name of ['b', 'a']) await stage.made(widgets, widget(`${label}-${name}`, {}, labelled(label)))
        await stage.eventually(
          () => stage.list(widgets, { ...selecting(label), resourceVersion: '0' }),
          ({ body }) => at(body, 'items.1') !== undefined,
        )
        const watch = await stage.watch(widgets, { ...selecting(label), resourceVersion })
        expect((await watch.take(2)).map(told).sort()).toEqual([`ADDED ${label}-a`, `ADDED ${label}-b`])
        taken(await stage.delete(widgets, `${label}-a`))
        expect((await watch.take(1)).map(told)).toEqual([`DELETED ${label}-a`])
      })
    }

    it('ends the initial events with an annotated bookmark', async (stage) => {
      const made = await stage.made(widgets, widget('initial', {}, labelled('initial')))
      const watch = await stage.watch(widgets, {
        ...selecting('initial'),
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      })
      const events = await watch.until(isClosingBookmark)
      expect(events.map(told)).toEqual(['ADDED initial', 'BOOKMARK'])
      const bookmark = events[1]?.object ?? {}
      expect(BigInt(versionOf(bookmark))).toBeGreaterThanOrEqual(BigInt(versionOf(made)))
      expect(bookmark).toEqual({
        kind: 'Widget',
        apiVersion: 'conformance.konverge.dev/v1',
        metadata: {
          resourceVersion: versionOf(bookmark),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      })
    })

    it('ends the initial events of a built-in kind with an empty object of the kind', async (stage) => {
      const watch = await stage.watch(configMaps, {
        ...selecting('no-config-map'),
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      })
      const [event] = await watch.until(isClosingBookmark)
      expect(event?.object).toEqual({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: expect.stringMatching(/^[0-9]+$/),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      })
    })

    it('sends the bookmark at the end of the initial events only if bookmarks are allowed', async (stage) => {
      await stage.made(widgets, widget('unmarked', {}, labelled('unmarked')))
      const watch = await stage.watch(widgets, {
        ...selecting('unmarked'),
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        timeoutSeconds: 1,
      })
      expect((await watch.rest()).map(told)).toEqual(['ADDED unmarked'])
    })

    it('ends the initial state with a bookmark whenever it sends that state', async (stage) => {
      await stage.made(widgets, widget('stated', {}, labelled('stated')))
      for (const options of [{}, { resourceVersion: '0' }]) {
        const query = { ...selecting('stated'), ...options, allowWatchBookmarks: true }
        const events = await (await stage.watch(widgets, query)).take(2)
        expect(events.map(told)).toEqual(['ADDED stated', 'BOOKMARK'])
        expect(events.map(isClosingBookmark)).toEqual([false, true])
      }
    })

    it('starts with the next event if initial events are disabled', async (stage) => {
      const made = await stage.made(widgets, widget('next-a', {}, labelled('next')))
      // The watch starts at the state of the server's cache, so the cache must contain this object.
      await stage.list(widgets, { resourceVersion: versionOf(made), resourceVersionMatch: 'NotOlderThan' })
      const options = { ...selecting('next'), sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' }
      const watches = [
        await stage.watch(widgets, { ...options, resourceVersion: '0' }),
        await stage.watch(widgets, { ...options, resourceVersion: '' }),
      ]
      await stage.made(widgets, widget('next-b', {}, labelled('next')))
      for (const watch of watches) expect((await watch.take(1)).map(told)).toEqual(['ADDED next-b'])
    })

    it('sends ADDED when an object begins to match the selector, and DELETED when it stops', async (stage) => {
      const made = await stage.made(widgets, widget('moving', { size: 1 }))
      const watch = await stage.watch(widgets, { ...selecting('moving'), resourceVersion: versionOf(made) })
      taken(await stage.patch('merge', widgets, 'moving', { metadata: { labels: { in: 'moving' } } }))
      const left = taken(
        await stage.patch('merge', widgets, 'moving', { metadata: { labels: { in: null } }, spec: { size: 2 } }),
      )
      const [entering, leaving] = await watch.take(2)
      expect(entering?.type).toBe('ADDED')
      expect(leaving?.type).toBe('DELETED')
      // The event has the last state that the selector matched, at the revision of the write that removed it.
      expect(at(leaving?.object, 'spec.size')).toBe(1)
      expect(at(leaving?.object, 'metadata.labels.in')).toBe('moving')
      expect(versionOf(leaving?.object ?? null)).toBe(versionOf(left))
    })

    it('watches one object by its name', async (stage) => {
      const made = await stage.made(widgets, widget('single'))
      const watch = await stage.watch(widgets, {
        fieldSelector: 'metadata.name=single',
        resourceVersion: versionOf(made),
      })
      await stage.made(widgets, widget('another'))
      taken(await stage.delete(widgets, 'single'))
      expect((await watch.take(1)).map(told)).toEqual(['DELETED single'])
    })

    it('watches on the deprecated watch path, and ignores the watch parameter on an object path', async (stage) => {
      const made = await stage.made(widgets, widget('pathed'))
      taken(await stage.patch('merge', widgets, 'pathed', { spec: { size: 1 } }))
      const query = { resourceVersion: versionOf(made) }
      const old = `/apis/conformance.konverge.dev/v1/watch/namespaces/${stage.namespace}/widgets/pathed`
      for (const path of [stage.path(widgets), old]) {
        const watch = await stage.server.watch({ path, query: { ...query, fieldSelector: 'metadata.name=pathed' } })
        expect((await watch.take(1)).map(told)).toEqual(['MODIFIED pathed'])
        watch.close()
      }
      const read = await stage.get(widgets, 'pathed', { query: { watch: true } })
      expect(at(read.body, 'kind')).toBe('Widget')
    })

    it('sends events of only one object on the deprecated watch path of an object', async (stage) => {
      await stage.made(configMaps, configMap('one'))
      await stage.made(configMaps, configMap('other'))
      const path = stage.path(configMaps, 'one').replace('/api/v1/', '/api/v1/watch/')
      const { body } = await stage.server.request({ method: 'GET', path, query: { timeoutSeconds: 1 } })
      expect(at(body, 'object.metadata.name')).toBe('one') // Two events would be no JSON.
    })

    it('sends no existing objects if initial events are disabled without a revision', async (stage) => {
      await stage.made(configMaps, configMap('present'))
      const query = {
        ...{ watch: true, timeoutSeconds: 1, fieldSelector: 'metadata.name=present' },
        ...{ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' },
      }
      expect((await stage.list(configMaps, query)).body).toBe('')
    })

    it('sends nothing for a no-op write', async (stage) => {
      const made = await stage.made(widgets, widget('still', { size: 1 }, labelled('still')))
      const watch = await stage.watch(widgets, { ...selecting('still'), resourceVersion: versionOf(made) })
      taken(await stage.update(widgets, made))
      taken(await stage.patch('merge', widgets, 'still', { spec: { size: 1 } }))
      taken(await stage.delete(widgets, 'still'))
      expect((await watch.take(1)).map(told)).toEqual(['DELETED still'])
    })

    it('ends without an event after the given timeout', async (stage) => {
      const { body } = await stage.list(widgets)
      const watch = await stage.watch(widgets, {
        ...selecting('silent'),
        resourceVersion: versionOf(body),
        timeoutSeconds: 1,
      })
      expect(await watch.rest()).toEqual([])
    })

    it('sends a bookmark before the end for changes outside the selector, if bookmarks are allowed', async (stage) => {
      const made = await stage.made(widgets, widget('marked', {}, labelled('marked')))
      const watch = await stage.watch(widgets, {
        ...selecting('marked'),
        resourceVersion: versionOf(made),
        allowWatchBookmarks: true,
        timeoutSeconds: 3,
      })
      const other = await stage.made(widgets, widget('unseen'))
      const events = await watch.rest()
      expect(new Set(events.map(told))).toEqual(new Set(['BOOKMARK']))
      expect(BigInt(versionOf(events[0]?.object ?? null))).toBeGreaterThanOrEqual(BigInt(versionOf(other)))
      expect(at(events[0]?.object, 'metadata.annotations')).toBeUndefined()
    })

    it('answers a compacted start revision with 200 and an ERROR event of 410, and ends', async (stage) => {
      const watch = await stage.watch(widgets, { resourceVersion: '1' })
      expect(watch.status).toBe(200)
      const [event, ...more] = await watch.rest()
      expect(more).toEqual([])
      expect(event).toEqual({
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: expect.stringMatching(/^too old resource version: 1 \([0-9]+\)$/),
          reason: 'Expired',
          code: 410,
        },
      })
    })

    it('watches from a future revision', async (stage) => {
      const watch = await stage.watch(widgets, { resourceVersion: '99999999', timeoutSeconds: 1 })
      expect(watch.status).toBe(200)
      expect(await watch.rest()).toEqual([])
    })

    for (const { options, status, message } of refused) {
      it(`refuses ${JSON.stringify(options)}`, async (stage) => {
        const watch = await stage.watch(widgets, options)
        expect(watch.status).toBe(status)
        expect(at(await watch.body(), 'message')).toBe(message)
      })
    }

    it('sends the objects of all namespaces', async (stage) => {
      const made = await stage.made(configMaps, configMap('everywhere'))
      const watch = await stage.server.watch({
        path: '/api/v1/configmaps',
        query: { ...selecting('everywhere'), resourceVersion: versionOf(made) },
      })
      const namespace = await stage.madeNamespace('everywhere')
      await stage.made(configMaps, configMap('far', {}, { labels: { in: 'everywhere' } }), { namespace })
      const [event] = await watch.take(1)
      expect(at(event?.object, 'metadata.namespace')).toBe(namespace)
      watch.close()
    })

    it('sends PartialObjectMetadata if the client accepts it', async (stage) => {
      const made = await stage.made(widgets, widget('partial', { size: 1 }, labelled('partial')))
      taken(await stage.delete(widgets, 'partial'))
      const watch = await stage.watch(
        widgets,
        { ...selecting('partial'), resourceVersion: versionOf(made) },
        { headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } },
      )
      const [event] = await watch.take(1)
      expect(event?.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' })
      expect(at(event?.object, 'spec')).toBeUndefined()
    })

    it('sends Tables of one row if the client accepts them, with the columns only once', async (stage) => {
      const made = await stage.made(widgets, widget('table', { size: 1 }, labelled('table')))
      taken(await stage.patch('merge', widgets, 'table', { spec: { size: 2 } }))
      taken(await stage.patch('merge', widgets, 'table', { spec: { size: 3 } }))
      const watch = await stage.watch(
        widgets,
        { ...selecting('table'), resourceVersion: versionOf(made) },
        { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } },
      )
      const events = await watch.take(2)
      expect(events.map(({ object }) => at(object, 'kind'))).toEqual(['Table', 'Table'])
      expect(events.map(({ object }) => at(object, 'rows.0.cells.1'))).toEqual([2, 3])
      expect(at(events[0]?.object, 'columnDefinitions.0.name')).toBe('Name')
      expect(at(events[1]?.object, 'columnDefinitions')).toBeNull()
    })
  },
  { runs: 'together' },
)
