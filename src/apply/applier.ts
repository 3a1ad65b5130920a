// Carries out a plan, wave by wave. Within a wave requests go out together; a failure in one does not stop its siblings,
// but later waves and pruning wait for the next turn. Nothing here decides what to write: plan.ts did.
import { unreachable } from '../base/assert.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { FieldPath } from '../diff/field-path.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { ApplyReport, ChildFailure } from './apply-report.ts'
import { ChangeRunner, type ChangeRunnerOptions } from './change-runner.ts'
import { type Action, type Compare, decide, identityOf, type Plan, type Step } from './plan.ts'
import type { Readiness } from './readiness.ts'

export interface ApplierOptions extends ChangeRunnerOptions {
  readonly readinessOf: (object: KubeObject) => Readiness
  /** Told of every accepted write, so that the caches show it. */
  readonly onWritten: (live: LiveObject) => void
}

/** One plan under way. */
interface Progress {
  readonly parent: LiveObject
  readonly live: Map<string, LiveObject>
  readonly failures: ChildFailure[]
  readonly gated: string[]
  writes: number
}

export class Applier {
  readonly #options: ApplierOptions
  readonly #changes: ChangeRunner

  constructor(options: ApplierOptions) {
    this.#options = options
    this.#changes = new ChangeRunner(options)
  }

  /** Never rejects for a child's sake: what failed is in the report. Rejects with the signal's reason when aborted. */
  async run(parent: LiveObject, { waves, prune }: Plan, signal: AbortSignal): Promise<ApplyReport> {
    const progress: Progress = { parent, live: new Map(), failures: [], gated: [], writes: 0 }
    const steps = waves.flat()
    // What a later wave holds exists even when an earlier wave stops this turn.
    for (const { action } of steps) {
      if (action.kind === 'leave' || action.kind === 'change') progress.live.set(identityOf(action.live), action.live)
    }
    for (const wave of waves) {
      await Promise.all(wave.map((step) => this.#attempt(step, progress, signal)))
      if (isHeldBack(progress)) break
    }
    if (!isHeldBack(progress)) await this.#prune(prune, progress, signal)
    const { live, failures, gated, writes } = progress
    return {
      children: steps.flatMap(({ desired }) => live.get(identityOf(desired.object)) ?? []),
      failures,
      gated,
      writes,
    }
  }

  async #attempt(step: Step, progress: Progress, signal: AbortSignal): Promise<void> {
    const { action, desired } = step
    const gate = action.kind === 'leave' ? undefined : this.#gateOf(step, progress.live)
    if (gate !== undefined) {
      progress.gated.push(gate)
      return
    }
    try {
      await this.#carryOut(action, desired, progress, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      progress.failures.push({ ref: refOf(desired.object), error: asCoded(thrown, desired.object) })
    }
  }

  async #carryOut(action: Action, desired: DesiredObject, progress: Progress, signal: AbortSignal): Promise<void> {
    switch (action.kind) {
      case 'leave':
        return
      case 'refuse':
        throw action.error
      case 'change':
        return await this.#change(desired, action, progress, signal)
      case 'create':
        return await this.#create(desired, progress, signal)
      default:
        return unreachable(action)
    }
  }

  /** Absent from our label-filtered cache is not absent: look first, and do not take over what turns up meanwhile. */
  async #create(desired: DesiredObject, progress: Progress, signal: AbortSignal): Promise<void> {
    const { clock, resourceOf, convergence } = this.#options
    const { object } = desired
    convergence.assertMayApply(object, undefined, clock.monotonicMs())
    const live = await this.#find(resourceOf(object), object, signal)
    if (live === undefined) return this.#written(object, await this.#sendNew(object, signal), [], progress)
    const compare: Compare = (declared, found) => convergence.compare(declared, found)
    const action = decide({ parent: progress.parent, desired: object, live, compare })
    if (action.kind !== 'refuse') progress.live.set(identityOf(live), live)
    await this.#carryOut(action, desired, progress, signal)
  }

  async #find(resource: Resource, { metadata }: KubeObject, signal: AbortSignal): Promise<LiveObject | undefined> {
    try {
      return await this.#options.client.get(resource, metadata, signal)
    } catch (thrown) {
      if (isKubeError(thrown, 'NotFound')) return undefined
      throw thrown
    }
  }

  async #sendNew(object: KubeObject, signal: AbortSignal): Promise<LiveObject> {
    const { client, clock, convergence, fieldManager, resourceOf } = this.#options
    try {
      return await client.apply(resourceOf(object), object, { fieldManager, force: false }, signal)
    } catch (thrown) {
      if (thrown instanceof CodedError && thrown.remedy === 'stop')
        convergence.learnRefusal(object, thrown, clock.monotonicMs())
      throw thrown
    }
  }

  async #change(
    desired: DesiredObject,
    { live, comparison }: Extract<Action, { kind: 'change' }>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, convergence } = this.#options
    convergence.assertMayApply(desired.object, live, clock.monotonicMs())
    const paths = comparison.kind === 'different' ? comparison.changes.map(({ path }) => path) : []
    const changed = await this.#changes.run({ parent: progress.parent, desired, live, paths }, signal)
    if (changed.kind === 'written') return this.#written(desired.object, changed.live, paths, progress)
    progress.writes++
    progress.gated.push(changed.on)
  }

  #written(object: KubeObject, live: LiveObject, paths: readonly FieldPath[], progress: Progress): void {
    const { clock, convergence, onWritten } = this.#options
    progress.writes++
    progress.live.set(identityOf(live), live)
    onWritten(live)
    convergence.learn(object, live, paths, clock.monotonicMs())
  }

  /** The sentence that says which declared dependency is not ready yet, or undefined if nothing holds the step back. */
  #gateOf({ desired, waitsFor }: Step, live: ReadonlyMap<string, LiveObject>): string | undefined {
    for (const identity of waitsFor) {
      const dependency = live.get(identity)
      const readiness = dependency === undefined ? undefined : this.#options.readinessOf(dependency)
      if (readiness?.kind === 'ready') continue
      const why = readiness?.message ?? 'it does not exist yet'
      return `${describeRef(refOf(desired.object))} waits for ${identity}: ${why}`
    }
    return undefined
  }

  async #prune(objects: readonly LiveObject[], progress: Progress, signal: AbortSignal): Promise<void> {
    for (const object of objects) {
      try {
        await this.delete(object, 'Background', signal)
        progress.writes++
      } catch (thrown) {
        signal.throwIfAborted()
        progress.failures.push({ ref: refOf(object), error: asCoded(thrown, object) })
      }
    }
  }

  /** Deletes this very object; one that is gone already, or replaced by a namesake, is no failure. */
  async delete(object: LiveObject, propagationPolicy: 'Background' | 'Foreground', signal: AbortSignal): Promise<void> {
    const { client, resourceOf } = this.#options
    const { uid } = object.metadata
    try {
      await client.delete(resourceOf(object), object.metadata, { preconditions: { uid }, propagationPolicy }, signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound', 'Conflict')) throw thrown
    }
  }
}

function isHeldBack({ failures, gated }: Progress): boolean {
  return failures.length > 0 || gated.length > 0
}

function asCoded(thrown: unknown, object: KubeObject): CodedError {
  if (thrown instanceof CodedError) return thrown
  const message = `${describeRef(refOf(object))}: ${messageOf(thrown)}`
  return new CodedError({ code: 'InternalError', message, remedy: 'retry', cause: thrown })
}
