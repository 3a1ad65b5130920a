// Writes journal entries of external effects into the status of a resource before the effects. Invariant: each write is
// locked to the version of the decision, so that a reconcile from a stale cache ends here (I3).
import type { JsonObject } from '../base/json.ts'
import type { KubeClient, Patch } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, keyOf } from '../object/ref.ts'
import type { Controller } from './definition.ts'
import {
  assertKept,
  type JournalChange,
  lockedVersion,
  type Records,
  recordFields,
  StaleRecordsError,
} from './records.ts'

export interface RecordsRecorderOptions {
  readonly controller: Controller
  readonly client: KubeClient
  readonly fieldManager: string
  /** Returns the newest cached state of a resource. */
  readonly newest: (key: Key) => LiveObject | undefined
  /** Passes the response of an own write to the cache, for the next read. */
  readonly onWritten: (live: LiveObject) => void
}

export class RecordsRecorder {
  readonly #options: RecordsRecorderOptions

  constructor(options: RecordsRecorderOptions) {
    this.#options = options
  }

  /** Rejects with a StaleRecordsError when the resource has changed since the reconcile began. */
  async store(object: LiveObject, { stored, next }: JournalChange, signal: AbortSignal): Promise<void> {
    const { controller, client, fieldManager, newest, onWritten } = this.#options
    const { uid } = object.metadata
    const resourceVersion = lockedVersion({ object, newest: newest(keyOf(object)), stored })
    const status = { ...emptied(stored), ...recordFields(next) } as unknown as JsonObject // Journal entries are JSON.
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

/** A merge patch empties a list only if it names the list. */
function emptied(stored: Records): JsonObject {
  return Object.fromEntries(Object.keys(recordFields(stored)).map((name) => [name, null]))
}
