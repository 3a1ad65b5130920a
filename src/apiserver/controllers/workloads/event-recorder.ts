// Event recorder of the server's own controllers. A repeated report raises the count of the first Event.
// The recorder drops an Event that it cannot write.
// Source: k8s.io/client-go/tools/record.

import { assert } from '../../../base/assert.ts'
import { type Clock, microTimestampOf, timestampOf } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, textAt } from '../../built-in/field-walk.ts'
import { metadataText } from '../../metadata.ts'
import { StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import { KindClient } from './kind-client.ts'

/** Number of recent Events whose repetitions are counted. */
const remembered = 4_096

export interface Report {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export class EventRecorder {
  readonly #clock: Clock
  readonly #events: KindClient
  readonly #component: string
  /** Names of Events by their content. */
  readonly #told = new Map<string, string>()
  #last = 0n

  constructor(options: { readonly client: SystemClient; readonly clock: Clock; readonly component: string }) {
    this.#clock = options.clock
    this.#events = new KindClient(options.client, 'v1', 'Event')
    this.#component = options.component
  }

  normal(about: JsonObject, reason: string, message: string): void {
    this.record(about, { type: 'Normal', reason, message })
  }

  warning(about: JsonObject, reason: string, message: string): void {
    this.record(about, { type: 'Warning', reason, message })
  }

  record(about: JsonObject, report: Report): void {
    this.#attempt(() => this.#write(about, report))
  }

  /** Records as the newer recorder does: with the action, and the time in microseconds. */
  recordAction(about: JsonObject, action: string, { type, reason, message }: Report): void {
    const namespace = metadataText(about, 'namespace') || 'default'
    const event = {
      metadata: { name: `${metadataText(about, 'name')}.${this.#moment().toString(16)}`, namespace },
      involvedObject: referenceTo(about),
      ...{ type, reason, message, action },
      eventTime: microTimestampOf(this.#clock),
      reportingComponent: this.#component,
      reportingInstance: `${this.#component}-0`,
    }
    this.#attempt(() => this.#events.create(namespace, event))
  }

  #write(about: JsonObject, { type, reason, message }: Report): void {
    const namespace = metadataText(about, 'namespace') || 'default'
    const said = [namespace, metadataText(about, 'uid'), type, reason, message].join('\n')
    const lastTimestamp = timestampOf(this.#clock)
    const known = this.#events.get(namespace, this.#told.get(said) ?? '')
    if (known !== undefined) {
      this.#events.update(known, (live) => ({ ...live, count: integerAt(live, 'count') + 1, lastTimestamp }))
      return
    }
    const name = `${metadataText(about, 'name')}.${this.#moment().toString(16)}`
    this.#events.create(namespace, {
      metadata: { name, namespace },
      involvedObject: referenceTo(about),
      ...{ reason, message, type, count: 1 },
      source: { component: this.#component },
      ...{ firstTimestamp: lastTimestamp, lastTimestamp },
      reportingComponent: this.#component,
      reportingInstance: '',
    })
    this.#remember(said, name)
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      assert(thrown instanceof StatusError, 'only what the server refuses is let go')
    }
  }

  #remember(said: string, name: string): void {
    this.#told.set(said, name)
    const [oldest] = this.#told.keys()
    if (this.#told.size > remembered && oldest !== undefined) this.#told.delete(oldest)
  }

  /** Returns the current time in nanoseconds, never the same value twice. */
  #moment(): bigint {
    const now = BigInt(Math.floor(this.#clock.now())) * 1_000_000n
    this.#last = now > this.#last ? now : this.#last + 1n
    return this.#last
  }
}

function referenceTo(about: JsonObject): JsonObject {
  return {
    kind: textAt(about, 'kind'),
    namespace: metadataText(about, 'namespace'),
    name: metadataText(about, 'name'),
    uid: metadataText(about, 'uid'),
    apiVersion: textAt(about, 'apiVersion'),
    resourceVersion: metadataText(about, 'resourceVersion'),
  }
}
