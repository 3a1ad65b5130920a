// Field policies: exceptions from "apply all declared fields". Invariant: a policy set on a construct applies to every
// object below it. Policies are construct metadata, so a construct library sets them without a dependency on the
// runtime.
import { Dependable, type IConstruct, type IDependable } from 'constructs'
import type { LiveObject } from '../object/object.ts'
import { pathOf } from './construct-path.ts'
import { type FieldSelector, parseFieldSelector } from './field-selector.ts'
import { SynthError } from './synth-errors.ts'

/** Policies of one object. */
export interface FieldPolicies {
  /** Fields that are never applied; already removed from the desired object. */
  readonly shared: readonly FieldSelector[]
  /** Fields that are applied at the creation of the object only. */
  readonly initialOnly: readonly FieldSelector[]
  /**
   * A change that the API server rejects as immutable is made by deletion and recreation. The value decides about the
   * dependents of the object. Undefined if recreation is not allowed, or if the object is retained.
   */
  readonly recreateOnChange: Dependents | undefined
  /**
   * The object has another owner: only the declared fields are applied. The runtime never creates or deletes it, or
   * marks it as a child.
   */
  readonly contribute: boolean
  /** A contribution of the resource to itself: fields that it no longer declares are removed. */
  readonly isSelf: boolean
  /** Several resources own the object together; each declares a part of it. */
  readonly coOwn: boolean
  /** Reason why the object is not written for now. Undefined: no hold. */
  readonly hold: HoldMessage | undefined
  /** Predicates that replace the readiness rule of the kind; all of them must hold. */
  readonly readyWhen: readonly ReadyPredicate[]
  /** Never deleted: neither pruned nor deleted with the parent. */
  readonly retain: boolean
}

/**
 * Decides whether a live object is ready. `message` describes the missing part, without the object's name, as in `2 of
 * 3 shards`.
 */
export type ReadyPredicate = (live: LiveObject) => boolean | { readonly ready: boolean; readonly message: string }

/** Fate of the objects that a deleted object owns: deleted with it, or kept without an owner. */
export type Dependents = 'delete' | 'orphan'

/** A predicate that follows the object's name, as `waits for the database to be ready`; or a whole sentence. */
export type HoldMessage = string | { readonly sentence: string }

const sharedMark = 'konverge.dev/shared'
const initialOnlyMark = 'konverge.dev/initial-only'
const recreateMark = 'konverge.dev/recreate-on-change'
const contributeMark = 'konverge.dev/contribute'
const coOwnMark = 'konverge.dev/co-own'
const holdMark = 'konverge.dev/hold'
const readyWhenMark = 'konverge.dev/ready-when'
const retainMark = 'konverge.dev/retain'
const waitsForReadyMark = 'konverge.dev/waits-for-ready'

/**
 * Leaves a field to another field manager, e.g. an autoscaler. The runtime never applies the construct's value.
 *
 * @example shared(statefulSet, 'spec.replicas')
 */
export function shared(scope: IConstruct, path: string): void {
  scope.node.addMetadata(sharedMark, checkedPath(scope, path))
}

/**
 * Applies a field at the creation of the object only. The value then stays, without a field manager until one sets it.
 * For an adopted object the field is never applied. Part of an atomic field, such as one toleration, cannot be
 * excluded: the resource then reports `PolicyOutOfReach` and the object stays unchanged.
 *
 * @example initialOnly(claim, 'spec.resources.requests.storage')
 */
export function initialOnly(scope: IConstruct, path: string): void {
  scope.node.addMetadata(initialOnlyMark, checkedPath(scope, path))
}

/**
 * Allows deletion and recreation of an object if the API server rejects a change because the field is immutable.
 * Without this policy the resource reports `ImmutableField`, and nothing is deleted.
 *
 * The objects that it owns, such as the pods of a StatefulSet, are deleted with it. With `orphan` they stay, and the
 * new object finds them by its selector. Fields that are `shared` or `initialOnly` restart with the object: replicas
 * that an autoscaler raised fall back to the server's default.
 *
 * The runtime recreates an object only if a dry run shows that the API server accepts the new one. It does so at most
 * once in five minutes for the same declaration; the process remembers that time in memory. Retained objects, volume
 * claims, namespaces and CRDs are never recreated. A rule of a CRD counts as immutability if its message says
 * `immutable`, or if it has no message and compares with `oldSelf`.
 *
 * @example recreateOnChange(statefulSet, { dependents: 'orphan' })
 */
export function recreateOnChange(
  scope: IConstruct,
  { dependents = 'delete' }: { readonly dependents?: Dependents } = {},
): void {
  scope.node.addMetadata(recreateMark, dependents)
}

/**
 * Sets the declared fields on an object of another owner, and takes them over from other field managers. An example is
 * a claim that a StatefulSet created from its template.
 *
 * The runtime never creates, deletes or prunes the object and adds no label, annotation or owner reference. The status
 * function does not see it as a child. While it does not exist, the reconcile waits for it.
 *
 * Its kind must be among the controller's `watches`, with `contributes: true`. When the object is no longer declared,
 * the fields stay as they are.
 *
 * The object may be the resource itself, such as a Node that gets labels. Fields that a resource contributes to itself
 * are removed when it no longer declares them. `desired` sees the resource without the labels and annotations that it
 * contributed.
 *
 * @example contribute(addObject(chart, objectOf(Node, { metadata: { name: object.metadata.name, labels: { 'example.com/tier': facts.tier } } })))
 */
