// Brings one existing object to its declaration: corrects field ownership, empties values that an apply would drop,
// then applies. If a field is immutable and the policy allows it, deletes the object, so that a later reconcile creates
// it again.
// Invariant: an abort is safe anywhere, because each step is decided from the live state.
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import { type Comparison, compare, declaredChanges } from '../diff/compare.ts'
import type { FieldPath } from '../diff/field-path.ts'
import { ownedFieldsOf } from '../diff/owned-fields.ts'
import { isKubeError, type StatusCause } from '../kube/kube-errors.ts'
import type { KubeObject, LiveObject, ManagedFieldsEntry } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { ApplyRunner, type ApplyRunnerOptions } from './apply-runner.ts'
import type { ChildCluster } from './child-cluster.ts'
import { claimsOfOwners, fieldConflict, joinsOwners, partWithout } from './co-owner-rule.ts'
import { adoptedEvent, isHandedOver, isOurs } from './conflict-rule.ts'
import { contradictedDefaults } from './contradicted-defaults.ts'
import type { Convergence } from './convergence.ts'
import { emptiedFields, emptiedValues, emptyingOperations } from './emptied-values.ts'
import { formerManagerOf, type ManagerOf } from './field-managers.ts'
import {
  fieldsToHandOver,
  hasEarlierRecord,
  hasUpdateRecord,
  recordsWithout,
  repairedManagedFields,
} from './field-ownership.ts'
import { immutableField, immutableFieldsOf, recreatedInVain, recreationEvent } from './immutable-change.ts'
import { type OtherClaim, otherClaimsOf, takenBackEvent } from './other-claims.ts'
import { policyOutOfReach } from './policy-reach.ts'
import { pruneVerdict } from './prune-rule.ts'

export interface ChangeRunnerOptions extends ApplyRunnerOptions {
  /** The cluster of all children, if it is not that of the parents. */
  readonly cluster?: ChildCluster | undefined
  readonly managerOf: ManagerOf
  readonly clock: Clock
  readonly convergence: Convergence
  /** Called for every accepted delete for a parent, so that nothing more is deleted before the caches show it. */
  readonly onDeleted: (object: LiveObject, parent: LiveObject) => void
  /** True if the API server has the parent from which the reconcile decided, unchanged. Called before a delete. */
  readonly isCurrent: (parent: LiveObject, signal: AbortSignal) => Promise<boolean>
}

export interface ChangeToMake {
  readonly parent: LiveObject
  readonly desired: DesiredObject
  readonly live: LiveObject
  readonly comparison: Comparison
}

/** An accepted write. */
export interface Accepted {
  /** The object in its owned fields, after the write. */
  readonly applied: KubeObject
  readonly live: LiveObject
  /** Fields that differed before. */
  readonly paths: readonly FieldPath[]
  /** Claims of the managers from which fields were taken. */
  readonly rivals: readonly OtherClaim[]
  /** Digest of the extras before, if the apply was sent to verify them. */
  readonly doubted?: string | undefined
  /** True if no apply of this manager was recorded or remembered before. */
  readonly isFirst?: boolean
  /** Reason why `applied` lacks a part of the declaration. */
  readonly rejection?: CodedError | undefined
}

/** Response to an apply. `applied`: absent for the whole declaration. */
type Answer = Pick<Accepted, 'live' | 'rivals' | 'rejection'> & Partial<Pick<Accepted, 'applied'>>

export type Changed =
  | ({ readonly kind: 'written' } & Accepted)
  /** The object is being deleted, and created again afterwards. `on` is a sentence about that. */
  | { readonly kind: 'recreating'; readonly on: string }

export class ChangeRunner {
  readonly #options: ChangeRunnerOptions
  readonly #applies: ApplyRunner

  constructor(options: ChangeRunnerOptions) {
    this.#options = options
    this.#applies = new ApplyRunner(options)
  }

