// Plain objects that `desired` returns or adds to a chart, beside constructs.
import type { Chart } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/object/resource.ts'
import { retain, waitForReady } from '../../src/synth/field-policies.ts'
import { overlay } from '../../src/synth/overlay.ts'
import { addObject, type Declared, objectOf, type PlainObject } from '../../src/synth/plain-object.ts'
import { namesOf, object, refusalOf, synth } from './fixture.ts'

const configMap = (name: string, more: object = {}): PlainObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
  ...more,
})

describe('a plain object', () => {
  it('that is returned is a child like that of a construct', () => {
    const plain = synth(() => [configMap('a', { data: { key: 'value' } })])
    const built = synth((chart) => void object(chart, 'a', { data: { key: 'value' } }))
    expect(plain.objects.map(({ object }) => object)).toEqual(built.objects.map(({ object }) => object))
    expect(plain.hash).toBe(built.hash)
  })

  it('can be declared beside constructs', () => {
    const set = synth((chart) => {
      addObject(chart, configMap('added'))
      return [configMap('returned'), object(chart, 'built')]
    })
    expect(namesOf(set)).toEqual(['added', 'built', 'returned'])
  })

  it('that is added has policies, overlays and dependencies', () => {
    const { objects } = synth((chart) => {
      const first = addObject(chart, configMap('first'))
      const second = addObject(chart, configMap('second'))
      retain(first)
      overlay(second, { type: 'merge', body: { data: { key: 'value' } } })
      waitForReady(second, first)
    })
    expect(objects.map(({ wave, policies, object: { data } }) => ({ wave, retain: policies.retain, data }))).toEqual([
      { wave: 0, retain: true, data: undefined },
      { wave: 1, retain: false, data: { key: 'value' } },
    ])
  })

  it('without a name is named after the parent and its kind', () => {
    expect(namesOf(synth(() => [{ apiVersion: 'v1', kind: 'ConfigMap' }]))).toEqual(['store-configmap'])
  })

  it('takes the type of a known kind from the descriptor', () => {
    const Theme = defineResource<{ readonly color: string }>({
      ...{ group: 'example.com', version: 'v1', kind: 'Theme', plural: 'themes', scope: 'Namespaced' },
    })
    // @ts-expect-error: the colour is a string.
    objectOf(Theme, { spec: { color: 1 } })
    const { objects } = synth(() => [objectOf(Theme, { metadata: { name: 'dark' }, spec: { color: 'black' } })])
    expect(objects.map(({ object }) => object)).toMatchObject([
      { apiVersion: 'example.com/v1', kind: 'Theme', spec: { color: 'black' } },
    ])
  })

  it('stays unchanged, even if frozen', () => {
    const given = Object.freeze(configMap('a', { metadata: Object.freeze({ name: 'a', labels: Object.freeze({}) }) }))
    const before = structuredClone(given)
    synth(() => [given])
    expect(given).toEqual(before)
  })

  it('has a field __proto__ from an overlay', () => {
    const { objects } = synth((chart) => {
      overlay(addObject(chart, configMap('a')), { type: 'merge', body: JSON.parse('{"data":{"__proto__":"2"}}') })
    })
    expect(objects.map(({ object }) => Object.entries(object['data'] ?? {}))).toEqual([[['__proto__', '2']]])
  })

  it.each<[string, (chart: Chart) => Declared, string, RegExp]>([
    ['twice', () => [configMap('a'), configMap('a')], 'DuplicateObject', /ConfigMap-a and ConfigMap-a-2 both make/],
    ['without kind', () => [{ apiVersion: 'v1' } as never], 'UnknownKind', /without apiVersion or kind/],
    ['that is nothing', () => [undefined as never], 'UnknownKind', /without apiVersion or kind/],
    [
      'with a status',
      () => [configMap('a', { status: {} })],
      'ForbiddenField',
      /construct ConfigMap-a declares status/,
    ],
    ['with a Date', () => [configMap('a', { data: { at: new Date(0) } })], 'NotJson', /ConfigMap-a/],
    [
      'with a field __proto__',
      () => [configMap('a', { spec: [{ data: JSON.parse('{"a":"1","__proto__":"2"}') }] })],
      'NotJson',
      /^construct ConfigMap-a declares \/spec\/0\/data\/__proto__, and constructs drop a field of this name/,
    ],
    ['in a list in a list', () => [[configMap('a')]] as never, 'UnknownKind', /without apiVersion or kind/],
    ['in no list', () => configMap('a') as never, 'InvalidReturn', /^desired returned one object that is in no list/],
    [
      'in a Set',
      () => new Set([configMap('a')]) as never,
      'InvalidReturn',
      /^desired returned an instance of Set; return a list/,
    ],
    [
      'of a generator',
      () =>
        (function* () {
          yield configMap('a')
        })() as never,
      'InvalidReturn',
      /^desired returned an instance of /,
    ],
    ['in place of which null is', () => null as never, 'InvalidReturn', /^desired returned null; return a list/],
    ['in place of which a text is', () => 'ConfigMap' as never, 'InvalidReturn', /^desired returned a string; return/],
  ])('%s is an error', (_, build, code, says) => {
    const refusal = refusalOf(() => synth(build))
    expect(refusal).toMatchObject({ code })
    expect(refusal.message).toMatch(says)
  })
})
