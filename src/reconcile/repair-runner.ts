// Performs the repair that a controller requests: deletes one object that is no child, if it still has the version of
// the decision. It records an Event. A failed precondition is no failure: the object has changed meanwhile (I5).
import { assert } from '../base/assert.ts'
import type { Log } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf, type Resource } from '../object/resource.ts'
import type { EventReport } from './context.ts'
import type { Controller } from './definition.ts'
import type { Repair } from './repair.ts'

export interface RepairRunnerOptions {
  readonly controller: Controller
  readonly log: Log
  readonly client: KubeClient
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

export class RepairRunner {
  readonly #options: RepairRunnerOptions

  constructor(options: RepairRunnerOptions) {
    this.#options = options
  }

  /** Rejects with a KubeError when the delete is rejected, unless the object is gone or has changed. */
  async run(parent: LiveObject, { delete: target, event }: Repair, signal: AbortSignal): Promise<void> {
    const { client, log, recordEvent } = this.#options
    const { namespace, name, uid, resourceVersion } = target.metadata
    const options = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' } as const
    try {
      await client.delete(this.#resourceOf(target), { namespace, name }, options, signal)
    } catch (thrown) {
      if (isKubeError(thrown, 'NotFound', 'Conflict')) return
      throw thrown
    }
    const fields = { namespace: parent.metadata.namespace, name: parent.metadata.name }
    log.info({ ...fields, deleted: describeRef(refOf(target)), reason: event.reason }, event.note)
    recordEvent(parent, event)
  }

  #resourceOf(target: Repair['delete']): Resource {
    const { name, watches } = this.#options.controller
    const kind = groupKindOf(target)
    const watch = watches.find(({ resource, repairMayDelete }) => repairMayDelete && groupKindOf(resource) === kind)
    assert(watch !== undefined, `${name} watches ${kind} with repairMayDelete`)
    return watch.resource
  }
}
