// The rules of the comparison, one at a time.
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { appliedHashAnnotation, appliedHashOf, withAppliedHash } from '../../src/diff/applied-hash.ts'
import { compare } from '../../src/diff/compare.ts'
import { renderPath } from '../../src/diff/field-path.ts'
import { normalize } from '../../src/diff/normalize.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'
import { live as anyLive } from '../objects.ts'
import { findings } from './findings.ts'
import { manager } from './simulated-apply.ts'

interface Case {
  readonly apiVersion?: string
  readonly kind?: string
  readonly desired: JsonObject
  /** fieldsV1 of the object. */
  readonly owned: JsonObject
  readonly live: JsonObject
}

function run({ apiVersion = 'example.com/v1', kind = 'Odd', desired, owned, live }: Case) {
  const { metadata: declared = {}, ...body } = desired
  const { metadata = {}, ...liveBody } = live
  const managedFields = [{ manager, operation: 'Apply' as const, apiVersion, fieldsV1: owned }]
  return compare({
    desired: normalize({ apiVersion, kind, metadata: { name: 'a', ...(declared as JsonObject) }, ...body }),
    live: anyLive({ apiVersion, kind, metadata: { ...(metadata as JsonObject), managedFields }, ...liveBody }),
    manager,
  })
}

/** A StatefulSet of one container, with `containers` as declared, owned and live. */
function pods(desired: JsonObject, owned: JsonObject, live: JsonObject): Case {
  const wrap = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } })
  const wrapOwned = (spec: JsonObject): JsonObject => ({ 'f:spec': { 'f:template': { 'f:spec': spec } } })
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    desired: wrap(desired),
    owned: wrapOwned(owned),
    live: wrap(live),
  }
}

const container = 'spec.template.spec.containers[name="kv"]'
const kv = 'k:{"name":"kv"}'

