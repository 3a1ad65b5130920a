// The comparison with a real API server: after one apply of any unusual spelling, no change is left. An edit is found
// at exactly its paths.
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { withAppliedHash } from '../../src/diff/applied-hash.ts'
import { compare } from '../../src/diff/compare.ts'
import { normalize } from '../../src/diff/normalize.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { findings } from './findings.ts'
import { namespace } from './odd-object.ts'
import { oddObjects, recordedFile, recordedText } from './odd-objects.ts'

const manager = 'konverge'

let controlPlane: ControlPlaneClient

beforeAll(async () => {
  controlPlane = attachToControlPlane()
  await controlPlane.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
})

// One of the objects has finalizers that no controller removes, so the namespace would never be deleted completely.
afterAll(() => controlPlane.kubectl('delete', 'namespace', namespace, '--wait=false'))

describe('on a real API server', () => {
  it.each(oddObjects)('finds nothing to do after an apply of $name, and then exactly what was edited', async (odd) => {
    const desired = normalize(odd.desired)
    const live = await apply(odd.collection, desired)
    expect(findings(compare({ desired, live, manager }))).toEqual([])
    await expect(recordedText(live)).toMatchFileSnapshot(recordedFile(odd))

    const edited = normalize(odd.edited)
    expect(findings(compare({ desired: edited, live, manager })).sort()).toEqual([...odd.paths].sort())

    const settled = await apply(odd.collection, edited)
    expect(findings(compare({ desired: edited, live: settled, manager }))).toEqual([])
  })

  it('compares custom resources of every list topology without knowing their schema', async () => {
    await apply('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', oddKind)
    await servesOddKind()
    const ports = [{ port: 53 }, { port: 53, protocol: 'UDP', note: '' }]
    const spec = {
      ports,
      tags: ['b', 'a'],
      rules: [{ host: 'x' }, { host: 'y', weight: 2 }],
      isOn: false,
      free: { a: [], b: {}, c: null },
      size: '1.0',
      text: null,
    }
    const desired = odd(spec)
    const live = await apply(oddCollection, desired)
    expect(compare({ desired, live, manager }).kind).toBe('equal')

    const edits: readonly (readonly [JsonObject, readonly string[]])[] = [
      [{ ...spec, size: '1' }, ['spec.size']],
      [{ ...spec, isOn: true }, ['spec.isOn']],
      [{ ...spec, tags: ['a', 'b'] }, []],
      [{ ...spec, tags: ['b', 'c'] }, ['spec.tags[="c"]', 'spec.tags[="a"]']],
      [{ ...spec, ports: [{ port: 53, note: 'x' }, ports[1] ?? {}] }, ['spec.ports[port=53,protocol="TCP"].note']],
      [{ ...spec, ports: [...ports].reverse() }, ['spec.ports']],
      // Without the schema, the comparison cannot tell which of the two is declared, but that something differs.
      [
        { ...spec, ports: [{ port: 53 }] },
        ['spec.ports[port=53]', 'spec.ports[port=53,protocol="TCP"]', 'spec.ports[port=53,protocol="UDP"]'],
      ],
      [{ ...spec, ports: [...ports, { port: 80 }] }, ['spec.ports[port=80]']],
      [{ ...spec, rules: [{ host: 'x' }] }, ['spec.rules']],
      [{ ...spec, rules: [{ host: 'z' }, { host: 'y', weight: 2 }] }, ['spec.rules[0].host']],
      [{ ...spec, free: { a: [], b: { d: 1 }, c: null } }, ['spec.free.b.d']],
    ]
    for (const [edit, paths] of edits) {
      const edited = odd(edit)
      // A default inside an atomic value counts as a leftover until the next apply.
      const found = findings(compare({ desired: edited, live, manager }))
      expect(
        found.filter((path) => path !== 'spec.rules[0].weight'),
        JSON.stringify(edit),
      ).toEqual(paths)
      const settled = await apply(oddCollection, edited)
      expect(compare({ desired: edited, live: settled, manager }).kind, JSON.stringify(edit)).toBe('equal')
      await apply(oddCollection, desired)
    }
  })

  it('leaves alone what another manager adds, and takes back what it takes', async () => {
    const collection = `/api/v1/namespaces/${namespace}/configmaps`
    const configMap = (data: JsonObject): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'shared' },
      data,
    })
    const desired = configMap({ ours: 'a', both: 'b' })
    await apply(collection, desired)
    const added = await apply(collection, configMap({ theirs: 'c', both: 'b' }), 'other')
    expect(findings(compare({ desired, live: added, manager }))).toEqual([])
    const taken = await apply(collection, configMap({ ours: 'c' }), 'other')
    expect(findings(compare({ desired, live: taken, manager }))).toEqual(['data.ours'])
    expect(findings(compare({ desired, live: await apply(collection, desired), manager }))).toEqual([])
  })
})

const oddCollection = `/apis/example.com/v1/namespaces/${namespace}/odds`

function odd(spec: JsonObject): KubeObject {
  return withAppliedHash({ apiVersion: 'example.com/v1', kind: 'Odd', metadata: { name: 'odd', namespace }, spec })
}

const text = { type: 'string' }
const oddKind: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'odds.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Odd', plural: 'odds', singular: 'odd', listKind: 'OddList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOfOdd() } }],
  },
}

function schemaOfOdd(): JsonObject {
  const port = {
    type: 'object',
    required: ['port'],
    properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' }, note: text },
  }
  const rule = { type: 'object', properties: { host: text, weight: { type: 'integer', default: 1 } } }
  const spec = {
    type: 'object',
    properties: {
      ports: {
        type: 'array',
        items: port,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
      },
      tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      rules: { type: 'array', items: rule },
      isOn: { type: 'boolean', default: true },
      text: { ...text, nullable: true },
      size: text,
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  }
  return { type: 'object', properties: { spec } }
}

/** Waits for a new kind, which is served a moment after its definition is stored. */
async function servesOddKind(): Promise<void> {
  const wait = { what: 'the kind Odd to be served' }
  await waitUntil(wait, async () => (await controlPlane.request({ method: 'GET', path: oddCollection })).status === 200)
}

async function apply(collection: string, object: KubeObject, fieldManager = manager): Promise<LiveObject> {
  const { url, caFile, token } = controlPlane.connection
  const ca = await readFile(caFile)
  const path = `${collection}/${object.metadata.name}?fieldManager=${fieldManager}&force=true`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/apply-patch+yaml' }
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(30_000)
    const outgoing = request(new URL(path, url), { method: 'PATCH', ca, headers, signal }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if ((response.statusCode ?? 0) >= 300)
          reject(new Error(`the apply was refused with ${response.statusCode}: ${text}`))
        else resolve(JSON.parse(text) as LiveObject) // The server answers an apply with the object.
      })
    })
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(object))
  })
}