  /** Rejects with a KubeError, or with a CodedError `ImmutableField`, `PolicyOutOfReach` or `RecreatedInVain`. */
  async run(change: ChangeToMake, signal: AbortSignal): Promise<Changed> {
    const { clock, convergence, managerOf, report, cluster } = this.#options
    const { parent, desired } = change
    const manager = managerOf(desired)
    await this.#assertPoliciesHold(change, signal)
    const applied = desired.lasting
    const live = await this.#prepare(change, signal)
    const comparison =
      live === change.live
        ? change.comparison
        : convergence.compare(applied, live, { manager, nowMs: clock.monotonicMs() })
    if (comparison.kind === 'equal') return { kind: 'written', applied, live, paths: [], rivals: [] }
    const isFirst = this.#isFirst(live, manager)
    const changes = comparison.kind === 'unowned' ? declaredChanges({ desired: applied, live }) : comparison.changes
    const paths = changes.map(({ path }) => path)
    const doubted = comparison.kind === 'different' ? comparison.doubted : undefined
    try {
      const answer = await this.#applyEmptied({ ...change, live }, signal)
      const isHanded = !desired.policies.contribute && isHandedOver(parent, live, cluster)
      if (isHanded && !isOurs(parent, applied, live, cluster)) report(parent, adoptedEvent(live))
      return { kind: 'written', applied, paths, doubted, isFirst, ...answer }
    } catch (thrown) {
      const fields = immutableFieldsOf(thrown, paths)
      // The operator created the object with these values, which are immutable now.
      if (fields !== undefined && doubted !== undefined)
        return { kind: 'written', applied, live, paths, rivals: [], doubted }
      if (fields !== undefined) return await this.#recreate({ ...change, live }, fields, signal)
      throw this.#learned(change, thrown)
    }
  }

