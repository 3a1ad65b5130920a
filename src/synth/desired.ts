// What does one custom resource want to exist? Objects in wire JSON, each with its wave and its policies. The set is a
// frozen value: apply, diff, preview and graph read the same one, and equal inputs give equal bytes.
import type { KubeObject } from '../object/object.ts'
import type { FieldPolicies } from './field-policies.ts'

/** One declared dependency as an object meets it; the same value is shared by all objects it holds for. */
export interface Dependency {
  /** Indices into `DesiredSet.objects`, ascending. */
  readonly on: readonly number[]
  /** They must be ready, not only applied, before this object is applied. */
  readonly waitsForReady: boolean
}

export interface DesiredObject {
  /** Wire JSON, deeply frozen; labels, annotations, owner reference and namespace are stamped. */
  readonly object: KubeObject
  /** What is applied once it exists: the same without the `initialOnly` fields. */
  readonly lasting: KubeObject
  /** 0-based: everything that this object depends on is in a lower wave. */
  readonly wave: number
  readonly dependsOn: readonly Dependency[]
  readonly policies: FieldPolicies
  /** Below the chart, as in `store/service`. */
  readonly constructPath: string
}

export interface DesiredSet {
  /** By wave; within a wave by group kind, namespace and name, in code-unit order. */
  readonly objects: readonly DesiredObject[]
  /** Of everything in `objects`. */
  readonly hash: string
}