export function contribute(scope: IConstruct): void {
  scope.node.addMetadata(contributeMark, true)
}

/**
 * Shares an object between several resources, such as a ConfigMap with one key for each. The first resource creates it,
 * and each declares its own fields. When a resource no longer declares the object, or is deleted, its fields are
 * removed. The object is deleted with its last owner.
 *
 * - Each owner is its own field manager and has an owner reference, none of them as the controller.
 * - Two owners may declare a field with the same value. With another value the second one reports `FieldConflict`,
 *   and the first keeps the field.
 * - The owners are in the namespace of the object, or all are cluster-scoped, and belong to one operator. Their
 *   controllers may differ.
 * - It does not combine with `contribute`, `retain` and `recreateOnChange`, nor with `finalizer: false` and
 *   `childrenIn` of the controller.
 *
 * @example coOwn(new KubeConfigMap(chart, 'sites', { metadata: { name: 'sites' }, data: { [name]: host } }))
 */
export function coOwn(scope: IConstruct): void {
  scope.node.addMetadata(coOwnMark, true)
}

/**
 * Replaces the readiness rule of the kind for the objects below the scope. An object that is being deleted, or whose
 * status is of an older generation, is never ready. `waitForReady`, conditions and the children in `status` use the
 * predicate. A predicate that throws means not ready. It should read the object only, and its status only if the kind
 * is owned with `statusMatters`, because nothing else triggers a reconcile.
 *
 * @example readyWhen(cluster, ({ status }) => status?.phase === 'Healthy')
 */
export function readyWhen(scope: IConstruct, predicate: ReadyPredicate): void {
  scope.node.addMetadata(readyWhenMark, predicate)
}

/**
 * Postpones the apply of everything below the scope: missing objects are not created, existing ones are neither changed
 * nor pruned, and their dependents wait. The resource is waiting, with this message. The message contains each sentence
 * once, however many objects it holds.
 *
 * `desired` does not see the status, so a phase comes in through `observe`.
 *
 * @example if (facts.phase !== 'Ready') hold(migration, 'waits for the database to be ready')
 * @example if (facts.problem !== undefined) hold(migration, { sentence: 'there is no Database crm' })
 */
export function hold(scope: IConstruct, message: HoldMessage): void {
  scope.node.addMetadata(holdMark, message)
}

/**
 * Keeps objects that are no longer declared, and keeps them when the parent is deleted. They have no owner reference.
 */
export function retain(scope: IConstruct): void {
  scope.node.addMetadata(retainMark, true)
}

/**
 * Applies the dependent when the dependency is ready. `addDependency` alone only requires that it was applied before.
 *
 * @example waitForReady(migrationJob, database)
 */
export function waitForReady(dependent: IConstruct, dependency: IDependable): void {
  dependent.node.addDependency(dependency)
  dependent.node.addMetadata(waitsForReadyMark, dependency)
}

/** Returns the policies of a construct: its own and those of every enclosing scope. */
export function policiesOf(construct: IConstruct): FieldPolicies {
  const marks = construct.node.scopes.flatMap((scope) => scope.node.metadata)
  const isRetained = marks.some((mark) => mark.type === retainMark)
  const pathsOf = (type: string) =>
    marks.filter((mark) => mark.type === type).map((mark) => parseFieldSelector(String(mark.data)))
  return {
    shared: pathsOf(sharedMark),
    initialOnly: pathsOf(initialOnlyMark),
    // Metadata is untyped; only recreateOnChange writes this type. The innermost scope wins.
    recreateOnChange: isRetained
      ? undefined
      : (marks.findLast(({ type }) => type === recreateMark)?.data as Dependents),
    contribute: marks.some(({ type }) => type === contributeMark),
    isSelf: false,
    coOwn: marks.some(({ type }) => type === coOwnMark),
    // Only hold writes this type. The outermost hold is reported, because it must end first.
    hold: marks.find(({ type }) => type === holdMark)?.data as HoldMessage | undefined,
    // Only readyWhen writes this type.
    readyWhen: marks.flatMap(({ type, data }) => (type === readyWhenMark ? [data as ReadyPredicate] : [])),
    retain: isRetained,
  }
}

/** Returns the constructs that this construct itself waits for. */
export function readinessGatesOf(construct: IConstruct): ReadonlySet<IConstruct> {
  const gates = construct.node.metadata.filter((mark) => mark.type === waitsForReadyMark)
  // Metadata is untyped; only waitForReady writes this type, and it writes an IDependable.
  return new Set(gates.flatMap((mark) => Dependable.of(mark.data as IDependable).dependencyRoots))
}

function checkedPath(scope: IConstruct, path: string): string {
  const [first, second] = parseFieldSelector(path).steps
  const names = [first, second].map((step) => (step?.kind === 'field' ? step.name : undefined))
  const isIdentity =
    names[0] === 'apiVersion' ||
    names[0] === 'kind' ||
    (names[0] === 'metadata' && (second === undefined || names[1] === 'name' || names[1] === 'namespace'))
  if (!isIdentity) return path
  throw new SynthError({
    code: 'InvalidPolicy',
    message: `construct ${pathOf(scope)}: "${path}" is part of what the object is; no policy can leave it to others`,
    constructPath: pathOf(scope),
  })
}
