// Which exceptions from "make it so" does a construct ask for? A policy set on a construct holds for every object below
// it; it is kept as construct metadata, so a construct library sets it without knowing who synthesizes.
import { Dependable, type IConstruct, type IDependable } from 'constructs'
import type { LiveObject } from '../object/object.ts'
import { pathOf } from './construct-path.ts'
import { type FieldSelector, parseFieldSelector } from './field-selector.ts'
import { SynthError } from './synth-errors.ts'

export interface FieldPolicies {
  /** Never ours: already taken out of the desired object. */
  readonly shared: readonly FieldSelector[]
  /** Ours when the object is created, and left alone from then on. */
  readonly initialOnly: readonly FieldSelector[]
  /**
   * A change that the API server refuses as immutable is made by deleting and creating again, and this becomes of what the
   * object itself owns. Undefined where it was not allowed, and where the object is to be retained.
   */
  readonly recreateOnChange: Dependents | undefined
  /** Somebody else's object: only the declared fields are ours. It is never made, deleted or marked as a child. */
  readonly contribute: boolean
  /** A contribution of the resource to itself: what it no longer declares goes. */
  readonly isSelf: boolean
  /** Several resources own the object together; each declares a part of it. */
  readonly coOwn: boolean
  /** Why nothing is written for now; undefined where nothing holds it. */
  readonly hold: HoldMessage | undefined
  /** What makes it ready, instead of the rule of its kind; all of them have to hold. */
  readonly readyWhen: readonly ReadyPredicate[]
  /** Never deleted: not pruned, and left behind when the parent goes. */
  readonly retain: boolean
}

/** Is a live object ready? With a message it says what is missing, without the object's name, as in `2 of 3 shards`. */
export type ReadyPredicate = (live: LiveObject) => boolean | { readonly ready: boolean; readonly message: string }

/** What becomes of the objects that a deleted object owns: deleted with it, or left behind without an owner. */
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
 * Leaves a field to somebody else, an autoscaler for one: whatever the construct says about it is not applied.
 *
 * @example shared(statefulSet, 'spec.replicas')
 */
export function shared(scope: IConstruct, path: string): void {
  scope.node.addMetadata(sharedMark, checkedPath(scope, path))
}

/**
 * Applies a field when the object is created, and leaves it alone from then on: its value stays, and it is nobody's until
 * somebody sets it. An object that is adopted was created before. A part of what the API server takes as one value, such
 * as one toleration, cannot be left alone: the object is then reported as `PolicyOutOfReach`, and not changed.
 *
 * @example initialOnly(claim, 'spec.resources.requests.storage')
 */
export function initialOnly(scope: IConstruct, path: string): void {
  scope.node.addMetadata(initialOnlyMark, checkedPath(scope, path))
}

/**
 * Allows deleting an object and creating it again where the API server refuses a change because the field is immutable.
 * What the object owns, such as the pods of a StatefulSet, is deleted with it, or with `orphan` stays and is found again by
 * its selector. Without this policy such a change is reported as `ImmutableField`, and nothing is deleted.
 *
 * What is `shared` or `initialOnly` begins anew with the object: replicas that an autoscaler had raised fall back to what
 * the API server gives a new one. The once in five minutes below is remembered by the process.
 *
 * It is done only when the API server says, by a dry run, that it would take the new object; at most once in five minutes
 * for the same declaration; and never to what is retained, to volume claims, namespaces and CRDs. A rule of a CRD counts
 * as immutability if its message says `immutable`, or if it has no message and compares with `oldSelf`.
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
 * Sets the declared fields on an object that somebody else makes, such as a claim that a StatefulSet made from its template,
 * and takes them from whoever has them. The object is never created, deleted or pruned by us, gets no label, annotation or
 * owner reference of ours, and is no child to the status function; while it does not exist, the turn waits for it.
 *
 * Its kind has to be among the controller's `watches`, with `contributes: true`. When the object is no longer declared, the
 * fields stay as they are.
 *
 * The object may be the resource itself, such as a Node that is labelled. What a resource contributes to itself goes when it is no longer declared, and
 * `desired` sees the resource without the labels and annotations that it contributed.
 *
 * @example contribute(addObject(chart, objectOf(Node, { metadata: { name: object.metadata.name, labels: { 'example.com/tier': facts.tier } } })))
 */
