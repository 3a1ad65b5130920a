// What does an Event look like on the wire? An object of events.k8s.io/v1 that the API server accepts whatever the report
// says. Source of limits: kubernetes/pkg/apis/core/validation/events.go.
import { withoutOuterHyphens } from '../base/trimmed-end.ts'
import type { KubeObject } from '../object/object.ts'

/** Something worth telling people about an object. */
export interface EventReport {
  readonly regarding: KubeObject
  readonly type: 'Normal' | 'Warning'
  /** One CamelCase word: why it happened. */
  readonly reason: string
  /** One CamelCase word: what was being done. */
  readonly action: string
  /** One sentence for people; never a secret. Cut after 1 KiB. */
  readonly note: string
}

/** Who reports. */
export interface EventReporter {
  /** A qualified name, as in `konverge.dev/operator`. */
  readonly controller: string
  /** Tells replicas apart: the pod's name. */
  readonly instance: string
}

export interface EventObjectInput {
  readonly report: EventReport
  readonly reporter: EventReporter
  /** Makes the name unique among all events of the object. */
  readonly uniqueSuffix: string
  /** RFC 3339 with six decimals. */
  readonly eventTime: string
}

const maxWordBytes = 128
const maxNoteBytes = 1_024
/** Of a DNS subdomain's 253 characters; the rest is for the suffix. */
const maxNamePrefix = 200

/** The Event for a report seen once. It lives in the object's namespace, or in `default` if the object has none. */
export function eventObject({ report, reporter, uniqueSuffix, eventTime }: EventObjectInput): KubeObject {
  const { regarding, type, reason, action, note } = report
  const { name, namespace, uid, resourceVersion } = regarding.metadata
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${namePrefix(name)}.${uniqueSuffix}`, namespace: namespace ?? 'default' },
    eventTime,
    reportingController: reporter.controller,
    reportingInstance: cutToBytes(reporter.instance, maxWordBytes),
    type,
    reason: cutToBytes(reason, maxWordBytes),
    action: cutToBytes(action, maxWordBytes),
    note: cutToBytes(note, maxNoteBytes),
    regarding: {
      apiVersion: regarding.apiVersion,
      kind: regarding.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  }
}

/** Part of a DNS subdomain; not every object's name is one (`system:node`). */
function namePrefix(name: string): string {
  const allowed = name.toLowerCase().slice(0, maxNamePrefix)
  return (
    allowed
      .replaceAll(/[^a-z0-9.-]/g, '-')
      .split('.')
      .map(withoutOuterHyphens)
      .filter(Boolean)
      .join('.') || 'object'
  )
}

/** At most `maxBytes` of UTF-8, never a part of a character; what was cut shows. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const ellipsis = '…'
  let end = maxBytes - Buffer.byteLength(ellipsis)
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end) + ellipsis
}
