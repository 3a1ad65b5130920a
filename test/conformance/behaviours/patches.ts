// Patches and their rejections: JSON patch, merge patch and strategic merge patch.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go, k8s.io/apimachinery/pkg/util/strategicpatch.
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, deployment, deployments, object, secrets, widget, widgets } from '../kinds.ts'
import { at, taken, versionOf } from '../stage.ts'

/** JSON patches of `{size: 1, color: red, steps: [a, b], limits: {cpu: 1, 'a/b': 2, 'c~d': 3}}`, with the result. */
const jsonPatches: readonly { does: string; patch: Json; leaves: JsonObject }[] = [
  { does: 'adds a field', patch: [{ op: 'add', path: '/spec/note', value: 'x' }], leaves: { note: 'x' } },
  {
    does: 'adds over a field that is there',
    patch: [{ op: 'add', path: '/spec/size', value: 5 }],
    leaves: { size: 5 },
  },
  {
    does: 'adds at the end of a list',
    patch: [{ op: 'add', path: '/spec/steps/-', value: 'c' }],
    leaves: { steps: ['a', 'b', 'c'] },
  },
  {
    does: 'adds at the start of a list',
    patch: [{ op: 'add', path: '/spec/steps/0', value: 'c' }],
    leaves: { steps: ['c', 'a', 'b'] },
  },
  {
    does: 'adds at an index from the end',
    patch: [{ op: 'add', path: '/spec/steps/-1', value: 'c' }],
    leaves: { steps: ['a', 'b', 'c'] },
  },
  {
    does: 'replaces and removes at indexes from the end',
    patch: [
      { op: 'replace', path: '/spec/steps/-1', value: 'c' },
      { op: 'remove', path: '/spec/steps/-2' },
    ],
    leaves: { steps: ['c'] },
  },
  {
    does: 'replaces a field that is not there',
    patch: [{ op: 'replace', path: '/spec/note', value: 'x' }],
    leaves: { note: 'x' },
  },
  {
    does: 'tests that a field is not there',
    patch: [
      { op: 'test', path: '/spec/note', value: null },
      { op: 'test', path: '/spec/note' },
    ],
    leaves: {},
  },
  { does: 'does nothing where it is null', patch: 'null', leaves: {} },
  {
    does: 'removes the item at an index from the end',
    patch: [{ op: 'remove', path: '/spec/steps/-2' }],
    leaves: { steps: ['b'] },
  },
  {
    does: 'reads an index with a zero before it',
    patch: [{ op: 'replace', path: '/spec/steps/01', value: 'c' }],
    leaves: { steps: ['a', 'c'] },
  },
  {
    does: 'moves from the end to the end',
    patch: [{ op: 'move', from: '/spec/steps/-2', path: '/spec/steps/-1' }],
    leaves: { steps: ['b', 'a'] },
  },
  { does: 'removes a field', patch: [{ op: 'remove', path: '/spec/color' }], leaves: { color: undefined } },
  { does: 'removes an item', patch: [{ op: 'remove', path: '/spec/steps/0' }], leaves: { steps: ['b'] } },
  {
    does: 'replaces a field',
    patch: [{ op: 'replace', path: '/spec/color', value: 'blue' }],
    leaves: { color: 'blue' },
  },
  {
    does: 'moves a field',
    patch: [{ op: 'move', from: '/spec/color', path: '/spec/note' }],
    leaves: { color: undefined, note: 'red' },
  },
  { does: 'copies a field', patch: [{ op: 'copy', from: '/spec/color', path: '/spec/note' }], leaves: { note: 'red' } },
  {
    does: 'tests a field and goes on',
    patch: [
      { op: 'test', path: '/spec/size', value: 1 },
      { op: 'replace', path: '/spec/size', value: 2 },
    ],
    leaves: { size: 2 },
  },
  {
    does: 'reads ~1 as a slash and ~0 as a tilde',
    patch: [
      { op: 'replace', path: '/spec/limits/a~1b', value: 7 },
      { op: 'replace', path: '/spec/limits/c~0d', value: 8 },
    ],
    leaves: { limits: { cpu: 1, 'a/b': 7, 'c~d': 8 } },
  },
  { does: 'does nothing where it is empty', patch: [], leaves: {} },
]

const base: JsonObject = {
  size: 1,
  color: 'red',
  steps: ['a', 'b'],
  limits: { cpu: 1, 'a/b': 2, 'c~d': 3 },
  mode: 'plain',
}