export function contribute(scope: IConstruct): void {
  scope.node.addMetadata(contributeMark, true)
}

/**
 * Shares an object between several resources, such as a ConfigMap with a key for each of them. The first resource creates it, and each declares its own
 * fields. When a resource no longer declares the object, or is deleted, its fields go. The object goes with its last owner.
 *
 * - Each owner is a field manager of its own and has an owner reference, none of them as the controller.
 * - Two owners may declare a field with the same value. With another value the second one reports `FieldConflict`, and the first keeps the field.
 * - The owners are in the namespace of the object, or all are cluster-scoped, and belong to one operator. Their controllers may differ.
 * - `contribute`, `retain` and `recreateOnChange` do not combine with it, nor do `finalizer: false` and `childrenIn` of the controller.
 *
 * @example coOwn(new KubeConfigMap(chart, 'sites', { metadata: { name: 'sites' }, data: { [name]: host } }))
 */
export function coOwn(scope: IConstruct): void {
  scope.node.addMetadata(coOwnMark, true)
}

/**
 * Says when the objects below the scope are ready, instead of the rule of their kind; one on its way out, or whose status
 * is of an older generation, is not ready in any case. Gates, conditions and the children that `status` sees go by it; a
 * predicate that throws means not ready. It looks at the object alone, and at its status only if the kind is
 * owned with `statusMatters`, because nothing else wakes the resource.
 *
 * @example readyWhen(cluster, ({ status }) => status?.phase === 'Healthy')
 */
export function readyWhen(scope: IConstruct, predicate: ReadyPredicate): void {
  scope.node.addMetadata(readyWhenMark, predicate)
}

/**
 * Leaves everything below the scope as it is for now: what does not exist is not created, what exists is neither changed
 * nor pruned, and what depends on it is held back, too. The resource is waiting, with this message.
 *
 * `desired` sees no status, so a phase comes in through `observe`.
 *
 * The message of the resource has a sentence once, however many objects it holds.
 *
 * @example if (facts.phase !== 'Ready') hold(migration, 'waits for the database to be ready')
 * @example if (facts.problem !== undefined) hold(migration, { sentence: 'there is no Database crm' })
 */
export function hold(scope: IConstruct, message: HoldMessage): void {
  scope.node.addMetadata(holdMark, message)
}

/** Keeps objects that are no longer declared, and keeps them when the parent is deleted. They carry no owner reference. */
export function retain(scope: IConstruct): void {
  scope.node.addMetadata(retainMark, true)
}

/**
 * Applies the dependent when the dependency is ready. `addDependency` alone asks only that it was applied before.
 *
 * @example waitForReady(migrationJob, database)
 */
export function waitForReady(dependent: IConstruct, dependency: IDependable): void {
  dependent.node.addDependency(dependency)
  dependent.node.addMetadata(waitsForReadyMark, dependency)
}

/** The policies that hold for a construct: its own and those of every scope it is in. */
export function policiesOf(construct: IConstruct): FieldPolicies {
  const marks = construct.node.scopes.flatMap((scope) => scope.node.metadata)
  const isRetained = marks.some((mark) => mark.type === retainMark)
  const pathsOf = (type: string) =>
    marks.filter((mark) => mark.type === type).map((mark) => parseFieldSelector(String(mark.data)))
  return {
    shared: pathsOf(sharedMark),
    initialOnly: pathsOf(initialOnlyMark),
    // Metadata is untyped; only recreateOnChange writes this type. The innermost scope has the last word.
    recreateOnChange: isRetained
      ? undefined
      : (marks.findLast(({ type }) => type === recreateMark)?.data as Dependents),
    contribute: marks.some(({ type }) => type === contributeMark),
    isSelf: false,
    coOwn: marks.some(({ type }) => type === coOwnMark),
    // Only hold writes this type. The outermost reason is the one that has to pass first.
    hold: marks.find(({ type }) => type === holdMark)?.data as HoldMessage | undefined,
    // Only readyWhen writes this type.
    readyWhen: marks.flatMap(({ type, data }) => (type === readyWhenMark ? [data as ReadyPredicate] : [])),
    retain: isRetained,
  }
}

/** The constructs that this very construct waits for to be ready. */
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
