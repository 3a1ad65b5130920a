import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { normalize } from '../../src/diff/normalize.ts'
import { asJson, type KubeObject } from '../../src/object/object.ts'
import { oddObjects } from './odd-objects.ts'
import { desiredOf, specs } from './simulated-apply.ts'

function given(apiVersion: string, kind: string, fields: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion, kind, metadata: { name: 'a', ...metadata }, ...fields }
}

function normalized(apiVersion: string, kind: string, fields: JsonObject, metadata: JsonObject = {}): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = asJson(normalize(given(apiVersion, kind, fields, metadata)))
  return rest
}

/** Returns the normalized spec of a Pod. */
function podSpec(spec: JsonObject): Json | undefined {
  return normalized('v1', 'Pod', { spec })['spec']
}

describe('normalize', () => {
  const pods: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      'leaves out what the server leaves out',
      { hostNetwork: false, nodeSelector: {}, tolerations: [], hostname: '' },
      {},
    ],
    [
      'keeps what is a value even if empty',
      { securityContext: {}, affinity: {}, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0 },
      { securityContext: {}, affinity: {}, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0 },
    ],
    [
      'keeps what is not empty',
      { hostNetwork: true, nodeSelector: { a: '' } },
      { hostNetwork: true, nodeSelector: { a: '' } },
    ],
    ['leaves out null and undefined', { hostNetwork: null, affinity: null, volumes: undefined }, {}],
    [
      'spells quantities as the server does',
      { overhead: { cpu: '0.5', memory: 1024 } },
      { overhead: { cpu: '500m', memory: '1024' } },
    ],
    ['leaves alone what is no quantity', { overhead: { cpu: 'lots' } }, { overhead: { cpu: 'lots' } }],
    [
      'goes into lists',
      { containers: [{ name: 'a', tty: false, resources: { limits: { cpu: '1000m' } } }] },
      { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] },
    ],
    [
      'completes the keys of ports',
      {
        containers: [
          {
            name: 'a',
            ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'UDP' }, { containerPort: 2, protocol: '' }],
          },
        ],
      },
      {
        containers: [
          {
            name: 'a',
            ports: [
              { containerPort: 1, protocol: 'TCP' },
              { containerPort: 1, protocol: 'UDP' },
              { containerPort: 2, protocol: 'TCP' },
            ],
          },
        ],
      },
    ],
    ['keeps fields that it does not know', { future: { a: '', b: [] } }, { future: { a: '', b: [] } }],
  ]
  it.each(pods)('%s', (_, spec, expected) => {
    expect(podSpec(spec)).toEqual(expected)
  })

  it('keeps an empty value that is owned as one, except in a Pod', () => {
    const spec = { hostNetwork: false, tolerations: [], nodeSelector: {}, volumes: [], hostname: '', priority: 0 }
    expect(normalized('apps/v1', 'Deployment', { spec: { paused: false, template: { spec } } })['spec']).toEqual({
      paused: false,
      template: { spec: { hostNetwork: false, tolerations: [], nodeSelector: {}, priority: 0 } },
    })
    expect(podSpec(spec)).toEqual({ priority: 0 })
  })

  it('omits an empty value that the server fills in', () => {
    const spec = { ipFamilies: [], clusterIPs: [], externalIPs: [], selector: {} }
    expect(normalized('v1', 'Service', { spec })['spec']).toEqual({ externalIPs: [], selector: {} })
  })

  it('omits empty values of taints, as the server does, and nothing else of a Node', () => {
    const taint = { key: 'a', effect: 'NoSchedule' }
    const spec = { unschedulable: false, taints: [{ ...taint, value: '' }] }
    expect(normalized('v1', 'Node', { spec })['spec']).toEqual({ unschedulable: false, taints: [taint] })
  })

  it('moves stringData of a Secret into data, and overrides it', () => {
    const secret = { stringData: { a: 'ä', b: '' }, data: { a: 'eA==', c: 'eA==' } }
    expect(normalized('v1', 'Secret', secret)).toEqual({
      metadata: { name: 'a' },
      data: { a: 'w6Q=', b: '', c: 'eA==' },
    })
  })

  it('removes line breaks from base64 and leaves everything else for the server to reject', () => {
    expect(normalized('v1', 'Secret', { data: { a: 'YW\r\nJj\n', b: 'no base64!' } })['data']).toEqual({
      a: 'YWJj',
      b: 'no base64!',
    })
  })

  it('removes status and metadata that the server writes', () => {
    const metadata = {
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: null,
      managedFields: [],
      labels: {},
      annotations: { a: '' },
    }
    expect(normalized('example.com/v1', 'Odd', { status: { a: 1 } }, metadata)).toEqual({
      metadata: { name: 'a', annotations: { a: '' } },
    })
  })

  it('keeps the spec of a custom resource unchanged', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const desired = desiredOf(spec)
        expect(normalize(desired).spec).toBe(desired.spec)
      }),
    )
  })

  it('does not apply to a kind of the same name in another group', () => {
    expect(
      normalized('example.com/v1', 'Pod', { spec: { hostNetwork: false, overhead: { cpu: '0.5' } } })['spec'],
    ).toEqual({ hostNetwork: false, overhead: { cpu: '0.5' } })
    expect(normalized('example.com/v1', 'Secret', { stringData: { a: 'x' } })).toHaveProperty('stringData')
  })

  it.each(
    oddObjects.flatMap(({ name, desired, edited }) => [
      { name, desired },
      { name: `${name}, edited`, desired: edited },
    ]),
  )('is idempotent: $name', ({ desired }) => {
    const before = JSON.stringify(desired)
    const once = normalize(desired)
    expect(normalize(once)).toEqual(once)
    expect(JSON.stringify(desired)).toBe(before)
  })

  it('keeps a key named __proto__', () => {
    const data = JSON.parse('{"__proto__":"x"}') as JsonObject // Only a parser can make such a key.
    expect(JSON.stringify(normalize(given('v1', 'ConfigMap', { data })))).toContain('"__proto__":"x"')
  })
})
