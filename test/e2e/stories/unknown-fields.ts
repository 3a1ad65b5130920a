// Children with fields that their kind does not have. Runs on every server.
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ConfigMap,
  defineController,
  defineResource,
  type FieldValidation,
  findCondition,
  objectOf,
  type StatusWithConditions,
} from '../../../src/index.ts'
import { Hand } from '../hand.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

const group = 'fields.example.dev'
const namespace = 'unknown-fields'

const Gadget = defineResource<{ readonly part: object }, StatusWithConditions>({
  ...{ group, version: 'v1', kind: 'Gadget', plural: 'gadgets', scope: 'Namespaced' },
})
const Part = defineResource<object>({ group, version: 'v1', kind: 'Part', plural: 'parts', scope: 'Namespaced' })

/** Declares a Part with the given spec, and a ConfigMap. */
const gadgets = (fieldValidation?: FieldValidation) =>
  defineController(Gadget, {
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
    owns: [ConfigMap, { resource: Part, hasStatus: false }],
    desired: (_, { object: { metadata, spec } }) => [
      objectOf(ConfigMap, { metadata: { name: metadata.name } }),
      objectOf(Part, { metadata: { name: metadata.name }, spec: spec.part }),
    ],
    status: () => ({ fields: {}, conditions: [] }),
  })

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const item = { type: 'object', properties: { a: { type: 'string' } } }
const part = {
  type: 'object',
  properties: { size: { type: 'integer' }, items: { type: 'array', items: item }, bare: { type: 'object' } },
}

const definitionOf = (kind: string, spec: object) => {
  const plural = `${kind.toLowerCase()}s`
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase() } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: anything } } },
        },
      ],
    },
  }
}

export function describeUnknownFields(start: StartStoryServer): void {
  let server: StoryServer
  let hand: Hand
  let operator: StoryOperator

  const operate = async (fieldValidation?: FieldValidation) => {
    operator = await server.startControllers({ controllers: [gadgets(fieldValidation)], namespaces: [namespace] })
  }
  const declare = (name: string, spec: object) =>
    server.apply({ apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name, namespace }, spec: { part: spec } })
  const ready = async (name: string) =>
    findCondition(((await hand.find('gadget', name))?.status as StatusWithConditions | undefined)?.conditions, 'Ready')
  const untilReady = (name: string, reason: string) =>
    server.until({ what: `${name} to be ${reason}` }, async () => (await ready(name))?.reason === reason)

  beforeAll(async () => {
    server = await start()
    hand = new Hand(server, namespace)
    const definitions = [definitionOf('Gadget', anything), definitionOf('Part', part)]
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...definitions)
    for (const plural of ['gadgets', 'parts']) {
      const path = `/apis/${group}/v1/${plural}`
      const isServed = async () => (await server.request({ method: 'GET', path })).status === 200
      await server.until({ what: `${plural} to be served` }, isServed)
    }
    await operate()
  })
  afterAll(async () => {
    for (const { metadata } of await hand.list('gadget')) await hand.delete('gadget', metadata.name)
    await server.until({ what: 'the end of gadgets' }, async () => (await hand.list('gadget')).length === 0)
    await operator.stop()
    await hand.delete('namespace', namespace)
    for (const plural of ['gadgets', 'parts']) await hand.delete('crd', `${plural}.${group}`)
    await server.stop()
  })

  it('names the field of a child, applies the others, and settles when it is corrected', async () => {
    await declare('a', { size: 1, sise: 2, items: [{ b: 'x' }] })
    await untilReady('a', 'UnknownField')
    expect((await ready('a'))?.message).toMatch(/^apply Part unknown-fields\/a: the API server does not know spec\./)
    expect(await hand.find('configmap', 'a')).toBeDefined()
    expect(await hand.find('part', 'a')).toBeUndefined()
    await hand.patch('gadget', 'a', { spec: { part: { sise: null, items: null } } })
    await untilReady('a', 'Settled')
    expect((await hand.find('part', 'a'))?.spec).toEqual({ size: 1 })
  })

  it('names a field that the API server drops silently', async () => {
    await declare('b', { size: 1, bare: { width: 7 } })
    await untilReady('b', 'UnknownField')
    expect((await ready('b'))?.message).toMatch(/Part unknown-fields\/b was applied without spec.bare.width: /)
    await hand.patch('gadget', 'b', { spec: { part: { bare: { width: 0 } } } })
    await untilReady('b', 'Settled')
  })

  it('applies a child without its unknown fields if the controller only warns', async () => {
    await declare('c', { size: 1, sise: 2, bare: { width: 7 }, items: [{ a: 'x', b: 'x' }] })
    await untilReady('c', 'UnknownField')
    await operator.stop()
    await operate('Warn')
    await untilReady('c', 'Settled')
    expect((await hand.find('part', 'c'))?.spec).toEqual({ size: 1, bare: {}, items: [{ a: 'x' }] })
    const before = (await server.operatorWrites(namespace)).length
    await server.pass(20_000)
    expect((await server.operatorWrites(namespace)).slice(before)).toEqual([])
  })
}
