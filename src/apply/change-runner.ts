// Brings one existing object to what is declared: puts right who owns which field, then applies; or, where a field cannot
// change and the policy allows it, deletes the object, so that a later turn creates it anew. Safe to be cut off anywhere:
// each step is decided from what is live.
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import type { Comparison } from '../diff/compare.ts'
import type { FieldPath } from '../diff/field-path.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject, LiveObject, ManagedFieldsEntry } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { adoptedEvent, isOurs } from './conflict-rule.ts'
import type { Convergence } from './convergence.ts'
import { fieldsToHandOver, hasEarlierRecord, repairedManagedFields } from './field-ownership.ts'
import { immutableField, immutableFieldsOf, recreatedInVain, recreationEvent } from './immutable-change.ts'
import { assertPoliciesHold } from './policy-reach.ts'
import { pruneVerdict } from './prune-rule.ts'
import { type RivalClaim, rivalClaimsOf, takenBackEvent } from './rival-claims.ts'

export interface ChangeRunnerOptions {
  readonly client: KubeClient
  /** Who owns the fields of children. */
  readonly fieldManager: string
  readonly resourceOf: (object: KubeObject) => Resource
  readonly clock: Clock
  readonly convergence: Convergence
  /** Told of every accepted delete for a parent, so that nothing more is deleted before the caches show it. */
  readonly onDeleted: (object: LiveObject, parent: LiveObject) => void
  /** Does the API server show the very parent of which the turn was decided? Asked before a delete. */
  readonly isCurrent: (parent: LiveObject, signal: AbortSignal) => Promise<boolean>
  /** Tells people, on the parent, what its conditions do not. */
  readonly report: (parent: LiveObject, event: EventReport) => void
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
  /** Managers from whom fields were taken back. */
  readonly rivals: readonly string[]
}

export type Changed =
  | ({ readonly kind: 'written' } & Accepted)
  /** It is on its way out and will be created again when it is gone. `on` says so. */
  | { readonly kind: 'recreating'; readonly on: string }

export class ChangeRunner {
  readonly #options: ChangeRunnerOptions

  constructor(options: ChangeRunnerOptions) {
    this.#options = options
  }

  /** Rejects with a KubeError, or with a CodedError `ImmutableField`, `PolicyOutOfReach` or `RecreatedInVain`. */
  async run(change: ChangeToMake, signal: AbortSignal): Promise<Changed> {
    const { clock, convergence, fieldManager, report } = this.#options
    const { parent, desired } = change
    assertPoliciesHold(desired, change.live, fieldManager)
    const applied = desired.lasting
    const live = await this.#putOwnershipRight(change, signal)
    const comparison =
      live === change.live ? change.comparison : convergence.compare(applied, live, clock.monotonicMs())
    if (comparison.kind === 'equal') return { kind: 'written', applied, live, paths: [], rivals: [] }
    const paths = comparison.kind === 'different' ? comparison.changes.map(({ path }) => path) : []
    try {
      const answer = await this.#apply({ ...change, live }, signal)
      if (!desired.policies.contribute && !isOurs(parent, applied, live)) report(parent, adoptedEvent(live))
      return { kind: 'written', applied, paths, ...answer }
    } catch (thrown) {
      const fields = immutableFieldsOf(thrown, paths)
      if (fields !== undefined) return await this.#recreate({ ...change, live }, fields, signal)
      throw this.#learned(change, thrown)
    }
  }

  /** Before the apply, so that a crash in between leaves nothing that the next turn would not find and finish. */
  async #putOwnershipRight({ desired, live, comparison }: ChangeToMake, signal: AbortSignal): Promise<LiveObject> {
    const { client, fieldManager, resourceOf } = this.#options
    const isRight = comparison.kind !== 'unowned' && !hasEarlierRecord(live)
    if (isRight && fieldsToHandOver(desired, live, fieldManager).isEmpty) return live
    const resource = resourceOf(desired.object)
    // The cache keeps the records of controllers only.
    const whole = await client.get(resource, live.metadata, signal)
    if (whole.metadata.uid !== live.metadata.uid) throw replacedMeanwhile(live)
    const repaired = repairedManagedFields(desired, whole, fieldManager)
    if (repaired === undefined) return live
    const body = [
      { op: 'add', path: '/metadata/managedFields', value: asJsonList(repaired) },
      // Makes the server refuse with a conflict what was decided from an older object.
      { op: 'replace', path: '/metadata/resourceVersion', value: whole.metadata.resourceVersion },
    ] as const
    return await client.patch(resource, live.metadata, { type: 'json', body }, { fieldManager }, signal)
  }

  /**
   * Without force first: where others have set our fields to something else, the answer names them. Then they are taken
   * back; fields that we do not declare stay theirs. A contribution is meant to take its fields from others.
   */
  async #apply(
    { parent, desired: { lasting, policies }, live }: ChangeToMake,
    signal: AbortSignal,
  ): Promise<Pick<Accepted, 'live' | 'rivals'>> {
    // With the uid the apply is for this very object: where it is gone meanwhile, nothing is made by a change.
    const body = { ...lasting, metadata: { ...lasting.metadata, uid: live.metadata.uid } }
    if (policies.contribute) return { live: await this.#send(body, true, signal), rivals: [] }
    try {
      return { live: await this.#send(body, false, signal), rivals: [] }
    } catch (thrown) {
      const claims = rivalClaimsOf(thrown)
      if (claims.length === 0) throw thrown
      return await this.#takeBack({ parent, body, claims }, signal)
    }
  }

  async #takeBack(
    { parent, body, claims }: { parent: LiveObject; body: KubeObject; claims: readonly RivalClaim[] },
    signal: AbortSignal,
  ): Promise<Pick<Accepted, 'live' | 'rivals'>> {
    const taken = await this.#send(body, true, signal)
    this.#options.report(parent, takenBackEvent(body, claims))
    return { live: taken, rivals: claims.map(({ manager }) => manager) }
  }

  async #send(body: KubeObject, force: boolean, signal: AbortSignal): Promise<LiveObject> {
    const { client, fieldManager, resourceOf } = this.#options
    return await client.apply(resourceOf(body), body, { fieldManager, force }, signal)
  }

  async #recreate(change: ChangeToMake, fields: readonly string[], signal: AbortSignal): Promise<Changed> {
    const { client, clock, convergence, resourceOf, report, onDeleted, isCurrent } = this.#options
    const { parent, desired, live } = change
    const { uid, resourceVersion } = live.metadata
    const dependents = desired.policies.recreateOnChange
    if (dependents === undefined || pruneVerdict(live, parent) !== 'prune') {
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
    const { client, fieldManager, resourceOf } = this.#options
    const { object } = change.desired
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

function replacedMeanwhile(live: LiveObject): CodedError<'Conflict'> {
  const message = `${describeRef(refOf(live))} was replaced by another object of its name meanwhile; look again`
  return new CodedError({ code: 'Conflict', message, remedy: 'retry' })
}

/** Sound: the records came from JSON, and only their fieldsV1, which is JSON, was changed. */
function asJsonList(entries: readonly ManagedFieldsEntry[]): readonly Json[] {
  return entries as unknown as readonly Json[]
}

/** Its event is on the way and brings the next turn; should it be lost, the backoff does. */
function declarationIsOld(live: LiveObject): CodedError<'StaleCache'> {
  return new CodedError({
    code: 'StaleCache',
    message: `${describeRef(refOf(live))} is not created again yet: the resource has changed meanwhile`,
    remedy: 'retry',
  })
}
