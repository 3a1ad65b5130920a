// Job controller: runs Jobs to their end and deletes finished ones after their TTL.
// Sources: k8s.io/kubernetes/pkg/controller/job, pkg/controller/ttlafterfinished.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { mapAt, optionalIntegerAt, structAt, textAt, withField } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { finalizersOf, isTerminating, labelsOf, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { EventRecorder } from './event-recorder.ts'
import { isJobFinished, type JobPlan, jobPlan, unsupportedPolicy } from './job-plan.ts'
import { jobPod, trackingFinalizer } from './job-pods.ts'
import { KindClient } from './kind-client.ts'
import { controllerKeys, controllerOf, membershipOf, settleMembership } from './membership.ts'
import { PodMaker } from './pod-maker.ts'
import { conditionOf } from './pod-state.ts'

export class JobController implements ServerController {
  readonly name = 'job-controller'
  readonly #clock: Clock
  readonly #jobs: KindClient
  readonly #pods: KindClient
  readonly #events: EventRecorder
  readonly #maker: PodMaker

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#jobs = new KindClient(client, 'batch/v1', 'Job')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#events = new EventRecorder({ client, clock, component: this.name })
    this.#maker = new PodMaker(this.#pods, this.#events)
  }

  keysFor(entry: LogEntry): readonly string[] {
    if (entry.place.shelf === 'jobs.batch') return [`${entry.place.namespace}/${entry.place.name}`]
    return entry.place.shelf === 'pods' ? controllerKeys(entry, 'batch/v1', 'Job') : []
  }

  reconcile(key: string): number | undefined {
    const job = this.#jobs.at(key)
    if (job === undefined) return this.#release(key)
    const pods = this.#podsOf(job)
    if (isJobFinished(job)) {
      for (const pod of pods) this.#untrack(pod)
      return undefined
    }
    const policy = unsupportedPolicy(job)
    if (policy !== undefined) {
      if (textAt(structAt(job, 'status'), 'startTime') === '')
        this.#events.warning(job, 'NotServed', `spec.${policy} is not served by this API server, so no pod is made`)
      return undefined
    }
    const plan = jobPlan({ job, pods, nowMs: this.#clock.now(), timestamp: timestampOf(this.#clock) })
    const failure = this.#carryOut(job, plan)
    if (failure !== undefined) throw failure
    return plan.againAfterMs
  }

  #podsOf(job: JsonObject): readonly JsonObject[] {
    const matcher = LabelMatcher.of(structAt(structAt(job, 'spec'), 'selector'))
    const candidates = this.#pods.candidatesOf(job)
    const membership = membershipOf(job, candidates, (pod) => matcher?.matches(labelsOf(pod)) ?? false)
    return settleMembership(this.#pods, job, membership)
  }

  /** Order: create and delete pods, write the status that counts them, release the counted pods. */
  #carryOut(job: JsonObject, plan: JobPlan): StatusError | undefined {
    let failure: StatusError | undefined
    let made = 0
    try {
      for (const pod of plan.remove) this.#maker.delete(job, pod)
      for (const index of plan.create) {
        if (!this.#maker.create(job, jobPod(job, index))) break
        made++
      }
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      failure = thrown
    }
    const active = Number(plan.status['active'] ?? 0) - (plan.create.length - made)
    const status = withField(plan.status, 'active', active)
    this.#jobs.updateStatus(job, (live) =>
      deepEqual(mapAt(live, 'status'), status) ? live : withField(live, 'status', status),
    )
    for (const pod of plan.counted) this.#untrack(pod)
    for (const report of plan.reports) this.#events.record(job, report)
    return failure
  }

  #untrack(pod: JsonObject): void {
    if (!finalizersOf(pod).includes(trackingFinalizer)) return
    const live = this.#pods.get(metadataText(pod, 'namespace'), metadataText(pod, 'name'))
    if (live === undefined || metadataText(live, 'uid') !== metadataText(pod, 'uid')) return
    const left = finalizersOf(live).filter((finalizer) => finalizer !== trackingFinalizer)
    this.#pods.update(live, (now) => withMetadata(now, { finalizers: left.length === 0 ? undefined : left }))
  }

  /** Removes the tracking finalizer from the pods of a deleted Job. */
  #release(key: string): undefined {
    const [namespace = '', name = ''] = key.split('/')
    for (const pod of this.#pods.list(namespace)) {
      const owner = controllerOf(pod)
      if (owner?.kind === 'Job' && owner.name === name) this.#untrack(pod)
    }
  }
}

export class TtlAfterFinished implements ServerController {
  readonly name = 'ttl-after-finished-controller'
  readonly #clock: Clock
  readonly #jobs: KindClient

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#jobs = new KindClient(client, 'batch/v1', 'Job')
  }

  keysFor({ place, kind }: LogEntry): readonly string[] {
    return place.shelf === 'jobs.batch' && kind !== 'deleted' ? [`${place.namespace}/${place.name}`] : []
  }

  reconcile(key: string): number | undefined {
    const job = this.#jobs.at(key)
    const seconds = job === undefined ? undefined : optionalIntegerAt(structAt(job, 'spec'), 'ttlSecondsAfterFinished')
    if (job === undefined || seconds === undefined || isTerminating(job) || !isJobFinished(job)) return undefined
    const end = conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed')
    const leftMs = Date.parse(textAt(end, 'lastTransitionTime')) + seconds * 1000 - this.#clock.now()
    if (leftMs > 0) return leftMs
    this.#jobs.delete(job, { propagationPolicy: 'Foreground' })
    return undefined
  }
}