describe('one rule at a time', () => {
  const cases: readonly (readonly [string, Case, readonly string[]])[] = [
    [
      'finds a field that is declared for the first time',
      { desired: { spec: { a: 1, b: 2 } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: 1 } } },
      ['add spec.b'],
    ],
    [
      'takes over a field that somebody else set to the same value',
      { desired: { spec: { a: 1, b: 2 } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: 1, b: 2 } } },
      ['add spec.b'],
    ],
    [
      'finds false declared for the first time, because absent may mean true',
      { desired: { spec: { isOn: false } }, owned: {}, live: {} },
      ['add spec'],
    ],
    [
      'finds an empty struct declared for the first time',
      { desired: { spec: { a: 1, b: {} } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: 1 } } },
      ['add spec.b'],
    ],
    [
      'ignores an empty list that the server records no ownership of',
      {
        desired: { spec: { a: 1, b: [], c: { d: [] } } },
        owned: { 'f:spec': { 'f:a': {} } },
        live: { spec: { a: 1, b: [] } },
      },
      [],
    ],
    [
      'gives up what is no longer declared',
      { desired: { spec: { a: 1 } }, owned: { 'f:spec': { 'f:a': {}, 'f:b': {} } }, live: { spec: { a: 1, b: 2 } } },
      ['remove spec.b'],
    ],
    [
      'gives up each owned part of a struct that is no longer declared',
      {
        desired: { spec: {} },
        owned: { 'f:spec': { 'f:a': { 'f:b': {}, 'f:c': {} } } },
        live: { spec: { a: { b: 1, c: 2, theirs: 3 } } },
      },
      ['remove spec.a.b', 'remove spec.a.c'],
    ],
    [
      'has nothing to give up that the server never stored',
      { desired: { spec: { a: 1 } }, owned: { 'f:spec': { 'f:a': {}, 'f:b': {} } }, live: { spec: { a: 1 } } },
      [],
    ],
    [
      'gives up all labels when none is declared any more',
      {
        desired: {},
        owned: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
        live: { metadata: { labels: { a: 'x', theirs: 'y' } } },
      },
      ['remove metadata.labels.a'],
    ],
    [
      'takes an owned field that is absent for the empty value it was declared as',
      {
        desired: { spec: { a: '', b: 0, c: false, d: {}, e: null } },
        owned: { 'f:spec': { 'f:a': {}, 'f:b': {}, 'f:c': {}, 'f:d': {}, 'f:e': {} } },
        live: { spec: {} },
      },
      [],
    ],
    [
      'finds an owned field that is absent and declared with a value',
      { desired: { spec: { a: 'x' } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: {} } },
      ['add spec.a'],
    ],
    [
      'tells text from a number',
      { desired: { spec: { a: '1' } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: 1 } } },
      ['change spec.a'],
    ],
    [
      'never takes text of a custom resource for a quantity',
      {
        desired: { spec: { version: '1.0' } },
        owned: { 'f:spec': { 'f:version': {} } },
        live: { spec: { version: '1' } },
      },
      ['change spec.version'],
    ],
    [
      'takes quantities in other spellings for equal',
      pods(
        { containers: [{ name: 'kv', resources: { limits: { cpu: '0.5' } } }] },
        { 'f:containers': { [kv]: { '.': {}, 'f:name': {}, 'f:resources': { 'f:limits': { 'f:cpu': {} } } } } },
        { containers: [{ name: 'kv', resources: { limits: { cpu: '500m' } } }] },
      ),
      [],
    ],
    [
      'finds a changed quantity',
      pods(
        { containers: [{ name: 'kv', resources: { limits: { cpu: '0.5' } } }] },
        { 'f:containers': { [kv]: { '.': {}, 'f:name': {}, 'f:resources': { 'f:limits': { 'f:cpu': {} } } } } },
        { containers: [{ name: 'kv', resources: { limits: { cpu: '600m' } } }] },
      ),
      [`change ${container}.resources.limits.cpu`],
    ],
    [
      'takes an empty struct to say only that it is there',
      pods({ securityContext: {} }, { 'f:securityContext': {} }, { securityContext: { runAsUser: 1 } }),
      [],
    ],
    [
      'ignores a sidecar that somebody else injected',
      pods(
        { containers: [{ name: 'kv', image: 'a' }] },
        { 'f:containers': { [kv]: { '.': {}, 'f:name': {}, 'f:image': {} } } },
        {
          containers: [
            { name: 'proxy', image: 'b' },
            { name: 'kv', image: 'a' },
          ],
        },
      ),
      [],
    ],
    [
      'finds an item that somebody deleted',
      pods(
        { containers: [{ name: 'kv', image: 'a' }] },
        { 'f:containers': { [kv]: { '.': {}, 'f:name': {}, 'f:image': {} } } },
        { containers: [{ name: 'proxy' }] },
      ),
      [`add ${container}`],
    ],
    [
      'gives up an item that is no longer declared',
      pods(
        { containers: [{ name: 'kv' }] },
        { 'f:containers': { [kv]: { '.': {}, 'f:name': {} }, 'k:{"name":"old"}': { '.': {}, 'f:name': {} } } },
        { containers: [{ name: 'kv' }, { name: 'old' }] },
      ),
      ['remove spec.template.spec.containers[name="old"]'],
    ],
    [
      'finds an atomic list of another length',
      { desired: { spec: { a: [1] } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: [1, 2] } } },
      ['change spec.a'],
    ],
    [
      'finds an atomic list in another order',
      { desired: { spec: { a: [1, 2] } }, owned: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: [2, 1] } } },
      ['change spec.a[0]', 'change spec.a[1]'],
    ],
    [
      'finds a struct that became a scalar',
      { desired: { spec: { a: 1 } }, owned: { 'f:spec': { 'f:a': { 'f:b': {} } } }, live: { spec: { a: { b: 1 } } } },
      ['change spec.a'],
    ],
    [
      'compares owner references by uid and as wholes',
      {
        desired: { metadata: { ownerReferences: [{ uid: 'u', name: 'b' }] } },
        owned: { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } } },
        live: {
          metadata: {
            ownerReferences: [
              { uid: 't', name: 'c' },
              { uid: 'u', name: 'a' },
            ],
          },
        },
      },
      ['change metadata.ownerReferences[uid="u"].name'],
    ],
    [
      'ignores the order of finalizers, and those of others',
      {
        desired: { metadata: { finalizers: ['a/b', 'a/c'] } },
        owned: { 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {}, 'v:"a/c"': {} } } },
        live: { metadata: { finalizers: ['a/c', 'x/y', 'a/b'] } },
      },
      [],
    ],
    [
      'compares a list owned by position as one value',
      { desired: { spec: { a: ['x'] } }, owned: { 'f:spec': { 'f:a': { 'i:0': {} } } }, live: { spec: { a: ['y'] } } },
      ['change spec.a[0]'],
    ],
    [
      'reads keys with escaped characters',
      {
        desired: { spec: { a: [{ id: '<&>', v: 1 }] } },
        owned: { 'f:spec': { 'f:a': { 'k:{"id":"\\u003c\\u0026\\u003e"}': { '.': {}, 'f:id': {}, 'f:v': {} } } } },
        live: { spec: { a: [{ id: '<&>', v: 1 }] } },
      },
      [],
    ],
    [
      'is not misled by names of Object.prototype',
      {
        desired: { spec: { constructor: 'x' } },
        owned: { 'f:spec': { 'f:constructor': {}, 'f:toString': {} } },
        live: { spec: {} },
      },
      ['add spec.constructor'],
    ],
    [
      'ignores status and what the server writes into metadata',
      {
        desired: { status: { a: 1 }, metadata: { creationTimestamp: null, uid: 'x' } },
        owned: {},
        live: { status: { a: 2 } },
      },
      [],
    ],
  ]
  it.each(cases)('%s', (_, given, expected) => {
    const comparison = run(given)
    const found =
      comparison.kind === 'different' ? comparison.changes.map(({ kind, path }) => `${kind} ${renderPath(path)}`) : []
    expect(found).toEqual(expected)
  })

  const twoPorts = {
    'k:{"port":53,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:note': {} },
    'k:{"port":53,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
  }
  const livePorts: Json = [
    { port: 53, protocol: 'TCP', note: 'x' },
    { port: 53, protocol: 'UDP' },
  ]
  const ports = (...declared: readonly JsonObject[]): Case => ({
    desired: { spec: { ports: declared } },
    owned: { 'f:spec': { 'f:ports': twoPorts } },
    live: { spec: { ports: livePorts } },
  })

  it('finds the live item of a declared one that omits a key field with a default', () => {
    expect(findings(run(ports({ port: 53, note: 'x' }, { port: 53, protocol: 'UDP' })))).toEqual([])
    expect(findings(run(ports({ port: 53, note: 'y' }, { port: 53, protocol: 'UDP' })))).toEqual([
      'spec.ports[port=53,protocol="TCP"].note',
    ])
  })

  it('does not guess the item if several match', () => {
    const found = findings(run(ports({ port: 53, note: 'x' })))
    expect(found).toEqual([
      'spec.ports[port=53]',
      'spec.ports[port=53,protocol="TCP"]',
      'spec.ports[port=53,protocol="UDP"]',
    ])
  })

  it('treats only the exact value that the server adds as a default', () => {
    const claims = (volumeMode?: string): JsonObject => ({
      volumeClaimTemplates: [{ metadata: { name: 'a' }, spec: volumeMode === undefined ? {} : { volumeMode } }],
    })
    const given = (volumeMode: string): Case => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      desired: { spec: claims() },
      owned: { 'f:spec': { 'f:volumeClaimTemplates': {} } },
      live: { spec: claims(volumeMode) },
    })
    expect(findings(run(given('Filesystem')))).toEqual([])
    expect(findings(run(given('Block')))).toEqual(['spec.volumeClaimTemplates[0].spec.volumeMode'])
  })

  it('treats undeclared fields inside an atomic value as defaults only if the hash of the last apply is that of the desired object', () => {
    const desired = (rule: JsonObject): KubeObject =>
      withAppliedHash({ apiVersion: 'example.com/v1', kind: 'Odd', metadata: { name: 'a' }, spec: { a: [rule] } })
    const applied = desired({ b: 1 })
    const fieldsV1 = {
      'f:metadata': { 'f:annotations': { [`f:${appliedHashAnnotation}`]: {} } },
      'f:spec': { 'f:a': {} },
    }
    const managedFields = [{ manager, operation: 'Apply' as const, apiVersion: 'example.com/v1', fieldsV1 }]
    const live = (hash: string | undefined): LiveObject =>
      anyLive({
        ...applied,
        metadata: { ...applied.metadata, annotations: { [appliedHashAnnotation]: hash ?? '' }, managedFields },
        spec: { a: [{ b: 1, c: 2 }] },
      })
    const rest = live(appliedHashOf(applied))
    expect(compare({ desired: applied, live: rest, manager })).toMatchObject({
      kind: 'equal',
      extras: { defaults: [{ kind: 'remove', live: 2 }], contents: [] },
    })
    expect(compare({ desired: applied, live: live('another'), manager }).kind).toBe('different')
    expect(findings(compare({ desired: desired({ b: 2 }), live: rest, manager }))).toEqual(['spec.a[0].b'])
    const { annotations: _, ...metadata } = applied.metadata
    expect(findings(compare({ desired: { ...applied, metadata }, live: rest, manager }))).toEqual(['spec.a[0].c'])
  })

  it('treats no undeclared field as a default if the kind has none, with any hash', () => {
    const applied = withAppliedHash({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'a' },
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
    })
    const fieldsV1 = {
      'f:metadata': { 'f:annotations': { [`f:${appliedHashAnnotation}`]: {} } },
      'f:spec': { 'f:podSelector': {}, 'f:ingress': {} },
    }
    const managedFields = [{ manager, operation: 'Apply' as const, apiVersion: applied.apiVersion, fieldsV1 }]
    const found = (podSelector: JsonObject, port: JsonObject) => {
      const spec = { podSelector, ingress: [{ ports: [{ port: 80, ...port }] }] }
      return compare({
        desired: applied,
        live: anyLive({ ...applied, metadata: { ...applied.metadata, managedFields }, spec }),
        manager,
      })
    }
    expect(found({}, { protocol: 'TCP' })).toEqual({ kind: 'equal', extras: { defaults: [], contents: [] } })
    expect(findings(found({}, { protocol: 'UDP' }))).toEqual(['spec.ingress[0].ports[0].protocol'])
    expect(findings(found({ matchLabels: { a: 'b' } }, {}))).toEqual(['spec.podSelector.matchLabels'])
  })

  it('distinguishes the contents of a map that is declared empty from defaults', () => {
    const applied = withAppliedHash({
      apiVersion: 'example.com/v1',
      kind: 'Odd',
      metadata: { name: 'a' },
      spec: { a: {} },
    })
    const fieldsV1 = {
      'f:metadata': { 'f:annotations': { [`f:${appliedHashAnnotation}`]: {} } },
      'f:spec': { 'f:a': {} },
    }
    const managedFields = [{ manager, operation: 'Apply' as const, apiVersion: 'example.com/v1', fieldsV1 }]
    const live = anyLive({ ...applied, metadata: { ...applied.metadata, managedFields }, spec: { a: { b: 1 } } })
    expect(compare({ desired: applied, live, manager })).toMatchObject({
      kind: 'equal',
      extras: { defaults: [], contents: [{ kind: 'remove', live: { b: 1 } }] },
    })
  })

  it.each<[string, string, Json, JsonObject | undefined, Json | undefined, readonly string[]]>([
    ['takes an absent field for a held empty list', 'tolerations', [], {}, undefined, []],
    ['takes an absent field without a record for a held empty list', 'tolerations', [], undefined, undefined, []],
    ['finds a held empty list with items of a user', 'tolerations', [], undefined, [{}], ['add']],
    ['finds a held empty list with items under its record', 'tolerations', [], {}, [{}], ['change']],
    ['takes an absent field for a held empty map', 'nodeSelector', {}, {}, undefined, []],
    ['takes an absent field without a record for a held empty map', 'nodeSelector', {}, undefined, undefined, []],
    ['finds a held empty map with entries of a user', 'nodeSelector', {}, undefined, { a: 'b' }, ['add']],
    ['finds a held empty map with entries under its record', 'nodeSelector', {}, {}, { a: 'b' }, ['change']],
    ['finds a held false that a user made true', 'hostNetwork', false, undefined, true, ['add']],
  ])('%s', (_, name, desired, owned, live, kinds) => {
    const ownedFields = owned === undefined ? {} : { [`f:${name}`]: owned }
    const liveFields = live === undefined ? {} : { [name]: live }
    const comparison = run(
      pods(
        { restartPolicy: 'Always', [name]: desired },
        { 'f:restartPolicy': {}, ...ownedFields },
        {
          restartPolicy: 'Always',
          ...liveFields,
        },
      ),
    )
    const changes = comparison.kind === 'different' ? comparison.changes : []
    expect(changes.map(({ kind, path }) => `${kind} ${renderPath(path)}`)).toEqual(
      kinds.map((kind) => `${kind} spec.template.spec.${name}`),
    )
  })

  it('hashes a declaration equally for every uid of its owner, and includes all other fields', () => {
    const owned = (uid: string, name = 'a'): KubeObject => {
      const owner = { apiVersion: 'v1', kind: 'Site', name, uid }
      return {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', ownerReferences: [owner] },
        data: { uid: 'x' },
      }
    }
    const hash = (object: KubeObject) => appliedHashOf(withAppliedHash(object))
    expect(hash(owned('1'))).toBe(hash(owned('2')))
    expect(hash(owned('1'))).not.toBe(hash(owned('1', 'b')))
    expect(hash(owned('1'))).not.toBe(hash({ ...owned('1'), data: { uid: 'y' } }))
    expect(appliedHashOf(withAppliedHash({ ...owned('1'), kind: 'Secret' }))).toBeUndefined()
  })

  it('contains both values, and the order of items', () => {
    const keyed = (names: readonly string[]): JsonObject => ({ initContainers: names.map((name) => ({ name })) })
    const owned = {
      'f:initContainers': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} }, 'k:{"name":"b"}': { '.': {}, 'f:name': {} } },
    }
    expect(run(pods(keyed(['b', 'a']), owned, keyed(['a', 'theirs', 'b'])))).toMatchObject({
      changes: [{ kind: 'reorder', desired: [{ name: 'b' }, { name: 'a' }], live: [{ name: 'a' }, { name: 'b' }] }],
    })
  })
})

