// Desired objects of one custom resource in wire JSON, each with its wave and its policies. Invariant: the set is a
// frozen value, and equal inputs give equal bytes. Apply, diff, preview and graph read the same set.
import type { KubeObject } from '../object/object.ts'
import type { FieldPolicies } from './field-policies.ts'

/** One declared dependency as one object sees it. All objects that it applies to share the same value. */
export interface Dependency {
  /** Indices into `DesiredSet.objects`, ascending. */
  readonly on: readonly number[]
  /** The dependencies must be ready, not only applied, before this object is applied. */
  readonly waitsForReady: boolean
}

export interface DesiredObject {
  /** Wire JSON, deeply frozen, with labels, annotations, owner reference and namespace of the runtime. */
  readonly object: KubeObject
  /** The fields to apply once the object exists: the same without the `initialOnly` fields. */
  readonly lasting: KubeObject
  /** 0-based: all dependencies of this object are in lower waves. */
  readonly wave: number
  readonly dependsOn: readonly Dependency[]
  readonly policies: FieldPolicies
  /** Below the chart, as in `store/service`. */
  readonly constructPath: string
}

export interface DesiredSet {
  /** By wave; within a wave by group kind, namespace and name, in code-unit order. */
  readonly objects: readonly DesiredObject[]
  /** Hash of all `objects`. */
  readonly hash: string
}
