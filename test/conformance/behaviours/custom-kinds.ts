// Custom kinds: serving, pruning, defaulting, validation and tables by the definition's schema.
// Source: k8s.io/apiextensions-apiserver.
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { definitions, type Kind, object } from '../kinds.ts'
import { at, type Stage, taken, versionOf } from '../stage.ts'

interface Gadgets {
  readonly kind: Kind
  readonly name: string
}

/** Creates a custom kind for one behaviour; returns when it is served. */
async function served(stage: Stage, label: string, spec: JsonObject, more: JsonObject = {}): Promise<Gadgets> {
  const group = `${label}.${stage.namespace}.example.com`
  const kind: Kind = { group, version: 'v1', kind: 'Gadget', plural: 'gadgets', isNamespaced: true }
  const name = `gadgets.${group}`
  await stage.made(definitions, definition(group, [version('v1', spec, more)]))
  await stage.eventually(
    () => stage.list(kind),
    ({ status }) => status === 200,
  )
  return { kind, name }
}

function definition(group: string, versions: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  const names = { plural: 'gadgets', kind: 'Gadget' }
  return object(definitions, `gadgets.${group}`, { spec: { group, scope: 'Namespaced', names, versions, ...more } })
}

function version(name: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object' } } } }
  return { name, served: true, storage: name === 'v1', schema, ...more }
}

const fields = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

async function stored(stage: Stage, { kind }: Gadgets, name: string, spec: Json): Promise<Json | undefined> {
  return at(await stage.made(kind, object(kind, name, { spec })), 'spec')
}

