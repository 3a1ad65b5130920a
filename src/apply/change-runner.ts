// Brings one existing object to what is declared: corrects who owns which field and empties what an apply would drop, then applies; or, where
// a field cannot change and the policy allows it, deletes the object, so that a later turn creates it again. Safe to be cut off anywhere:
// each step is decided from what is live.
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
import { policyOutOfReach } from './policy-reach.ts'
import { pruneVerdict } from './prune-rule.ts'
import { type RivalClaim, rivalClaimsOf, takenBackEvent } from './rival-claims.ts'

export interface ChangeRunnerOptions extends ApplyRunnerOptions {
  /** Where all children are, if not in the cluster of the parents. */
  readonly cluster?: ChildCluster | undefined
  readonly managerOf: ManagerOf
  readonly clock: Clock
  readonly convergence: Convergence
  /** Told of every accepted delete for a parent, so that nothing more is deleted before the caches show it. */
  readonly onDeleted: (object: LiveObject, parent: LiveObject) => void
  /** Does the API server show the very parent of which the turn was decided? Asked before a delete. */
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
  /** What the object now is like in our fields. */
  readonly applied: KubeObject
  readonly live: LiveObject
  /** What differed before. */
  readonly paths: readonly FieldPath[]
  /** From whom fields were taken back. */
  readonly rivals: readonly RivalClaim[]
  /** Digest of the extras before, if the apply was sent to verify them. */
  readonly doubted?: string | undefined
  /** No apply of this manager was recorded or remembered before. */
  readonly isFirst?: boolean
  /** Why a part of what is declared was left out of `applied`. */
  readonly rejection?: CodedError | undefined
}

/** The answer to an apply. `applied`: absent for all that is declared. */
type Answer = Pick<Accepted, 'live' | 'rivals' | 'rejection'> & Partial<Pick<Accepted, 'applied'>>

export type Changed =
  | ({ readonly kind: 'written' } & Accepted)
  /** It is on its way out and will be created again when it is gone. `on` says so. */
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
      // What cannot change now was there when the operator created the object.
      if (fields !== undefined && doubted !== undefined)
        return { kind: 'written', applied, live, paths, rivals: [], doubted }
      if (fields !== undefined) return await this.#recreate({ ...change, live }, fields, signal)
      throw this.#learned(change, thrown)
    }
  }

  /** Throws a CodedError `PolicyOutOfReach` where the apply would delete what a policy leaves alone. */
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

  /** The object with right records and emptied values. A crash before the apply leaves nothing that the next reconcile would not find and finish. */
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
    // The cache keeps the records of controllers only.
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
      // Makes the server refuse with a conflict what was decided from an older object.
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

  /** A rejection may be due to a value that only the record of another manager keeps, which memory does not show, or to a default. */
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
   * Without force first: where others have set our fields to something else, the answer names them. Then they are taken
   * back; fields that we do not declare stay theirs.
   */
  async #apply({ parent, desired, live }: ChangeToMake, signal: AbortSignal): Promise<Answer> {
    // With the uid the apply is for this very object: where it is gone meanwhile, nothing is made by a change.
    const { lasting, policies } = desired
    const body = { ...lasting, metadata: { ...lasting.metadata, uid: live.metadata.uid } }
    const fieldManager = this.#options.managerOf(desired)
    const apply = { parent, body, fieldManager }
    try {
      return { live: await this.#applies.send({ ...apply, force: false }, signal), rivals: [] }
    } catch (thrown) {
      const claims = rivalClaimsOf(thrown)
      if (claims.length === 0) throw thrown
      const taking = { parent, body, fieldManager, claims, isFirst: this.#isFirst(live, fieldManager) }
      return await (policies.coOwn ? this.#takeBackPart(taking, desired, signal) : this.#takeBack(taking, signal))
    }
  }

  /** What other owners keep is left out, and the rest is as declared. Locked to the version of which it was decided who owns the object. */
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

  /** No apply of this manager is recorded or remembered. */
  #isFirst(live: LiveObject, manager: string): boolean {
    return ownedFieldsOf(live, manager) === undefined && !this.#options.convergence.hasApplied(live, manager)
  }

  async #takeBack({ parent, body, fieldManager, claims, isFirst }: Taking, signal: AbortSignal): Promise<Answer> {
    const taken = await this.#applies.send({ parent, body, fieldManager, force: claims.length > 0 }, signal)
    // A first apply takes what others have: that is what a contribution or an adoption is for.
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
    // The version is locked below, so that only the declaration may be of yesterday.
    if (!(await isCurrent(parent, signal))) throw declarationIsOld(live)
    const propagationPolicy = dependents === 'orphan' ? 'Orphan' : 'Background'
    const preconditions = { uid, resourceVersion }
    await client.delete(resourceOf(live), live.metadata, { preconditions, propagationPolicy }, signal)
    onDeleted(live, parent)
    convergence.learnRecreation(desired.object, uid, clock.monotonicMs())
    report(parent, recreationEvent(live, fields, dependents))
    return { kind: 'recreating', on }
  }

  /** The server validates an object before it finds that the name is taken, so this answer means that it is valid. */
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

  /** What the API server rejects is not sent again for a while. */
  #learned({ desired, live }: ChangeToMake, thrown: unknown): unknown {
    const { clock, convergence } = this.#options
    convergence.learnRejection(desired.lasting, { live, thrown, nowMs: clock.monotonicMs() })
    return thrown
  }
}

/** Fields that others have set are taken back. */
interface Taking {
  readonly parent: LiveObject
  readonly body: KubeObject
  readonly fieldManager: string
  readonly claims: readonly RivalClaim[]
  /** No apply of this manager is recorded or remembered. */
  readonly isFirst: boolean
}

function replacedMeanwhile(live: LiveObject): CodedError<'Conflict'> {
  const message = `${describeRef(refOf(live))} was replaced by another object of its name meanwhile; look again`
  return new CodedError({ code: 'Conflict', message, remedy: 'retry' })
}

/** Sound: the records came from JSON, and only their fieldsV1, which is JSON, was changed. */
function recordsOperation(entries: readonly ManagedFieldsEntry[]): JsonPatchOperation {
  return { op: 'add', path: '/metadata/managedFields', value: entries as unknown as readonly Json[] }
}

/** Its event is on the way and brings the next turn; should it be lost, the backoff does. */
function declarationIsOld(live: LiveObject): CodedError<'StaleCache'> {
  return new CodedError({
    code: 'StaleCache',
    message: `${describeRef(refOf(live))} is not created again yet: the resource has changed meanwhile`,
    remedy: 'retry',
  })
}
