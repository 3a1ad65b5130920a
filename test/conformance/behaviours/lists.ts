// Lists: revision, order, pages, selectors, and every combination of options.
// Source: k8s.io/apiserver/pkg/storage (cacher and etcd3), apimachinery's ValidateListOptions.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, object, pod, pods, secrets, widget, widgets } from '../kinds.ts'
import type { Query } from '../server-under-test.ts'
import { at, namesOf, type Stage, taken, textAt, versionOf } from '../stage.ts'
import { malformedOptions, refusedOptions, selectors } from './list-tables.ts'

/** Creates three objects with their own label; returns the query that lists them. */
async function three(stage: Stage, label: string): Promise<Query> {
  for (const name of ['c', 'a', 'b'])
    await stage.made(widgets, widget(`${label}-${name}`, {}, { metadata: { labels: { in: label } } }))
  return { labelSelector: `in=${label}` }
}

export const lists = area('lists', (it) => {
  it('has kind, version and revision, and an items field even if it is empty', async (stage) => {
    const { status, body } = await stage.list(secrets, { labelSelector: 'none=here' })
    expect(status).toBe(200)
    expect(body).toEqual({
      kind: 'SecretList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) },
      items: [],
    })
  })

  it('omits kind and version in items of a built-in kind, but not of a custom kind', async (stage) => {
    await stage.made(configMaps, configMap('item'))
    await stage.made(widgets, widget('item'))
    const built = await stage.list(configMaps, { fieldSelector: 'metadata.name=item' })
    expect(at(built.body, 'items.0.kind')).toBeUndefined()
    const custom = await stage.list(widgets, { fieldSelector: 'metadata.name=item' })
    expect(at(custom.body, 'items.0.kind')).toBe('Widget')
    expect(at(custom.body, 'items.0.apiVersion')).toBe('conformance.konverge.dev/v1')
  })

  it('has the revision of the store, not of its newest item', async (stage) => {
    const before = versionOf(await stage.made(widgets, widget('before')))
    await stage.made(configMaps, configMap('after'))
    const { body } = await stage.list(widgets)
    expect(BigInt(versionOf(body))).toBeGreaterThan(BigInt(before))
  })

  it('keeps its revision when a write to the kind is a no-op', async (stage) => {
    const made = await stage.made(widgets, widget('noop', { size: 1 }))
    const updated = taken(await stage.update(widgets, made))
    expect(versionOf(updated)).toBe(versionOf(made))
  })

  it('sorts by the bytes of the name', async (stage) => {
    const query = await three(stage, 'ordered')
    await stage.made(widgets, widget('ordered-a.b', {}, { metadata: { labels: { in: 'ordered' } } }))
    await stage.made(widgets, widget('ordered-a-b', {}, { metadata: { labels: { in: 'ordered' } } }))
    const { body } = await stage.list(widgets, query)
    expect(namesOf(body)).toEqual(['ordered-a', 'ordered-a-b', 'ordered-a.b', 'ordered-b', 'ordered-c'])
  })

  it('sorts all namespaces by namespace and name as one text: ns-other comes before ns', async (stage) => {
    const other = await stage.madeNamespace('other')
    const labels = { metadata: { labels: { in: stage.namespace } } }
    await stage.made(widgets, widget('both-b', {}, labels))
    await stage.made(widgets, widget('both-a', {}, labels), { namespace: other })
    const { body } = await stage.server.request({
      method: 'GET',
      path: '/apis/conformance.konverge.dev/v1/widgets',
      query: { labelSelector: `in=${stage.namespace}` },
    })
    expect(namesOf(body)).toEqual(['both-a', 'both-b'])
  })

  it('returns pages with a token and the count of remaining items', async (stage) => {
    const namespace = await stage.madeNamespace('pages')
    for (const name of ['c', 'a', 'b']) await stage.made(widgets, widget(name), { namespace })
    const first = await stage.list(widgets, { limit: 2 }, { namespace })
    expect(namesOf(first.body)).toEqual(['a', 'b'])
    expect(at(first.body, 'metadata.remainingItemCount')).toBe(1)
    const token = textAt(first.body, 'metadata.continue')
    const second = await stage.list(widgets, { limit: 2, continue: token }, { namespace })
    expect(namesOf(second.body)).toEqual(['c'])
    expect(at(second.body, 'metadata.continue')).toBe('')
    expect(at(second.body, 'metadata.remainingItemCount')).toBeUndefined()
  })

  it('keeps the snapshot of the first page for later pages', async (stage) => {
    const namespace = await stage.madeNamespace('snapshot')
    for (const name of ['a', 'b', 'd']) await stage.made(widgets, widget(name), { namespace })
    const first = await stage.list(widgets, { limit: 1 }, { namespace })
    await stage.made(widgets, widget('c'), { namespace })
    taken(await stage.delete(widgets, 'b', undefined, { namespace }))
    const token = textAt(first.body, 'metadata.continue')
    const rest = await stage.list(widgets, { continue: token }, { namespace })
    expect(namesOf(rest.body)).toEqual(['b', 'd'])
    expect(versionOf(rest.body)).toBe(versionOf(first.body))
  })

  it('returns a token that is the base64 of its version, revision and start', async (stage) => {
    const namespace = await stage.madeNamespace('token')
    for (const name of ['a', 'b']) await stage.made(widgets, widget(name), { namespace })
    const { body } = await stage.list(widgets, { limit: 1 }, { namespace })
    const token = Buffer.from(textAt(body, 'metadata.continue'), 'base64url').toString('utf8')
    expect(token).toBe(`{"v":"meta.k8s.io/v1","rv":${versionOf(body)},"start":"/a\\u0000"}`)
  })

  it('omits the count of remaining items if a selector is used', async (stage) => {
    const query = await three(stage, 'uncounted')
    const { body } = await stage.list(widgets, { ...query, limit: 1 })
    expect(namesOf(body)).toEqual(['uncounted-a'])
    expect(at(body, 'metadata.continue')).toBeTypeOf('string')
    expect(at(body, 'metadata.remainingItemCount')).toBeUndefined()
  })

  it('fills a page with items that match the selector', async (stage) => {
    const query = await three(stage, 'filled')
    const first = await stage.list(widgets, { ...query, limit: 2 })
    expect(namesOf(first.body)).toEqual(['filled-a', 'filled-b'])
    const next = await stage.list(widgets, { ...query, limit: 2, continue: textAt(first.body, 'metadata.continue') })
    expect(namesOf(next.body)).toEqual(['filled-c'])
  })

  it('has an empty token on the last page of a custom kind, and none on that of a built-in kind', async (stage) => {
    expect(at((await stage.list(widgets)).body, 'metadata.continue')).toBe('')
    expect(at((await stage.list(configMaps)).body, 'metadata.continue')).toBeUndefined()
  })

  it('has no token if the last page is exactly full', async (stage) => {
    const namespace = await stage.madeNamespace('full')
    for (const name of ['a', 'b']) await stage.made(widgets, widget(name), { namespace })
    const { body } = await stage.list(widgets, { limit: 2 }, { namespace })
    expect(namesOf(body)).toEqual(['a', 'b'])
    expect(at(body, 'metadata.continue')).toBe('')
  })

  it('lists an exact revision without later objects', async (stage) => {
    const namespace = await stage.madeNamespace('exact')
    const a = await stage.made(widgets, widget('a', { size: 1 }), { namespace })
    taken(await stage.patch('merge', widgets, 'a', { spec: { size: 2 } }, { namespace }))
    await stage.made(widgets, widget('b'), { namespace })
    const query = { resourceVersion: versionOf(a), resourceVersionMatch: 'Exact' }
    const { body } = await stage.list(widgets, query, { namespace })
    expect(namesOf(body)).toEqual(['a'])
    expect(at(body, 'items.0.spec.size')).toBe(1)
    expect(versionOf(body)).toBe(versionOf(a))
  })

  it('lists at least as new as a revision, with later objects', async (stage) => {
    const namespace = await stage.madeNamespace('not-older')
    const a = await stage.made(widgets, widget('a'), { namespace })
    await stage.made(widgets, widget('b'), { namespace })
    for (const resourceVersionMatch of ['NotOlderThan', undefined]) {
      const query = { resourceVersion: versionOf(a), resourceVersionMatch }
      const answer = await stage.eventually(
        () => stage.list(widgets, query, { namespace }),
        ({ body }) => namesOf(body).length === 2,
      )
      expect(namesOf(answer.body)).toEqual(['a', 'b'])
    }
  })

  it('treats a revision with a limit and without a match as exact', async (stage) => {
    const namespace = await stage.madeNamespace('legacy')
    const a = await stage.made(widgets, widget('a'), { namespace })
    await stage.made(widgets, widget('b'), { namespace })
    const { body } = await stage.list(widgets, { resourceVersion: versionOf(a), limit: 5 }, { namespace })
    expect(namesOf(body)).toEqual(['a'])
  })

  it('ignores the limit at revision 0', async (stage) => {
    const namespace = await stage.madeNamespace('zero')
    for (const name of ['a', 'b']) await stage.made(widgets, widget(name), { namespace })
    const { body } = await stage.eventually(
      () => stage.list(widgets, { resourceVersion: '0', limit: 1 }, { namespace }),
      ({ body }) => namesOf(body).length === 2,
    )
    expect(at(body, 'metadata.continue')).toBe('')
  })

  it('rejects a future revision after three seconds', async (stage) => {
    const { status, body } = await stage.list(widgets, { resourceVersion: '99999999' })
    expect(status).toBe(504)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: expect.stringMatching(/^Timeout: Too large resource version: 99999999, current: [0-9]+$/),
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
      code: 504,
    })
  })

  for (const { options, causes } of refusedOptions) {
    it(`refuses ${JSON.stringify(options)}`, async (stage) => {
      const { status, body } = await stage.list(widgets, options)
      expect(status).toBe(422)
      expect(at(body, 'details')).toEqual({
        group: 'meta.k8s.io',
        kind: 'ListOptions',
        causes: causes.map(([reason, field, message]) => ({ reason, message, field })),
      })
      expect(at(body, 'message')).toMatch(/^ListOptions\.meta\.k8s\.io "" is invalid: /)
    })
  }

  for (const { options, message } of malformedOptions) {
    it(`refuses ${JSON.stringify(options)} as malformed`, async (stage) => {
      const { status, body } = await stage.list(widgets, options)
      expect(status).toBe(400)
      expect(body).toMatchObject({ reason: 'BadRequest', message })
    })
  }

  for (const [selector, taken] of selectors) {
    it(`takes by the label selector ${selector} what it says`, async (stage) => {
      const label = `s${selectors.findIndex(([text]) => text === selector)}`
      const labels: Record<string, JsonObject> = { a: { tier: 'front' }, b: { tier: 'back', rank: '2' }, c: {} }
      for (const [name, own] of Object.entries(labels))
        await stage.made(configMaps, configMap(`${label}-${name}`, {}, { labels: { ...own, in: label } }))
      const { body } = await stage.list(configMaps, { labelSelector: `in=${label},${selector}` })
      expect(namesOf(body)).toEqual(taken.map((name) => `${label}-${name}`))
    })
  }

  it('selects by name, and by unequal name, with a field selector', async (stage) => {
    const query = await three(stage, 'named')
    const one = await stage.list(widgets, { ...query, fieldSelector: 'metadata.name=named-b' })
    expect(namesOf(one.body)).toEqual(['named-b'])
    const others = await stage.list(widgets, { ...query, fieldSelector: 'metadata.name!=named-b' })
    expect(namesOf(others.body)).toEqual(['named-a', 'named-c'])
  })

  it('selects all if a term of a field selector has neither field nor value', async (stage) => {
    const query = await three(stage, 'nameless')
    for (const fieldSelector of ['=', '==', '!=', ',=,'])
      expect(namesOf((await stage.list(widgets, { ...query, fieldSelector })).body)).toHaveLength(3)
    const one = await stage.list(widgets, { ...query, fieldSelector: '=,metadata.name==nameless-b' })
    expect(namesOf(one.body)).toEqual(['nameless-b'])
    const escaped = await stage.list(widgets, { ...query, fieldSelector: 'metadata.name!=nameless-b\\,c\\=\\\\' })
    expect(namesOf(escaped.body)).toHaveLength(3)
  })

  it('selects by namespace with a field selector', async (stage) => {
    const query = await three(stage, 'scoped')
    const here = await stage.list(widgets, { ...query, fieldSelector: `metadata.namespace=${stage.namespace}` })
    expect(namesOf(here.body)).toHaveLength(3)
    const there = await stage.list(widgets, { ...query, fieldSelector: 'metadata.namespace=elsewhere' })
    expect(namesOf(there.body)).toEqual([])
  })

  it('selects secrets by their type', async (stage) => {
    await stage.made(secrets, object(secrets, 'typed', { type: 'example.com/kind' }))
    const { body } = await stage.list(secrets, { fieldSelector: 'type=example.com/kind' })
    expect(namesOf(body)).toEqual(['typed'])
  })

  it('selects pods by phase, node and restart policy', async (stage) => {
    await stage.made(pods, pod('selected'))
    for (const [fieldSelector, names] of [
      ['status.phase=Pending', ['selected']],
      ['status.phase=Running', []],
      ['spec.nodeName=', ['selected']],
      ['spec.restartPolicy=Always,spec.schedulerName=none', ['selected']],
    ] as const)
      expect(namesOf((await stage.list(pods, { fieldSelector })).body)).toEqual(names)
  })

  it('has a token if any object remains, whether the selector matches it or not', async (stage) => {
    const query = { ...(await three(stage, 'left')), limit: 3 }
    await stage.made(widgets, widget('left-d'))
    const { body } = await stage.list(widgets, query)
    expect(namesOf(body)).toEqual(['left-a', 'left-b', 'left-c'])
    expect(textAt(body, 'metadata.continue')).not.toBe('')
  })

  it('treats a list of one name as a get, without pages and with the newest state', async (stage) => {
    const made = await stage.made(widgets, widget('single', { size: 1 }))
    taken(await stage.patch('merge', widgets, 'single', { spec: { size: 2 } }))
    const query = { fieldSelector: 'metadata.name=single', limit: 1 }
    const { body } = await stage.list(widgets, { ...query, resourceVersion: versionOf(made) })
    expect(at(body, 'items.0.spec.size')).toBe(2)
    const exact = await stage.list(widgets, {
      ...query,
      resourceVersion: versionOf(made),
      resourceVersionMatch: 'Exact',
    })
    expect(at(exact.body, 'items.0.spec.size')).toBe(1)
  })

  it('omits the namespace in tokens if a field selector selects one namespace', async (stage) => {
    await stage.made(widgets, widget('chosen-a'))
    await stage.made(widgets, widget('chosen-b'))
    const query = { fieldSelector: `metadata.namespace=${stage.namespace}`, limit: 1 }
    const path = '/apis/conformance.konverge.dev/v1/widgets'
    const { body } = await stage.server.request({ method: 'GET', path, query })
    const token = Buffer.from(textAt(body, 'metadata.continue'), 'base64url').toString('utf8')
    expect(token).not.toContain(stage.namespace)
  })

  it('has null items as partial metadata, and no rows as a table, if it is empty', async (stage) => {
    const query = { labelSelector: 'none=here' }
    const accept = (form: string) => ({ accept: `application/json;as=${form};g=meta.k8s.io;v=v1` })
    const partial = await stage.list(widgets, query, { headers: accept('PartialObjectMetadataList') })
    expect(at(partial.body, 'items')).toBeNull()
    const table = await stage.list(widgets, query, { headers: accept('Table') })
    expect(at(table.body, 'rows')).toEqual([])
  })

  it('treats a negative limit as no limit, and lists an absent namespace as empty', async (stage) => {
    const negative = await stage.list(widgets, { limit: -1 })
    expect(negative.status).toBe(200)
    expect(at(negative.body, 'metadata.continue')).toBe('')
    const absent = await stage.list(widgets, {}, { namespace: 'absent' })
    expect(absent.status).toBe(200)
    expect(namesOf(absent.body)).toEqual([])
  })

  it('gets an object at revision 0 and at its own, and rejects a revision that is no number', async (stage) => {
    const made = await stage.made(widgets, widget('got'))
    const own = await stage.get(widgets, 'got', { query: { resourceVersion: versionOf(made) } })
    expect(versionOf(own.body)).toBe(versionOf(made))
    const cached = await stage.get(widgets, 'got', { query: { resourceVersion: '0' } })
    expect(cached.status).toBe(200)
    const refused = await stage.get(widgets, 'got', { query: { resourceVersion: 'abc' } })
    expect(refused.status).toBe(500)
    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      code: 500,
    })
  })
})