export const customKinds = area(
  'custom-kinds',
  (it) => {
    it('accepts the names of a definition, establishes it and completes its names', async (stage) => {
      const { name } = await served(stage, 'established', fields({}))
      const body = taken(await stage.get(definitions, name))
      expect(at(body, 'spec.names')).toEqual({
        plural: 'gadgets',
        singular: 'gadget',
        kind: 'Gadget',
        listKind: 'GadgetList',
      })
      expect(at(body, 'spec.conversion')).toEqual({ strategy: 'None' })
      expect(at(body, 'status.acceptedNames.kind')).toBe('Gadget')
      expect(at(body, 'status.storedVersions')).toEqual(['v1'])
      const conditions = at(body, 'status.conditions') as readonly JsonObject[]
      expect(conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }))).toEqual([
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ])
    })

    it('deletes the objects of a kind with its definition, and stops serving it', async (stage) => {
      const { kind, name } = await served(stage, 'removed', fields({}))
      await stage.made(kind, object(kind, 'a'))
      const { body } = await stage.delete(definitions, name)
      expect(at(body, 'metadata.finalizers')).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
      await stage.gone(definitions, name)
      await stage.eventually(
        () => stage.list(kind),
        ({ status }) => status === 404,
      )
    })

    it('prunes unknown fields, and preserves them where the schema asks for it', async (stage) => {
      const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
      const gadgets = await served(stage, 'pruned', fields({ a: { type: 'string' }, free }))
      expect(await stored(stage, gadgets, 'x', { a: 'b', c: 'd', free: { e: { f: 1 } } })).toEqual({
        a: 'b',
        free: { e: { f: 1 } },
      })
    })

    it('sets defaults at every depth, and instead of a null that is not nullable', async (stage) => {
      const inner = { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 3 } } }
      const word = { type: 'string', default: 'w' }
      const list = { type: 'array', items: fields({ word }) }
      const maybe = { type: 'string', nullable: true, default: 'm' }
      const gadgets = await served(stage, 'defaulted', fields({ inner, word, list, maybe }))
      expect(await stored(stage, gadgets, 'x', { word: null, list: [{}], maybe: null })).toEqual({
        inner: { deep: 3 },
        word: 'w',
        list: [{ word: 'w' }],
        maybe: null,
      })
    })

    it('sets defaults of a newer schema when an older object is read', async (stage) => {
      const { kind, name } = await served(stage, 'later', fields({ a: { type: 'string' } }))
      const made = await stage.made(kind, object(kind, 'x', { spec: {} }))
      const late = fields({ a: { type: 'string' }, b: { type: 'string', default: 'late' } })
      taken(await stage.patch('merge', definitions, name, { spec: { versions: [version('v1', late)] } }))
      const { body } = await stage.eventually(
        () => stage.get(kind, 'x'),
        ({ body }) => at(body, 'spec.b') === 'late',
      )
      expect(versionOf(body)).toBe(versionOf(made))
    })

    it('keeps an invalid value that an update does not change', async (stage) => {
      const { kind, name } = await served(stage, 'ratcheted', fields({ a: { type: 'string' }, b: { type: 'string' } }))
      await stage.made(kind, object(kind, 'x', { spec: { a: 'long' } }))
      const short = fields({ a: { type: 'string', maxLength: 2 }, b: { type: 'string', maxLength: 2 } })
      taken(await stage.patch('merge', definitions, name, { spec: { versions: [version('v1', short)] } }))
      await stage.eventually(
        () => stage.create(kind, object(kind, 'probe', { spec: { a: 'long' } }), { query: { dryRun: 'All' } }),
        ({ status }) => status === 422,
      )
      expect((await stage.patch('merge', kind, 'x', { spec: { b: 'ok' } })).status).toBe(200)
      expect((await stage.patch('merge', kind, 'x', { spec: { a: 'longer' } })).status).toBe(422)
    })

    it('evaluates rules, and transition rules on updates', async (stage) => {
      const rules = [
        { rule: 'self.low <= self.high', message: 'low is above high' },
        { rule: 'self.high >= oldSelf.high', messageExpression: '"never " + "below"' },
      ]
      const integer = { type: 'integer' }
      const spec = { ...fields({ low: integer, high: integer }), 'x-kubernetes-validations': rules }
      const { kind } = await served(stage, 'ruled', spec)
      const wrong = await stage.create(kind, object(kind, 'x', { spec: { low: 3, high: 2 } }))
      expect(wrong.status).toBe(422)
      expect(at(wrong.body, 'details.causes')).toEqual([
        { reason: 'FieldValueInvalid', message: 'Invalid value: low is above high', field: 'spec' },
      ])
      await stage.made(kind, object(kind, 'x', { spec: { low: 1, high: 5 } }))
      const lower = await stage.patch('merge', kind, 'x', { spec: { high: 4 } })
      expect(at(lower.body, 'details.causes.0.message')).toBe('Invalid value: never below')
    })

    it('serves every version of a kind, each with its own schema', async (stage) => {
      const group = `two.${stage.namespace}.example.com`
      const versions = [
        version('v1', fields({ a: { type: 'string' } })),
        version('v2', fields({ b: { type: 'string' } })),
      ]
      await stage.made(definitions, definition(group, versions))
      const first: Kind = { group, version: 'v1', kind: 'Gadget', plural: 'gadgets', isNamespaced: true }
      const second = { ...first, version: 'v2' }
      await stage.eventually(
        () => stage.list(second),
        ({ status }) => status === 200,
      )
      await stage.made(second, object(second, 'x', { spec: { b: 'kept' } }))
      expect(at((await stage.get(second, 'x')).body, 'apiVersion')).toBe(`${group}/v2`)
      const read = taken(await stage.get(first, 'x'))
      expect(at(read, 'apiVersion')).toBe(`${group}/v1`)
      expect(at(read, 'spec')).toEqual({})
    })

    it('increments the generation on every change but metadata without a status subresource', async (stage) => {
      const { kind } = await served(stage, 'plain', fields({ a: { type: 'integer' } }))
      await stage.made(kind, object(kind, 'x', { spec: { a: 1 } }))
      const changed = taken(await stage.patch('merge', kind, 'x', { status: {} }))
      expect(at(changed, 'metadata.generation')).toBe(2)
      const labelled = taken(await stage.patch('merge', kind, 'x', { metadata: { labels: { a: 'b' } } }))
      expect(at(labelled, 'metadata.generation')).toBe(2)
      expect((await stage.get(kind, 'x', { subresource: 'status' })).status).toBe(404)
    })

    it('shows the columns of the definition, or name and age', async (stage) => {
      const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
      const column = { name: 'Size', type: 'integer', jsonPath: '.spec.size' }
      const own = await served(stage, 'columns', fields({ size: { type: 'integer' } }), {
        additionalPrinterColumns: [column],
      })
      await stage.made(own.kind, object(own.kind, 'x', { spec: { size: 4 } }))
      const { body } = await stage.list(own.kind, {}, { headers: accept })
      expect(at(body, 'columnDefinitions.1')).toEqual({
        name: 'Size',
        type: 'integer',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .spec.size',
        priority: 0,
      })
      expect(at(body, 'rows.0.cells')).toEqual(['x', 4])
      const plain = await served(stage, 'no-columns', fields({}))
      const { body: usual } = await stage.list(plain.kind, {}, { headers: accept })
      expect((at(usual, 'columnDefinitions') as readonly JsonObject[]).map(({ name }) => name)).toEqual(['Name', 'Age'])
      expect(at(usual, 'rows')).toEqual([])
    })

    it('rejects the names of a kind in another definition of the group', async (stage) => {
      const { kind } = await served(stage, 'taken', fields({}))
      const names = { plural: 'gizmos', kind: 'Gadget' }
      const rival = object(definitions, `gizmos.${kind.group}`, {
        spec: { group: kind.group, scope: 'Namespaced', names, versions: [version('v1', fields({}))] },
      })
      await stage.made(definitions, rival)
      const { body } = await stage.eventually(
        () => stage.get(definitions, `gizmos.${kind.group}`),
        ({ body }) => at(body, 'status.conditions.0') !== undefined,
      )
      expect(at(body, 'status.conditions.0')).toMatchObject({
        type: 'NamesAccepted',
        status: 'False',
        reason: 'ListKindConflict',
        message: '"GadgetList" is already in use',
      })
    })
  },
  { runs: 'together' },
)
