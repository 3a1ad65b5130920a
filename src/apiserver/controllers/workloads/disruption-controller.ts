// Disruption controller: keeps the status of PodDisruptionBudgets. Source: k8s.io/kubernetes/pkg/controller/disruption.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, structAt } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { labelsOf, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { OwnerRef } from '../../owner-references.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { disruptionPlan } from './disruption-plan.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient, keyOf } from './kind-client.ts'
import { controllerOf } from './membership.ts'

/** Kinds that have a scale. */
const scaledKinds = ['ReplicaSet', 'StatefulSet', 'Deployment']

export class DisruptionController implements ServerController {
  readonly name = 'disruption-controller'
  readonly #clock: Clock
  readonly #client: SystemClient
  readonly #budgets: KindClient
  readonly #pods: KindClient
  readonly #events: EventRecorder

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#client = client
    this.#budgets = new KindClient(client, 'policy/v1', 'PodDisruptionBudget')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#events = new EventRecorder({ client, clock, component: 'controllermanager' })
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    if (shelf === 'poddisruptionbudgets.policy') return [`${namespace}/${name}`]
    if (shelf === 'pods') {
      const pods = [entry.before, entry.now].flatMap((state) => (state === undefined ? [] : [state.object]))
      return pods
        .flatMap((pod) => this.#budgets.perhapsChoosing(pod))
        .filter((budget) => pods.some((pod) => covers(budget, pod)))
        .map(keyOf)
    }
    // A change of a scale changes budgets that are percentages.
    const isScaled = shelf === 'statefulsets.apps' || shelf === 'replicasets.apps' || shelf === 'deployments.apps'
    const replicas = (state: LogEntry['before']) => integerAt(structAt(state?.object, 'spec'), 'replicas')
    if (!isScaled || replicas(entry.before) === replicas(entry.now)) return []
    return this.#budgets.list(namespace).map(keyOf)
  }

  reconcile(key: string): number | undefined {
    const budget = this.#budgets.at(key)
    if (budget === undefined) return undefined
    const pods = this.#pods.perhapsChosenBy(budget).filter((pod) => covers(budget, pod))
    if (pods.length === 0) this.#events.normal(budget, 'NoPods', 'No matching pods found')
    const { expectedScale, fault } = this.#scaleOf(pods)
    const facts = { pods, expectedScale, fault, nowMs: this.#clock.now(), timestamp: timestampOf(this.#clock) }
    const plan = disruptionPlan({ ...facts, budget })
    if (plan.budget !== budget)
      this.#budgets.updateStatus(budget, (live) => disruptionPlan({ ...facts, budget: live }).budget)
    return plan.againAfterMs
  }

  #scaleOf(pods: readonly JsonObject[]): { readonly expectedScale: number | undefined; readonly fault: string } {
    const scales = new Map<string, number>()
    for (const pod of pods) {
      const owner = controllerOf(pod)
      if (owner === undefined || scales.has(owner.uid)) continue
      const scale = this.#scaleOfOwner(owner, metadataText(pod, 'namespace'))
      if (scale === undefined) {
        const fault = `found no controllers for pod "${metadataText(pod, 'name')}"`
        return { expectedScale: undefined, fault }
      }
      scales.set(scale.uid, scale.replicas)
    }
    return { expectedScale: [...scales.values()].reduce((sum, scale) => sum + scale, 0), fault: '' }
  }

  /** Returns the scale of a pod's controller, or of the Deployment above it. */
  #scaleOfOwner(owner: OwnerRef, namespace: string): { uid: string; replicas: number } | undefined {
    const object = new KindClient(this.#client, owner.apiVersion, owner.kind).get(namespace, owner.name)
    if (object === undefined || metadataText(object, 'uid') !== owner.uid || !scaledKinds.includes(owner.kind))
      return undefined
    const above = owner.kind === 'ReplicaSet' ? controllerOf(object) : undefined
    if (above?.kind === 'Deployment') return this.#scaleOfOwner(above, namespace)
    return { uid: owner.uid, replicas: integerAt(structAt(object, 'spec'), 'replicas') }
  }
}

function covers(budget: JsonObject, pod: JsonObject): boolean {
  return LabelMatcher.of(structAt(structAt(budget, 'spec'), 'selector'))?.matches(labelsOf(pod)) ?? false
}
