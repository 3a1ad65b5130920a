// Brings one existing object to what is declared: by an apply, or, where a field cannot change and the policy allows it, by
// deleting it, so that a later turn creates it anew. Safe to be cut off anywhere: each step is decided from what is live.
import type { Clock } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { FieldPath } from '../diff/field-path.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Convergence } from './convergence.ts'
import { immutableField, immutableFieldsOf, recreatedInVain, recreationEvent } from './immutable-change.ts'
import { pruneVerdict } from './prune-rule.ts'

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
  /** What differs. */
  readonly paths: readonly FieldPath[]
}

export type Changed =
  | { readonly kind: 'written'; readonly live: LiveObject }
  /** It is on its way out and will be created again when it is gone. `on` says so. */
  | { readonly kind: 'recreating'; readonly on: string }

export class ChangeRunner {
  readonly #options: ChangeRunnerOptions

  constructor(options: ChangeRunnerOptions) {
    this.#options = options
  }

  /** Rejects with a KubeError, or with a CodedError `ImmutableField` or `RecreatedInVain`. */
  async run(change: ChangeToMake, signal: AbortSignal): Promise<Changed> {
    const { clock, convergence } = this.#options
    const { desired, paths } = change
    try {
      return { kind: 'written', live: await this.#apply(change, signal) }
    } catch (thrown) {
      const fields = immutableFieldsOf(thrown, paths)
      if (fields !== undefined) return await this.#recreate(change, fields, signal)
      if (thrown instanceof CodedError && thrown.remedy === 'stop') {
        convergence.learnRefusal(desired.object, thrown, clock.monotonicMs())
      }
      throw thrown
    }
  }

  /** Taking our own fields back from another manager needs force; fields that we do not declare stay theirs. */
  async #apply({ desired: { object }, live }: ChangeToMake, signal: AbortSignal): Promise<LiveObject> {
    const { client, fieldManager, resourceOf } = this.#options
    // With the uid the apply is for this very object: where it is gone meanwhile, nothing is made by a change.
    const body = { ...object, metadata: { ...object.metadata, uid: live.metadata.uid } }
    return await client.apply(resourceOf(object), body, { fieldManager, force: true }, signal)
  }

  async #recreate(change: ChangeToMake, fields: readonly string[], signal: AbortSignal): Promise<Changed> {
    const { client, clock, convergence, resourceOf, report, onDeleted, isCurrent } = this.#options
    const { parent, desired, live } = change
    const { uid, resourceVersion } = live.metadata
    const dependents = desired.policies.recreateOnChange
    if (dependents === undefined || pruneVerdict(live, parent) !== 'prune') {
      const error = immutableField(desired, fields)
      convergence.learnRefusal(desired.object, error, clock.monotonicMs())
      throw error
    }
    const name = describeRef(refOf(live))
    const deletedUid = convergence.lastRecreated(desired.object, clock.monotonicMs())
    if (deletedUid === uid) return { kind: 'recreating', on: `${name} is being deleted to be created again` }
    if (deletedUid !== undefined) throw recreatedInVain(desired, fields)
    await this.#proveCreatable(desired.object, signal)
    // The version is locked below, so that only the declaration may be of yesterday.
    if (!(await isCurrent(parent, signal))) throw declarationIsOld(live)
    const propagationPolicy = dependents === 'orphan' ? 'Orphan' : 'Background'
    const preconditions = { uid, resourceVersion }
    await client.delete(resourceOf(live), live.metadata, { preconditions, propagationPolicy }, signal)
    onDeleted(live, parent)
    convergence.learnRecreation(desired.object, uid, clock.monotonicMs())
    report(parent, recreationEvent(live, fields, dependents))
    return { kind: 'recreating', on: `${name} is being deleted to be created again` }
  }

  /** The server validates an object before it finds that the name is taken, so this answer means that it is valid. */
  async #proveCreatable(object: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, clock, convergence, fieldManager, resourceOf } = this.#options
    try {
      await client.create(resourceOf(object), object, { fieldManager, dryRun: true }, signal)
    } catch (thrown) {
      if (isKubeError(thrown, 'AlreadyExists')) return
      if (thrown instanceof CodedError && thrown.remedy === 'stop') {
        convergence.learnRefusal(object, thrown, clock.monotonicMs())
      }
      throw thrown
    }
  }
}

/** Its event is on the way and brings the next turn; should it be lost, the backoff does. */
function declarationIsOld(live: LiveObject): CodedError<'StaleCache'> {
  return new CodedError({
    code: 'StaleCache',
    message: `${describeRef(refOf(live))} is not created again yet: the resource has changed meanwhile`,
    remedy: 'retry',
  })
}
