// Creation and deletion of a controller's pods, with their Events.
// Source: k8s.io/kubernetes/pkg/controller/controller_utils.go, RealPodControl.
import type { JsonObject } from '../../../base/json.ts'
import { metadataText } from '../../metadata.ts'
import { StatusError } from '../../status-error.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { KindClient } from './kind-client.ts'

export class PodMaker {
  readonly #pods: KindClient
  readonly #events: EventRecorder

  constructor(pods: KindClient, events: EventRecorder) {
    this.#pods = pods
    this.#events = events
  }

  /** Returns false if the namespace is terminating, which is no failure. Throws StatusError. */
  create(owner: JsonObject, pod: JsonObject): boolean {
    try {
      const created = this.#pods.create(metadataText(owner, 'namespace'), pod)
      this.#events.normal(owner, 'SuccessfulCreate', `Created pod: ${metadataText(created, 'name')}`)
      return true
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      if (isNamespaceGoing(thrown)) return false
      this.#events.warning(owner, 'FailedCreate', `Error creating: ${thrown.parts.message}`)
      throw thrown
    }
  }

  /** Throws StatusError. */
  delete(owner: JsonObject, pod: JsonObject): void {
    try {
      this.#pods.delete(pod)
      this.#events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${metadataText(pod, 'name')}`)
    } catch (thrown) {
      if (thrown instanceof StatusError)
        this.#events.warning(owner, 'FailedDelete', `Error deleting: ${thrown.parts.message}`)
      throw thrown
    }
  }
}

export function isNamespaceGoing({ parts }: StatusError): boolean {
  return parts.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false
}