/** Rejected JSON patches, with code and message. */
const refusedJsonPatches: readonly { does: string; patch: Json; status: number; message: string | RegExp }[] = [
  {
    does: 'a test that does not hold',
    patch: [{ op: 'test', path: '/spec/size', value: 2 }],
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    does: 'the removal of what is not there',
    patch: [{ op: 'remove', path: '/spec/absent' }],
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    does: 'a path through what is not there',
    patch: [{ op: 'add', path: '/spec/absent/deep', value: 1 }],
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    does: 'an unknown operation',
    patch: [{ op: 'merge', path: '/spec/size', value: 1 }],
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    does: 'an index beyond the end',
    patch: [{ op: 'add', path: '/spec/steps/9', value: 'x' }],
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    does: 'the test of a path that begins nowhere',
    patch: [{ op: 'test', path: 'spec' }],
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    does: 'a list in place of the object',
    patch: [{ op: 'replace', path: '', value: [] }],
    status: 422,
    message: /^ "" is invalid: patch: Invalid value: "\[\]": /,
  },
  {
    does: 'what is no list',
    patch: { op: 'add' },
    status: 400,
    message: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  },
  {
    does: 'an operation that is none',
    patch: [true],
    status: 400,
    message: 'error decoding patch: json: cannot unmarshal bool into Go value of type handlers.jsonPatchOp',
  },
  {
    does: 'a path that is no text',
    patch: [{ op: 'remove', path: 1 }],
    status: 400,
    message: 'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
  },
  { does: 'what is no JSON', patch: '[', status: 400, message: /^error decoding patch: / },
  {
    does: 'a change of the name',
    patch: [{ op: 'replace', path: '/metadata/name', value: 'other' }],
    status: 400,
    message: /the name of the object \(other\) does not match the name on the URL/,
  },
]

/** Strategic merge patches of a pod template with the containers `main` and `side`. */
const strategic: readonly { does: string; patch: JsonObject; path: string; leaves: Json | undefined }[] = [
  {
    does: 'merges a container by its name',
    patch: { containers: [{ name: 'side', image: 'new:2' }] },
    path: 'containers',
    leaves: [
      { name: 'main', image: 'a:1' },
      { name: 'side', image: 'new:2' },
    ],
  },
  {
    does: 'puts a new container first',
    patch: { containers: [{ name: 'third', image: 'c:1' }] },
    path: 'containers',
    leaves: [
      { name: 'third', image: 'c:1' },
      { name: 'main', image: 'a:1' },
      { name: 'side', image: 'b:1' },
    ],
  },
  {
    does: 'deletes a container by a directive',
    patch: { containers: [{ $patch: 'delete', name: 'side' }] },
    path: 'containers',
    leaves: [{ name: 'main', image: 'a:1' }],
  },
  {
    does: 'replaces the whole list by a directive',
    patch: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'o:1' }] },
    path: 'containers',
    leaves: [{ name: 'only', image: 'o:1' }],
  },
  {
    does: 'orders a list by a directive',
    patch: { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] },
    path: 'containers',
    leaves: [
      { name: 'side', image: 'b:1' },
      { name: 'main', image: 'a:1' },
    ],
  },
  {
    does: 'removes a map’s key by null',
    patch: { nodeSelector: { a: null } },
    path: 'nodeSelector',
    leaves: { b: '2' },
  },
  {
    does: 'replaces a map by a directive',
    patch: { nodeSelector: { $patch: 'replace', c: '3' } },
    path: 'nodeSelector',
    leaves: { c: '3' },
  },
  {
    does: 'replaces a list without a merge key',
    patch: { containers: [{ name: 'main', args: ['z'] }] },
    path: 'containers.0.args',
    leaves: ['z'],
  },
  { does: 'deletes from a list of plain values', patch: {}, path: 'restartPolicy', leaves: 'Always' },
]

const template = {
  metadata: { labels: { app: 'strategic' } },
  spec: {
    containers: [
      { name: 'main', image: 'a:1' },
      { name: 'side', image: 'b:1' },
    ],
    nodeSelector: { a: '1', b: '2' },
  },
}

