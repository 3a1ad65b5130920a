// Writes the records of what is done outside into the status of its resource, before it is done: locked to the version that the turn was
// decided from, so that a turn from a stale cache ends here (I3).
import type { JsonObject } from '../base/json.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import type { Controller } from './definition.ts'
import {
  assertKept,
  lockedVersion,
  type Records,
  recordFields,
  StaleRecordsError,
  type TurnRecords,
} from './records.ts'

export interface RecordsRecorderOptions {
  readonly controller: Controller
  readonly client: KubeClient
  readonly fieldManager: string
  /** The newest state that memory has of a resource. */
  readonly newest: (key: Key) => LiveObject | undefined
  /** Our own write, to be seen by the next read. */
  readonly onWritten: (live: LiveObject) => void
}

export class RecordsRecorder {
  readonly #options: RecordsRecorderOptions

  constructor(options: RecordsRecorderOptions) {
    this.#options = options
  }

  /** Rejects with a StaleRecordsError when the resource is not any more what the turn was decided from. */
  async store(object: LiveObject, { stored, next }: TurnRecords, signal: AbortSignal): Promise<void> {
    const { controller, client, fieldManager, newest, onWritten } = this.#options
    const { uid } = object.metadata
    const resourceVersion = lockedVersion({ object, newest: newest(keyOf(object)), stored })
    const status = { ...emptied(stored), ...recordFields(next) } as unknown as JsonObject // Records are JSON.
    const patch: Patch = { type: 'merge', body: { metadata: { uid, resourceVersion }, status } }
    const options = { fieldManager, subresource: 'status' } as const
    try {
      const written = await client.patch(controller.resource, object.metadata, patch, options, signal)
      onWritten(written)
      assertKept(controller.name, next, written)
    } catch (thrown) {
      throw isKubeError(thrown, 'Conflict') ? new StaleRecordsError(thrown) : thrown
    }
  }
}

/** Lists that had entries are emptied by a patch only if it says so. */
function emptied(stored: Records): JsonObject {
  return Object.fromEntries(Object.keys(recordFields(stored)).map((name) => [name, null]))
}
