// Writer of a pod's status: writes only the newest one, and only if it differs; at the end, it removes the pod. While
// the API server is unreachable, it retries, so that the status catches up.
import { type Clock, sleep } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { deepEqual, isJsonObject, type JsonObject } from '../base/json.ts'
import { mergePatchBetween } from '../base/json-patch.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { Pod } from '../object/built-in.ts'
import { asJson, type LiveObject } from '../object/object.ts'
import type { PodObject } from './pod.ts'

export interface PodRecorderOptions {
  readonly clock: Clock
  readonly log: Log
  readonly client: KubeClient
  readonly signal: AbortSignal
  /** Receives the pod from a response, which is newer than the watch. */
  readonly onAnswer: (pod: LiveObject) => void
}

export const fieldManager = 'konverge-node'
const firstRetryMs = 250
const longestRetryMs = 10_000

interface DesiredStatus {
  readonly pod: PodObject
  readonly status: JsonObject
}

export class PodRecorder {
  readonly #options: PodRecorderOptions
  #wish: DesiredStatus | undefined
  /** Last written status, and its version: if the server stores a different value, the write is not repeated. */
  #written: { readonly status: JsonObject; readonly resourceVersion: string } | undefined
  #running: Promise<void> | undefined

  constructor(options: PodRecorderOptions) {
    this.#options = options
  }

  /** Queues the status to write, based on `pod`; replaces an older queued one. */
  record(pod: PodObject, status: JsonObject): void {
    this.#wish = { pod, status }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Resolves when the last status is written or obsolete. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /**
   * Deletes the pod object; no process of the pod may run. A missing pod, or another one of that name, counts as
   * success.
   */
  async remove({ metadata: { namespace, name, uid } }: PodObject): Promise<void> {
    const { client, signal } = this.#options
    const options = { preconditions: { uid }, gracePeriodSeconds: 0 }
    await this.#untilDone(`remove Pod ${namespace}/${name}`, () =>
      client.delete(Pod, { namespace, name }, options, signal),
    )
  }

  async #run(): Promise<void> {
    const { signal } = this.#options
    for (let wish = this.#wish; wish !== undefined && !signal.aborted; wish = this.#wish) {
      const { namespace, name } = wish.pod.metadata
      await this.#untilDone(`write the status of Pod ${namespace}/${name}`, () => this.#write())
    }
  }

  /** Writes the newest status; after a conflict, reads the current pod. */
  async #write(): Promise<void> {
    const wish = this.#wish
    if (wish === undefined) return
    const { client, signal, onAnswer } = this.#options
    const { metadata } = wish.pod
    const patch = this.#patchOf(wish)
    if (patch === undefined) return this.#fulfil(wish)
    const location = { namespace: metadata.namespace, name: metadata.name }
    const body = { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion }, status: patch }
    try {
      const options = { fieldManager, subresource: 'status' } as const
      const answer = await client.patch(Pod, location, { type: 'merge', body }, options, signal)
      this.#written = { status: wish.status, resourceVersion: answer.metadata.resourceVersion }
      this.#fulfil(wish)
      onAnswer(answer)
    } catch (thrown) {
      if (!isKubeError(thrown, 'Conflict')) throw thrown
      const live = await client.get(Pod, location, signal)
      if (live.metadata.uid !== metadata.uid) return this.#fulfil(wish)
      if (live.metadata.resourceVersion === metadata.resourceVersion) throw thrown
      this.#fulfil(wish)
      onAnswer(live)
    }
  }

  #fulfil(wish: DesiredStatus): void {
    if (this.#wish === wish) this.#wish = undefined
  }

  #patchOf({ pod, status }: DesiredStatus): JsonObject | undefined {
    const { resourceVersion } = pod.metadata
    if (this.#written?.resourceVersion === resourceVersion && deepEqual(this.#written.status, status)) return undefined
    const live = asJson(pod).status
    const before = isJsonObject(live) ? live : {}
    return mergePatchBetween(before, { ...before, ...status })
  }

  async #untilDone(what: string, attempt: () => Promise<void>): Promise<void> {
    const { clock, log, signal } = this.#options
    for (let delayMs = firstRetryMs; !signal.aborted; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
      try {
        return await attempt()
      } catch (thrown) {
        if (signal.aborted) return
        if (isKubeError(thrown, 'NotFound')) {
          this.#wish = undefined
          return
        }
        // A recreated pod with the same name must not be removed.
        if (isKubeError(thrown, 'Conflict') && what.startsWith('remove')) return
        log.warn({ error: messageOf(thrown), retryInMs: delayMs }, `could not ${what}; it is tried again`)
      }
      await sleep(clock, delayMs, signal).catch(() => undefined) // Only the signal rejects, and then the loop ends.
    }
  }
}
