// Scripts of creates, updates, applies by two to five managers, patches of every kind, status writes and deletes.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../../src/base/json.ts'
import { configMaps, widgets } from '../../kinds.ts'
import type { Step } from '../script.ts'
import {
  anyConfigMap,
  anyObject,
  anyWidget,
  collection,
  manager,
  name,
  nameOf,
  precondition,
  spec,
  step,
  withMetadata,
  writeQuery,
} from './objects.ts'

const patchHeaders = (type: string) => ({ 'content-type': `application/${type}` })

export const create: fc.Arbitrary<Step> = fc
  .tuple(anyObject, writeQuery)
  .map(([{ kind, body }, query]) => step({ method: 'POST', path: collection(kind), query, body }))

export const update: fc.Arbitrary<Step> = fc
  .tuple(anyObject, writeQuery, fc.boolean())
  .chain(([{ kind, body }, query, toStatus]) =>
    precondition(nameOf(body)).map((metadata) => {
      const below = toStatus && kind === widgets ? '/status' : ''
      const path = `${collection(kind)}/${nameOf(body)}${below}`
      return step({ method: 'PUT', path, query, body: withMetadata(body, metadata) })
    }),
  )

export const apply: fc.Arbitrary<Step> = fc
  .tuple(
    fc.oneof({ arbitrary: anyWidget, weight: 4 }, { arbitrary: anyConfigMap, weight: 1 }),
    manager,
    fc.option(fc.constant(true), { freq: 3, nil: undefined }),
    fc.integer({ min: 0, max: 7 }),
  )
  .map(([body, fieldManager, force, below]) => {
    const kind = body['kind'] === 'Widget' ? widgets : configMaps
    const path = `${collection(kind)}/${nameOf(body)}${below === 0 && kind === widgets ? '/status' : ''}`
    const query = { fieldManager, force }
    return step({ method: 'PATCH', path, query, headers: patchHeaders('apply-patch+yaml'), body })
  })

export const mergePatch: fc.Arbitrary<Step> = fc
  .tuple(anyObject, writeQuery, fc.subarray(['spec', 'data', 'metadata', 'status']), fc.boolean())
  .map(([{ kind, body }, query, keys, isStrategic]) => {
    const patch = Object.fromEntries(Object.entries(body).filter(([key]) => keys.includes(key)))
    const { name: _, ...metadata } = (patch['metadata'] ?? {}) as JsonObject // Form of the generator.
    const type = isStrategic ? 'strategic-merge-patch+json' : 'merge-patch+json'
    return step({
      method: 'PATCH',
      path: `${collection(kind)}/${nameOf(body)}`,
      query,
      headers: patchHeaders(type),
      body: { ...patch, metadata },
    })
  })

/** Merge patches that remove fields. */
const removal: fc.Arbitrary<Step> = fc
  .tuple(name, fc.subarray(['size', 'note', 'tags', 'ports', 'limits', 'free', 'mode'], { minLength: 1 }), manager)
  .map(([name, keys, fieldManager]) =>
    step({
      method: 'PATCH',
      path: `${collection(widgets)}/${name}`,
      query: { fieldManager },
      headers: patchHeaders('merge-patch+json'),
      body: { spec: Object.fromEntries(keys.map((key) => [key, null])) },
    }),
  )

const pointer = fc.constantFrom(
  '/spec/size',
  '/spec/note',
  '/spec/steps',
  '/spec/steps/0',
  '/spec/steps/-',
  '/spec/tags/1',
  '/spec/limits/cpu',
  '/spec/free',
  '/spec/free/k',
  '/metadata/labels',
  '/metadata/labels/tier',
  '/spec',
  '',
)

const operation: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), pointer, pointer, spec)
  .map(([op, path, from, values]) => {
    const value: Json = Object.values(values)[0] ?? 1
    if (op === 'remove') return { op, path }
    return op === 'move' || op === 'copy' ? { op, from, path } : { op, path, value }
  })

const jsonPatch: fc.Arbitrary<Step> = fc
  .tuple(name, fc.array(operation, { maxLength: 3 }), manager)
  .map(([name, body, fieldManager]) =>
    step({
      method: 'PATCH',
      path: `${collection(widgets)}/${name}`,
      query: { fieldManager },
      headers: patchHeaders('json-patch+json'),
      body,
    }),
  )

export const remove: fc.Arbitrary<Step> = fc
  .tuple(
    name,
    fc.constantFrom(widgets, configMaps),
    fc.constantFrom<JsonObject | undefined>(
      undefined,
      { preconditions: { resourceVersion: '1' } },
      { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } },
      { dryRun: ['All'] },
    ),
  )
  .map(([name, kind, body]) => step({ method: 'DELETE', path: `${collection(kind)}/${name}`, body }))

export const read: fc.Arbitrary<Step> = fc
  .tuple(name, fc.constantFrom(widgets, configMaps))
  .map(([name, kind]) => step({ method: 'GET', path: `${collection(kind)}/${name}` }))

const finalizersOff: fc.Arbitrary<Step> = name.map((name) =>
  step({
    method: 'PATCH',
    path: `${collection(widgets)}/${name}`,
    headers: patchHeaders('merge-patch+json'),
    body: { metadata: { finalizers: null } },
  }),
)

function mixed(...weighted: readonly (readonly [number, fc.Arbitrary<Step>])[]): fc.Arbitrary<Step[]> {
  const one = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
  return fc.array(one, { minLength: 20, maxLength: 30, size: 'max' })
}

export const applySteps = mixed([10, apply], [1, create], [2, update], [2, removal], [1, remove], [1, finalizersOff])
export const patchSteps = mixed([2, create], [4, mergePatch], [6, jsonPatch], [1, removal], [1, read])
export const updateSteps = mixed([4, create], [6, update], [1, mergePatch], [2, remove], [1, finalizersOff], [2, read])
