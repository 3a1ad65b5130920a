import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../src/apiserver/built-in/built-in-data-loader.ts'
import { groupResources } from '../../src/apiserver/built-in/group-kinds.ts'
import { decodeScale, readScale, scaleToChange, writtenScale } from '../../src/apiserver/scale-endpoint.ts'
import { StatusError } from '../../src/apiserver/status-error.ts'
import type { ServedResource } from '../../src/apiserver/strategy.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { toys } from './toy-resource.ts'

const deployments = groupResources(new BuiltInDataLoader()).find(({ plural }) => plural === 'deployments') ?? toys
const scaledToys: ServedResource = {
  ...toys,
  scale: {
    specReplicas: ['spec', 'size'],
    statusReplicas: ['status', 'size'],
    selector: ['status', 'selector'],
  },
}
const metadata = { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7', generation: 2 }
const deployment: JsonObject = {
  metadata,
  spec: {
    replicas: 3,
    selector: { matchLabels: { b: '1', a: '2' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['y', 'x'] }] },
  },
  status: { replicas: 2 },
}

function refusal(write: () => unknown): unknown {
  try {
    return write()
  } catch (thrown) {
    if (thrown instanceof StatusError) return [thrown.parts.code, thrown.message]
    throw thrown
  }
}

describe('the scale of a built-in kind', () => {
  it('shows the replicas and the selector as text', () => {
    expect(readScale(deployments, deployment)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'a=2,b=1,c in (x,y)' },
    })
  })

  it('omits zero replicas in the spec, but not in the status', () => {
    expect(readScale(deployments, { metadata, spec: {} })).toMatchObject({ spec: {}, status: { replicas: 0 } })
  })

  it('changes only the replicas, at the resourceVersion of the Scale', () => {
    const scale = { metadata: { name: 'web', namespace: 'shop', resourceVersion: '5' }, spec: { replicas: 9 } }
    expect(writtenScale(deployments, deployment, scale)).toEqual({
      ...deployment,
      metadata: { ...metadata, resourceVersion: '5' },
      spec: { ...(deployment['spec'] as JsonObject), replicas: 9 },
    })
  })

  it.each([
    [
      { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: -1 } },
      [422, 'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      { metadata: { name: 'web', namespace: 'shop', uid: 'u2' }, spec: { replicas: 1 } },
      [
        409,
        'Operation cannot be fulfilled on deployments/scale.apps "web": Precondition failed: UID in precondition: u2, UID in object meta: u1',
      ],
    ],
  ])('refuses %j', (scale, expected) => {
    expect(refusal(() => writtenScale(deployments, deployment, scale))).toEqual(expected)
  })
})

describe('the scale of a custom kind', () => {
  it('returns the selector text unchanged', () => {
    const toy = { metadata, spec: { size: 1 }, status: { size: 1, selector: 'a=b' } }
    expect(readScale(scaledToys, toy)).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 1, selector: 'a=b' },
    })
  })

  it('is absent without replicas, but may be written', () => {
    const toy = { metadata, spec: {} }
    expect(refusal(() => readScale(scaledToys, toy))).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.size" does not exist',
    ])
    const begun = scaleToChange(scaledToys, toy)
    expect(refusal(() => writtenScale(scaledToys, toy, begun))).toEqual([
      400,
      'the spec replicas field ".spec.size" cannot be empty',
    ])
    expect(writtenScale(scaledToys, toy, { ...begun, spec: { replicas: 4 } })).toEqual({ metadata, spec: { size: 4 } })
  })

  it('keeps the resourceVersion of the object when the Scale has none', () => {
    const toy = { metadata, spec: { size: 1 } }
    expect(writtenScale(scaledToys, toy, { spec: { replicas: 2 } })).toEqual({ metadata, spec: { size: 2 } })
  })
})

describe('a decoded Scale', () => {
  it('reports unknown fields, and rejects replicas that are no integer', () => {
    const scale = { spec: { replicas: 2, extra: 1 }, status: { replicas: 1, selector: 'a=b' }, other: true }
    expect(decodeScale(scale)).toEqual({
      object: scale,
      strictErrors: ['unknown field "other"', 'unknown field "spec.extra"'],
    })
    expect(() => decodeScale({ spec: { replicas: 'many' } })).toThrow(
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
    )
  })
})
