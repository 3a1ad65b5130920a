// A parent and helpers to synthesize for it, shared by the tests of synth/.
import { ApiObject, type Chart } from 'cdk8s'
import type { Construct } from 'constructs'
import type { LiveObject } from '../../src/object/object.ts'
import type { DesiredSet } from '../../src/synth/desired.ts'
import type { ScopeOf } from '../../src/synth/draft.ts'
import type { Declared } from '../../src/synth/plain-object.ts'
import { type SynthInput, synthesize } from '../../src/synth/synth.ts'
import { SynthError, type SynthErrorCode } from '../../src/synth/synth-errors.ts'

export const parent: LiveObject = deepFreeze({
  apiVersion: 'data.konverge.dev/v1alpha1',
  kind: 'ReplicatedKVStore',
  metadata: {
    name: 'store',
    namespace: 'team',
    uid: 'uid-1',
    resourceVersion: '7',
    generation: 3,
    labels: { tier: 'gold' },
  },
  spec: { replicas: 3 },
})

export const clusterParent: LiveObject = deepFreeze({
  apiVersion: 'data.konverge.dev/v1alpha1',
  kind: 'Tenant',
  metadata: { name: 'acme', uid: 'uid-2', resourceVersion: '8' },
})

const clusterKinds = new Set(['Namespace', 'ClusterRole', 'StorageClass'])
const unknownKinds = new Set(['Unheard'])

export const scopeOf: ScopeOf = (_, kind) =>
  unknownKinds.has(kind) ? undefined : clusterKinds.has(kind) ? 'Cluster' : 'Namespaced'

export function inputOf(build: (chart: Chart) => Declared, over: Partial<SynthInput> = {}): SynthInput {
  const names = { operatorName: 'konverge', controllerName: 'replicatedkvstores.data.konverge.dev' }
  return { parent, ...names, build, scopeOf, ...over }
}

export function synth(build: (chart: Chart) => Declared, over: Partial<SynthInput> = {}): DesiredSet {
  return synthesize(inputOf(build, over))
}

/** An ApiObject of a core kind, by default named as its id. */
export function object(scope: Construct, id: string, over: Record<string, unknown> = {}): ApiObject {
  const { metadata, ...fields } = { metadata: { name: id }, ...over }
  return new ApiObject(scope, id, { apiVersion: 'v1', kind: 'ConfigMap', ...fields, metadata: { ...metadata } })
}

/** Returns the error by which synthesis rejects. */
export function refusalOf(run: () => unknown): {
  code: SynthErrorCode
  message: string
  constructPath: string | undefined
} {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof SynthError)
      return { code: thrown.code, message: thrown.message, constructPath: thrown.constructPath }
    throw thrown
  }
  throw new Error('nothing was refused')
}

export function namesOf({ objects }: DesiredSet): string[] {
  return objects.map((item) => item.object.metadata.name)
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const field of Object.values(value)) deepFreeze(field)
  }
  return value
}
