// The table of built-in shapes compared with the published schemas: the held empty values.
import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../src/apiserver/built-in/built-in-data-loader.ts'
import { type MergeType, mergeTypeOf } from '../../src/apiserver/merge/merge-type.ts'
import { type Shape, shapeOfKind } from '../../src/diff/built-in-shapes.ts'

/** Kinds whose schema is available here. */
const kinds = [
  ...['ConfigMap', 'LimitRange', 'Namespace', 'PersistentVolumeClaim', 'Pod', 'ResourceQuota', 'Secret'].map(inCore),
  ...['Service', 'ServiceAccount'].map(inCore),
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ({ group: 'apps', version: 'v1', kind })),
  { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
  ...['CronJob', 'Job'].map((kind) => ({ group: 'batch', version: 'v1', kind })),
  ...['Ingress', 'IngressClass', 'NetworkPolicy'].map((kind) => ({ group: 'networking.k8s.io', version: 'v1', kind })),
  { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => ({
    ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind },
  })),
  { group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass' },
  { group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass' },
]

/** Atomic lists that declare nothing when they are empty, by the end of their path, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'Service.spec.clusterIPs': 'the server allocates them',
  'Service.spec.ipFamilies': 'the server fills them in',
  'Namespace.spec.finalizers': 'the server fills them in',
  'NetworkPolicy.spec.policyTypes': 'the server fills them in',
  'HorizontalPodAutoscaler.spec.metrics': 'the server fills them in',
  'scaleUp.policies': 'the server fills in absent ones and rejects empty ones',
  'scaleDown.policies': 'the server fills in absent ones and rejects empty ones',
  'containers.resizePolicy': 'the server fills them in for pods',
  'initContainers.resizePolicy': 'the server fills them in for pods',
  'spec.accessModes': 'the server rejects empty ones',
  'StatefulSet.spec.volumeClaimTemplates': 'the field is immutable',
}

describe('the table of built-in shapes', () => {
  it.each(kinds)('holds empty atomic values and booleans of $kind, and no others', ({ group, version, kind }) => {
    const loader = new BuiltInDataLoader()
    const apiVersion = group === '' ? version : `${group}/${version}`
    const shape = shapeOfKind({ apiVersion, kind })
    if (shape === undefined) throw new Error(`the table lacks ${kind}`)
    const fields = [...omittedFields(shape, mergeTypeOf(loader.schema({ group, version, kind })), kind)]
    const isException = (path: string) => Object.keys(exceptions).some((end) => `.${path}`.endsWith(`.${end}`))
    const wrong = fields.filter(({ path, isOwnedAsOne, isHeld }) => (isOwnedAsOne && !isException(path)) !== isHeld)
    expect(wrong).toEqual([])
  })
})

function inCore(kind: string) {
  return { group: '', version: 'v1', kind }
}

interface OmittedField {
  readonly path: string
  readonly isOwnedAsOne: boolean
  readonly isHeld: boolean
}

/** Yields fields that the server omits when they are empty, outside of atomic values. */
function* omittedFields(shape: Shape, type: MergeType | undefined, path: string): Generator<OmittedField> {
  if (type === undefined || isAtomic(type)) return
  for (const [name, { empty, holds }] of shape.fields) {
    const fieldType = type.map?.fields.get(name)?.type
    if (fieldType === undefined) continue
    const here = `${path}.${name}`
    const isOwnedAsOne = fieldType.scalar === 'boolean' || isAtomic(fieldType)
    if (empty !== 'stored') yield { path: here, isOwnedAsOne, isHeld: empty === 'absent' }
    if (typeof holds === 'object')
      yield* omittedFields(holds, isAtomic(fieldType) ? fieldType : inside(fieldType), here)
  }
}

function isAtomic({ list, map, scalar }: MergeType): boolean {
  return scalar === undefined && (list?.isAtomic ?? map?.isAtomic ?? false)
}

/** Returns the type of an item, of an entry, or of the struct itself. */
function inside(type: MergeType): MergeType | undefined {
  if (type.list !== undefined) return type.list.elementType
  return type.map?.fields.size === 0 ? type.map.elementType : type
}