export const patches = area('patches', (it) => {
  for (const [index, { does, patch, leaves }] of jsonPatches.entries())
    it(`${does} by a JSON patch`, async (stage) => {
      await stage.made(widgets, widget(`json-${index}`, base))
      const { status, body } = await stage.patch('json', widgets, `json-${index}`, patch)
      expect(status).toBe(200)
      expect(at(body, 'spec')).toEqual({ ...base, ...leaves })
    })

  for (const [index, { does, patch, status, message }] of refusedJsonPatches.entries())
    it(`refuses a JSON patch for ${does}`, async (stage) => {
      await stage.made(widgets, widget(`refused-${index}`, base))
      const answer = await stage.patch('json', widgets, `refused-${index}`, patch)
      expect(answer.status).toBe(status)
      expect(at(answer.body, 'message')).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
    })

  it('rejects a JSON patch of more than ten thousand operations with 413', async (stage) => {
    await stage.made(widgets, widget('many'))
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'Widget' }))
    const { status, body } = await stage.patch('json', widgets, 'many', patch)
    expect(status).toBe(413)
    expect(at(body, 'message')).toBe(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    )
  })

  it('merges objects, replaces lists and removes by null in a merge patch', async (stage) => {
    await stage.made(widgets, widget('merge', base))
    const patch = { spec: { size: null, steps: ['z'], limits: { cpu: null, memory: 4 } } }
    const { status, body } = await stage.patch('merge', widgets, 'merge', patch)
    expect(status).toBe(200)
    const { size, ...kept } = base
    expect(at(body, 'spec')).toEqual({ ...kept, steps: ['z'], limits: { 'a/b': 2, 'c~d': 3, memory: 4 } })
  })

  it('drops the nulls of a merge patch for absent fields', async (stage) => {
    await stage.made(widgets, widget('nulls'))
    const { body } = await stage.patch('merge', widgets, 'nulls', { spec: { free: { a: null, b: { c: null } } } })
    expect(at(body, 'spec.free')).toEqual({ b: {} })
  })

  it('rejects a merge patch that is no object', async (stage) => {
    await stage.made(widgets, widget('list'))
    const { status } = await stage.patch('merge', widgets, 'list', [])
    expect(status).toBe(400)
  })

  it('rejects a merge patch that is no JSON', async (stage) => {
    await stage.made(widgets, widget('text'))
    const { status, body } = await stage.patch('merge', widgets, 'text', '{')
    expect(status).toBe(400)
    expect(at(body, 'message')).toBe('error decoding patch: unexpected end of JSON input')
  })

  it('keeps the version if a patch changes nothing', async (stage) => {
    const made = await stage.made(widgets, widget('same', base))
    for (const [type, patch] of [
      ['merge', { spec: { size: 1 } }],
      ['json', [{ op: 'replace', path: '/spec/size', value: 1 }]],
    ] as const)
      expect(taken(await stage.patch(type, widgets, 'same', patch))).toEqual(made)
  })

  it('reports the first of several fields with wrong types, in the order of the patched text', async (stage) => {
    await stage.made(secrets, object(secrets, 'several', { type: 'Opaque' }))
    for (const [type, patch] of [
      [
        'json',
        [
          { op: 'add', path: '/stringData', value: 'x' },
          { op: 'replace', path: '/type', value: 1 },
        ],
      ],
      ['merge', { type: 1, stringData: 'x' }],
    ] as const) {
      const { status, body } = await stage.patch(type, secrets, 'several', patch)
      expect([type, status]).toEqual([type, 422])
      const wanted = /json: cannot unmarshal string into Go struct field Secret.stringData of type map\[string\]string$/
      expect(at(body, 'message')).toMatch(wanted)
    }
  })

  it('rejects a patch with an older version with 409', async (stage) => {
    const made = await stage.made(widgets, widget('version'))
    const metadata = { resourceVersion: versionOf(made) }
    taken(await stage.patch('merge', widgets, 'version', { metadata, spec: { size: 1 } }))
    const { status, body } = await stage.patch('merge', widgets, 'version', { metadata, spec: { size: 2 } })
    expect(status).toBe(409)
    expect(at(body, 'reason')).toBe('Conflict')
  })

  it('rejects a patch of the uid or the namespace, and ignores one of the creation time', async (stage) => {
    const made = await stage.made(widgets, widget('identity'))
    const uid = await stage.patch('merge', widgets, 'identity', { metadata: { uid: 'other' } })
    expect(uid.status).toBe(422)
    expect(at(uid.body, 'details.causes.0.message')).toBe('Invalid value: "other": field is immutable')
    const metadata = { creationTimestamp: '2001-01-01T00:00:00Z' }
    expect(taken(await stage.patch('merge', widgets, 'identity', { metadata }))).toEqual(made)
    const space = await stage.patch('merge', widgets, 'identity', { metadata: { namespace: 'default' } })
    expect(space.status).toBe(400)
    expect(at(space.body, 'message')).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  })

  it('rejects a patch of another kind or version', async (stage) => {
    await stage.made(widgets, widget('kind'))
    const kind = await stage.patch('merge', widgets, 'kind', { kind: 'Gadget' })
    expect(kind.status).toBe(422)
    expect(at(kind.body, 'details.causes.0.message')).toBe('Invalid value: "Gadget": must be Widget')
    const version = await stage.patch('merge', widgets, 'kind', { apiVersion: 'conformance.konverge.dev/v2' })
    expect(version.status).toBe(422)
    expect(at(version.body, 'details.causes.0')).toEqual({
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "conformance.konverge.dev/v2": must be conformance.konverge.dev/v1',
      field: 'apiVersion',
    })
  })

  it('rejects a strategic merge patch of a custom kind with 415', async (stage) => {
    await stage.made(widgets, widget('strategic'))
    const { status, body } = await stage.patch('strategic', widgets, 'strategic', { spec: { size: 1 } })
    expect(status).toBe(415)
    expect(at(body, 'reason')).toBe('UnsupportedMediaType')
    expect(at(body, 'message')).toBe(
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    )
  })

  it('rejects a patch without a patch type with 415', async (stage) => {
    await stage.made(configMaps, configMap('types'))
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await stage.patch('merge', configMaps, 'types', {}, { headers })
    expect(status).toBe(415)
    expect(body).toMatchObject({
      message: '415: Unsupported Media Type',
      reason: 'UnsupportedMediaType',
      details: {},
    })
  })

  it('rejects a patch of an absent object', async (stage) => {
    const { status, body } = await stage.patch('merge', widgets, 'absent', { spec: { size: 1 } })
    expect(status).toBe(404)
    expect(at(body, 'details')).toEqual({ name: 'absent', group: 'conformance.konverge.dev', kind: 'widgets' })
  })

  it('validates the patched object', async (stage) => {
    await stage.made(widgets, widget('judged'))
    const { status, body } = await stage.patch('merge', widgets, 'judged', { spec: { color: 'pink' } })
    expect(status).toBe(422)
    expect(at(body, 'message')).toBe(
      'Widget.conformance.konverge.dev "judged" is invalid: spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
    )
  })

  it('removes labels and annotations by null', async (stage) => {
    await stage.made(configMaps, configMap('labels', {}, { labels: { a: '1', b: '2' }, annotations: { c: '3' } }))
    for (const [type, key] of [
      ['merge', 'a'],
      ['strategic', 'b'],
    ] as const) {
      const body = taken(await stage.patch(type, configMaps, 'labels', { metadata: { labels: { [key]: null } } }))
      expect(at(body, `metadata.labels.${key}`)).toBeUndefined()
    }
    expect(at((await stage.get(configMaps, 'labels')).body, 'metadata.annotations')).toEqual({ c: '3' })
  })

  for (const [index, { does, patch, path, leaves }] of strategic.entries())
    it(`${does} in a strategic merge patch`, async (stage) => {
      const name = `strategic-${index}`
      await stage.made(deployments, deployment(name, { selector: { matchLabels: { app: 'strategic' } }, template }))
      await stage.settled(deployments, name)
      const body = taken(await stage.patch('strategic', deployments, name, { spec: { template: { spec: patch } } }))
      const found = at(body, `spec.template.spec.${path}`)
      if (path !== 'containers') return expect(found).toEqual(leaves)
      expect((found as readonly JsonObject[]).map(({ name, image }) => ({ name, image }))).toEqual(leaves)
    })

  it('deletes finalizers by value in a strategic merge patch', async (stage) => {
    await stage.made(configMaps, configMap('plain', {}, { finalizers: ['example.com/a', 'example.com/b'] }))
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } }
    const body = taken(await stage.patch('strategic', configMaps, 'plain', patch))
    expect(at(body, 'metadata.finalizers')).toEqual(['example.com/b'])
    const added = { metadata: { finalizers: ['example.com/c'] } }
    const merged = taken(await stage.patch('strategic', configMaps, 'plain', added))
    expect(at(merged, 'metadata.finalizers')).toEqual(['example.com/c', 'example.com/b'])
  })
})
