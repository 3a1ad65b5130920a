// Trace of a reconcile: its causes, its actions and its outcome, without secrets.
import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import { failure } from '../model-api.ts'
import { recordSpans } from '../telemetry/span-record.ts'
import { Site, siteController, World } from './life.ts'
import { isWriteOf, pages } from './sites.ts'

function tracedWorld() {
  const record = recordSpans()
  return { world: new World({ tracer: record.tracer }), ...record }
}

const turn = 'reconcile Site'

describe('the trace of a reconcile', () => {
  it('has one span for each request to the API server', async () => {
    const { world, tree, spans } = tracedWorld()
    world.addSite()
    await world.live()
    expect(tree()).toEqual({
      [turn]: {
        'patch Site': {},
        observe: {},
        'apply ConfigMap': {},
        'apply Service': {},
        'write status of Site': {},
      },
    })
    expect(spans().find(({ name }) => name === turn)?.attributes).toEqual({
      'k8s.namespace.name': 'default',
      'konverge.name': 'a',
      'konverge.uid': world.site()?.metadata.uid,
      'konverge.generation': 1,
      'konverge.turn': 'adopt',
      'konverge.causes': ['initial'],
      'konverge.failures': 0,
      'konverge.actions': ['create ConfigMap default/a-pages', 'create Service default/a'],
      'konverge.outcome': 'settled',
    })
  })

  it('names its causes and the changed fields', async () => {
    const { world, spans, reset } = tracedWorld()
    world.addSite()
    await world.live()
    reset()
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    world.api.edit(ConfigMap, pages, { metadata: { labels: { theirs: 'too' } } })
    await world.clock.advance(0)
    const causes = ['self: updated: spec', 'child: ConfigMap default/a-pages updated: metadata.labels']
    expect(spans().find(({ name }) => name === turn)?.attributes).toMatchObject({
      'konverge.causes': causes,
      'konverge.actions': ['change ConfigMap default/a-pages: data.index: "hello" → "new"'],
    })
    const applying = world.lines.filter(({ message }) => message === 'applying').at(-1)
    expect(applying?.fields['causes']).toEqual(causes)
    expect(spans().find(({ name }) => name === 'apply ConfigMap')?.attributes).toEqual({
      'k8s.namespace.name': 'default',
      'konverge.resource': 'configmaps',
      'konverge.name': 'a-pages',
    })
  })

  it('shows a failure by its code, at the write and at the reconcile', async () => {
    const { world, spans } = tracedWorld()
    world.addSite()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('ServerError', 'etcd is slow')
    }
    await world.live()
    const failed = spans().filter(({ status }) => status.code === 2)
    expect(failed.map(({ name, status }) => `${name}: ${status.message}`)).toEqual([
      'apply ConfigMap: ServerError',
      `${turn}: ServerError`,
    ])
    await world.clock.advance(11_000)
    const causes = spans().filter(({ name }) => name === turn)[1]?.attributes['konverge.causes']
    expect(causes).toEqual(['initial', 'retry'])
  })

  it('for a deletion names the deleted objects', async () => {
    const { world, spans, reset } = tracedWorld()
    world.addSite()
    await world.live()
    reset()
    world.api.remove(Site, 'default/a')
    await world.clock.advance(0)
    expect(spans().map(({ name }) => name)).toContain('delete Service')
  })

  it('contains no secret', async () => {
    const { world, spans } = tracedWorld()
    world.addSite('a', { page: 'hello', password: 'first-secret' })
    await world.live(siteController())
    world.api.edit(Site, 'default/a', { spec: { password: 'second-secret' } })
    await world.clock.advance(0)
    const told = JSON.stringify(
      spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    )
    expect(told).toContain('data.login')
    for (const secret of ['first-secret', 'second-secret'].flatMap((text) => [text, btoa(text)]))
      expect(told).not.toContain(secret)
  })
})