describe('objects that the manager has not applied', () => {
  const desired: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'x' } }
  const fieldsV1 = { 'f:data': { 'f:a': {} } }
  const entry = { manager, operation: 'Apply', apiVersion: 'v1', fieldsV1 } as const
  const cases: readonly (readonly [string, LiveObject['metadata']['managedFields']])[] = [
    ['without managedFields', undefined],
    ['updated under our name', [{ ...entry, operation: 'Update' }]],
    ['applied by somebody else', [{ ...entry, manager: 'other' }]],
    ['applied to a subresource', [{ ...entry, subresource: 'status' }]],
    ['applied in another version', [{ ...entry, apiVersion: 'v2' }]],
  ]
  it.each(cases)('are unowned: %s', (_, managedFields) => {
    const live = anyLive({ data: { a: 'x' }, metadata: managedFields === undefined ? {} : { managedFields } })
    expect(compare({ desired, live, manager })).toEqual({ kind: 'unowned' })
  })

  it('are unowned when another version of them is desired', () => {
    const live = anyLive({ data: { a: 'x' }, metadata: { managedFields: [entry] } })
    expect(compare({ desired: { ...desired, apiVersion: 'v2' }, live, manager })).toEqual({ kind: 'unowned' })
  })

  it('are owned by the last of several entries', () => {
    const stale = { ...entry, fieldsV1: { 'f:data': { 'f:b': {} } } }
    const live = anyLive({ data: { a: 'x', b: 'y' }, metadata: { managedFields: [stale, entry] } })
    expect(compare({ desired, live, manager }).kind).toBe('equal')
  })
})
