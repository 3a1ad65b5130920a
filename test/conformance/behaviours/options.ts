// Write options: dry runs persist nothing; field validation rejects, warns or ignores. Values that JavaScript cannot
// represent
// exactly survive a write unchanged.
import { expect } from 'vitest'
import { area } from '../area.ts'
import { configMap, configMaps, object, services, widget, widgets } from '../kinds.ts'
import { at, taken, versionOf } from '../stage.ts'

const dry = { query: { dryRun: 'All' } }
const unknown = widget('w', { sizes: 1, ports: [{ name: 'a', more: 1 }] })
const twice =
  '{"apiVersion":"conformance.konverge.dev/v1","kind":"Widget","metadata":{"name":"NAME"},"spec":{"size":1,"size":2}}'

export const options = area('options', (it) => {
  it('creates nothing in a dry run, and responds as for a create', async (stage) => {
    const { status, body } = await stage.create(widgets, widget('dry', { size: 1 }), dry)
    expect(status).toBe(201)
    expect(at(body, 'metadata.uid')).toBeTypeOf('string')
    expect(at(body, 'metadata.resourceVersion')).toBeUndefined()
    expect(at(body, 'spec.mode')).toBe('plain')
    expect((await stage.get(widgets, 'dry')).status).toBe(404)
  })

  it('updates, patches and applies nothing in a dry run', async (stage) => {
    const made = await stage.made(widgets, widget('kept', { size: 1 }))
    const updated = taken(await stage.update(widgets, { ...made, spec: { size: 2 } }, dry))
    expect(at(updated, 'spec.size')).toBe(2)
    expect(at(updated, 'metadata.generation')).toBe(2)
    expect(versionOf(updated)).toBe(versionOf(made))
    taken(await stage.patch('merge', widgets, 'kept', { spec: { size: 3 } }, dry))
    taken(await stage.apply('m', widgets, widget('kept', { note: 'x' }), dry))
    expect((await stage.get(widgets, 'kept')).body).toEqual(made)
  })

  it('validates a dry run as the write', async (stage) => {
    await stage.made(widgets, widget('there'))
    expect((await stage.create(widgets, widget('there'), dry)).status).toBe(409)
    expect((await stage.create(widgets, widget('other', { size: -1 }), dry)).status).toBe(422)
    expect((await stage.delete(widgets, 'absent', undefined, dry)).status).toBe(404)
  })

  it('keeps no address allocated for a service of a dry run', async (stage) => {
    const { body } = await stage.create(services, object(services, 'dry', { spec: { ports: [{ port: 80 }] } }), dry)
    expect(at(body, 'spec.ports.0.port')).toBe(80)
    expect((await stage.get(services, 'dry')).status).toBe(404)
  })

  it('warns of unknown fields by default', async (stage) => {
    const { status, headers, body } = await stage.create(widgets, unknown)
    expect(status).toBe(201)
    expect(headers['warning']).toBe(
      '299 - "unknown field \\"spec.ports[0].more\\"", 299 - "unknown field \\"spec.sizes\\""',
    )
    expect(at(body, 'spec.sizes')).toBeUndefined()
  })

  it('returns no warning of unknown fields with fieldValidation=Ignore', async (stage) => {
    const body = { ...unknown, metadata: { name: 'ignored' } }
    const { status, headers } = await stage.create(widgets, body, { query: { fieldValidation: 'Ignore' } })
    expect(status).toBe(201)
    expect(headers['warning']).toBeUndefined()
  })

  it('warns of a duplicate field; the last one wins', async (stage) => {
    const { status, headers, body } = await stage.create(widgets, twice.replace('NAME', 'twice'))
    expect(status).toBe(201)
    expect(headers['warning']).toBe('299 - "duplicate field \\"spec.size\\""')
    expect(at(body, 'spec.size')).toBe(2)
  })

  it('warns of unknown fields of a built-in kind, and drops them', async (stage) => {
    const { status, headers, body } = await stage.create(configMaps, { ...configMap('warned'), more: 1 })
    expect(status).toBe(201)
    expect(headers['warning']).toBe('299 - "unknown field \\"more\\""')
    expect(at(body, 'more')).toBeUndefined()
  })

  it('rejects a patch with unknown fields in strict mode with 422', async (stage) => {
    await stage.made(widgets, widget('strict'))
    const query = { fieldValidation: 'Strict' }
    const { status, body } = await stage.patch('merge', widgets, 'strict', { spec: { sizes: 1 } }, { query })
    expect(status).toBe(422)
    expect(at(body, 'message')).toMatch(/strict decoding error: unknown field "spec\.sizes"$/)
  })

  it('warns of finalizers without a domain path', async (stage) => {
    const body = widget('finalized', {}, { metadata: { finalizers: ['example.com'] } })
    const { status, headers } = await stage.create(widgets, body)
    expect(status).toBe(201)
    expect(headers['warning']).toMatch(
      /^299 - "metadata\.finalizers: \\"example\.com\\": prefer a domain-qualified finalizer name/,
    )
    taken(await stage.patch('merge', widgets, 'finalized', { metadata: { finalizers: null } }))
  })

  it('keeps integers beyond 2^53 to the last digit', async (stage) => {
    const text =
      '{"apiVersion":"conformance.konverge.dev/v1","kind":"Widget","metadata":{"name":"big"},"spec":{"size":9007199254740993,"free":{"n":-9223372036854775808}}}'
    taken(await stage.create(widgets, text))
    const { body } = await stage.get(widgets, 'big')
    expect(at(body, 'spec.size')).toBe(9007199254740993n)
    expect(at(body, 'spec.free.n')).toBe(-9223372036854775808n)
    const patched = taken(await stage.patch('merge', widgets, 'big', { spec: { note: 'x' } }))
    expect(at(patched, 'spec.size')).toBe(9007199254740993n)
  })

  it('keeps keys that are special in JavaScript', async (stage) => {
    const text =
      '{"apiVersion":"conformance.konverge.dev/v1","kind":"Widget","metadata":{"name":"odd"},"spec":{"free":{"__proto__":{"a":1},"constructor":"c","toString":2,"hasOwnProperty":null}}}'
    taken(await stage.create(widgets, text))
    const { body } = await stage.get(widgets, 'odd')
    expect(Object.entries(at(body, 'spec.free') as object).sort()).toEqual([
      ['__proto__', { a: 1 }],
      ['constructor', 'c'],
      ['hasOwnProperty', null],
      ['toString', 2],
    ])
  })

  it('distinguishes 1.0 and 1 in a field of type number', async (stage) => {
    const text =
      '{"apiVersion":"conformance.konverge.dev/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"free":{"a":1.5,"b":1e3,"c":0}}}'
    taken(await stage.create(widgets, text))
    expect(at((await stage.get(widgets, 'one')).body, 'spec.free')).toEqual({ a: 1.5, b: 1000, c: 0 })
  })

  it('accepts text in every script, and control characters', async (stage) => {
    const data = { text: 'ünïcödé 漢字 🙂 <&> \u2028 \u0001 "quoted" \\' }
    await stage.made(configMaps, configMap('scripts', data))
    expect(at((await stage.get(configMaps, 'scripts')).body, 'data')).toEqual(data)
  })

  it('accepts deep nesting', async (stage) => {
    const depth = 300
    const free = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const text = `{"apiVersion":"conformance.konverge.dev/v1","kind":"Widget","metadata":{"name":"deep"},"spec":{"free":${free}}}`
    expect((await stage.create(widgets, text)).status).toBe(201)
  })

  it('rejects a body of more than three mebibytes', async (stage) => {
    const { status, body } = await stage.create(configMaps, configMap('large', { a: 'x'.repeat(3 * 1024 * 1024) }))
    expect(status).toBe(413)
    expect(at(body, 'message')).toBe('Request entity too large: limit is 3145728')
  })
})