  /** Throws a CodedError `PolicyOutOfReach` if the apply would delete fields that a policy protects. */
  async #assertPoliciesHold({ desired, live }: ChangeToMake, signal: AbortSignal): Promise<void> {
    const { client, managerOf, resourceOf } = this.#options
    const fieldManager = managerOf(desired)
    if (policyOutOfReach(desired, { live, recorded: live }, fieldManager) === undefined) return
    const body = { ...desired.lasting, metadata: { ...desired.lasting.metadata, uid: live.metadata.uid } }
    try {
      const options = { fieldManager, force: true, dryRun: true }
      const recorded = await client.apply(resourceOf(body), body, options, signal)
      const error = policyOutOfReach(desired, { live, recorded }, fieldManager)
      if (error !== undefined) throw error
    } catch (thrown) {
      // The apply itself is rejected as well, so it deletes nothing.
      if (!isKubeError(thrown, 'Invalid')) throw thrown
    }
  }

  /**
   * Returns the object with correct managedFields and emptied values. After a crash before the apply, the next
   * reconcile finds and finishes the rest.
   */
  async #prepare(change: ChangeToMake, signal: AbortSignal): Promise<LiveObject> {
    const { managerOf, resourceOf, client } = this.#options
    const { desired, live, comparison } = change
    const fieldManager = managerOf(desired)
    const formerManager = formerManagerOf(managerOf, desired)
    const isRight =
      (comparison.kind !== 'unowned' || joinsOwners(desired, live)) &&
      !hasEarlierRecord(live, formerManager) &&
      !hasUpdateRecord(live, fieldManager)
    const hasEmptied = emptiedValues(desired, live, fieldManager).length > 0
    if (isRight && !hasEmptied && fieldsToHandOver(desired, live, fieldManager).isEmpty) return live
    // The cache keeps only the managedFields entries of controllers.
    const whole = await client.get(resourceOf(desired.object), live.metadata, signal)
    if (whole.metadata.uid !== live.metadata.uid) throw replacedMeanwhile(live)
    const emptied = await this.#correct(desired, whole, signal)
    if (emptied === undefined) return live
    return (hasUpdateRecord(emptied, fieldManager) && (await this.#correct(desired, emptied, signal))) || emptied
  }

  /** Undefined if there is nothing to correct. */
  async #correct(desired: DesiredObject, whole: LiveObject, signal: AbortSignal): Promise<LiveObject | undefined> {
    const { managerOf, resourceOf, client } = this.#options
    const fieldManager = managerOf(desired)
    const emptied = emptiedValues(desired, whole, fieldManager)
    const repaired = repairedManagedFields(desired, whole, fieldManager, formerManagerOf(managerOf, desired))
    if (repaired === undefined && emptied.length === 0) return undefined
    const records = repaired ?? whole.metadata.managedFields ?? []
    const body = [
      ...emptyingOperations(emptied),
      recordsOperation(recordsWithout(records, emptiedFields(emptied), fieldManager)),
      // Makes the server reject a decision from an older object with a conflict.
      { op: 'replace', path: '/metadata/resourceVersion', value: whole.metadata.resourceVersion },
    ] as const
    return await client.patch(
      resourceOf(desired.object),
      whole.metadata,
      { type: 'json', body },
      { fieldManager },
      signal,
    )
  }

  /**
   * The cause of a rejection may be a default, or a value that only the entry of another manager keeps. The cache does
   * not have that entry.
   */
  async #applyEmptied(change: ChangeToMake, signal: AbortSignal): Promise<Answer> {
    const { client, resourceOf } = this.#options
    const { desired, live } = change
    try {
      return await this.#apply(change, signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'Invalid')) throw thrown
      const whole = await client.get(resourceOf(desired.object), live.metadata, signal)
      const isSame = whole.metadata.uid === live.metadata.uid
      const causes = desired.policies.contribute ? [] : thrown.causes
      const plain = isSame ? await this.#withoutDefaults(desired, whole, { causes, signal }) : whole
      const corrected = isSame ? await this.#correct(desired, plain, signal) : undefined
      if (corrected === undefined && plain === whole) throw thrown
      return await this.#apply({ ...change, live: corrected ?? plain }, signal)
    }
  }

  async #withoutDefaults(
    desired: DesiredObject,
    whole: LiveObject,
    { causes, signal }: { readonly causes: readonly StatusCause[]; readonly signal: AbortSignal },
  ): Promise<LiveObject> {
    const { managerOf, resourceOf, client } = this.#options
    const operations = contradictedDefaults(desired.lasting, whole, causes)
    if (operations.length === 0) return whole
    const body = [
      ...operations,
      { op: 'replace', path: '/metadata/resourceVersion', value: whole.metadata.resourceVersion } as const,
    ]
    const options = { fieldManager: managerOf(desired) }
    return await client.patch(resourceOf(desired.object), whole.metadata, { type: 'json', body }, options, signal)
  }

  /**
   * Applies without force first: if others have changed the declared fields, the response names them. The fields are
   * then taken; undeclared fields stay with the others.
   */
  async #apply({ parent, desired, live }: ChangeToMake, signal: AbortSignal): Promise<Answer> {
    // With the uid, the apply is for this object only: if it is gone meanwhile, the apply creates nothing.
    const { lasting, policies } = desired
    const body = { ...lasting, metadata: { ...lasting.metadata, uid: live.metadata.uid } }
    const fieldManager = this.#options.managerOf(desired)
    const apply = { parent, body, fieldManager }
    try {
      return { live: await this.#applies.send({ ...apply, force: false }, signal), rivals: [] }
    } catch (thrown) {
      const claims = otherClaimsOf(thrown)
      if (claims.length === 0) throw thrown
      const taking = { parent, body, fieldManager, claims, isFirst: this.#isFirst(live, fieldManager) }
      return await (policies.coOwn ? this.#takeBackPart(taking, desired, signal) : this.#takeBack(taking, signal))
    }
  }

  /**
   * Leaves out fields that other owners keep, and applies the rest. Locked to the version from which the ownership was
   * decided.
   */
  async #takeBackPart(taking: Taking, { lasting }: DesiredObject, signal: AbortSignal): Promise<Answer> {
    const { client, resourceOf } = this.#options
    const { body, fieldManager: manager, claims } = taking
    const whole = await client.get(resourceOf(body), body.metadata, signal)
    const { uid, resourceVersion } = whole.metadata
    if (uid !== body.metadata.uid) throw replacedMeanwhile(whole)
    const locked = (part: KubeObject) => ({ ...part, metadata: { ...part.metadata, uid, resourceVersion } })
    const part = { declared: lasting, live: whole, manager }
    const kept = claimsOfOwners(part, claims)
    if (kept.length === 0) return await this.#takeBack({ ...taking, body: locked(lasting) }, signal)
    const rejection = fieldConflict(part, kept)
    const applied = partWithout(lasting, kept)
    if (compare({ desired: applied, live: whole, manager }).kind === 'equal') throw rejection
    const others = claims.filter((claim) => !kept.includes(claim))
    const answer = await this.#takeBack({ ...taking, body: locked(applied), claims: others }, signal)
    return { ...answer, applied, rejection }
  }

  /** True if no apply of this manager is recorded or remembered. */
  #isFirst(live: LiveObject, manager: string): boolean {
    return ownedFieldsOf(live, manager) === undefined && !this.#options.convergence.hasApplied(live, manager)
  }

  async #takeBack({ parent, body, fieldManager, claims, isFirst }: Taking, signal: AbortSignal): Promise<Answer> {
    const taken = await this.#applies.send({ parent, body, fieldManager, force: claims.length > 0 }, signal)
    // A first apply takes fields of others on purpose: that is what a contribution or an adoption does.
    if (claims.length > 0 && !isFirst) this.#options.report(parent, takenBackEvent(body, claims))
    return { live: taken, rivals: claims }
  }

  async #recreate(change: ChangeToMake, fields: readonly string[], signal: AbortSignal): Promise<Changed> {
    const { client, clock, convergence, resourceOf, report, onDeleted, isCurrent } = this.#options
    const { parent, desired, live } = change
    const { uid, resourceVersion } = live.metadata
    const dependents = desired.policies.recreateOnChange
    if (dependents === undefined || pruneVerdict(live, parent, this.#options.cluster) !== 'prune') {
      throw this.#learned(change, immutableField(desired, fields))
    }
    const on = `${describeRef(refOf(live))} is being deleted to be created again`
    const deletedUid = convergence.lastRecreated(desired.object, clock.monotonicMs())
    if (deletedUid === uid) return { kind: 'recreating', on }
    if (deletedUid !== undefined) throw recreatedInVain(desired, fields)
    await this.#proveCreatable(change, signal)
    // The version is locked below, so only the declaration may be outdated.
    if (!(await isCurrent(parent, signal))) throw declarationIsOld(live)
    const propagationPolicy = dependents === 'orphan' ? 'Orphan' : 'Background'
    const preconditions = { uid, resourceVersion }
    await client.delete(resourceOf(live), live.metadata, { preconditions, propagationPolicy }, signal)
    onDeleted(live, parent)
    convergence.learnRecreation(desired.object, uid, clock.monotonicMs())
    report(parent, recreationEvent(live, fields, dependents))
    return { kind: 'recreating', on }
  }

  /** The server validates an object before it checks the name, so this response means that the object is valid. */
  async #proveCreatable(change: ChangeToMake, signal: AbortSignal): Promise<void> {
    const { client, managerOf, resourceOf } = this.#options
    const { object } = change.desired
    const fieldManager = managerOf(change.desired)
    try {
      await client.create(resourceOf(object), object, { fieldManager, dryRun: true }, signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'AlreadyExists')) throw this.#learned(change, thrown)
    }
  }

  /** Postpones another attempt with a rejected object. */
  #learned({ desired, live }: ChangeToMake, thrown: unknown): unknown {
    const { clock, convergence } = this.#options
    convergence.learnRejection(desired.lasting, { live, thrown, nowMs: clock.monotonicMs() })
    return thrown
  }
}

/** Fields that others have changed, and that an apply takes. */
interface Taking {
  readonly parent: LiveObject
  readonly body: KubeObject
  readonly fieldManager: string
  readonly claims: readonly OtherClaim[]
  /** True if no apply of this manager is recorded or remembered. */
  readonly isFirst: boolean
}

function replacedMeanwhile(live: LiveObject): CodedError<'Conflict'> {
  const message = `${describeRef(refOf(live))} was replaced by another object of its name meanwhile; look again`
  return new CodedError({ code: 'Conflict', message, remedy: 'retry' })
}

/** Sound: the entries came from JSON, and only their fieldsV1, which is JSON, was changed. */
function recordsOperation(entries: readonly ManagedFieldsEntry[]): JsonPatchOperation {
  return { op: 'add', path: '/metadata/managedFields', value: entries as unknown as readonly Json[] }
}

/** Its event triggers the next reconcile; if the event is lost, the backoff does. */
function declarationIsOld(live: LiveObject): CodedError<'StaleCache'> {
  return new CodedError({
    code: 'StaleCache',
    message: `${describeRef(refOf(live))} is not created again yet: the resource has changed meanwhile`,
    remedy: 'retry',
  })
}
