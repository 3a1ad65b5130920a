// Event objects of events.k8s.io/v1. Invariant: the API server accepts the object, whatever the report contains. Source
// of limits: kubernetes/pkg/apis/core/validation/events.go.
import { withoutOuterHyphens } from '../base/trimmed-end.ts'
import type { KubeObject } from '../object/object.ts'

/** Event about an object, for users. */
export interface EventReport {
  readonly regarding: KubeObject
  readonly type: 'Normal' | 'Warning'
  /** Cause, as one CamelCase word. */
  readonly reason: string
  /** Action that the reporter took, as one CamelCase word. */
  readonly action: string
  /** Message, one sentence without secrets; truncated after 1 KiB. */
  readonly note: string
}

/** Reporter of an Event. */
export interface EventReporter {
  /** Qualified name, e.g. `konverge.dev/operator`. */
  readonly controller: string
  /** Name of the replica: the pod's name. */
  readonly instance: string
}

export interface EventObjectInput {
  readonly report: EventReport
  readonly reporter: EventReporter
  /** Suffix that makes the name unique among all Events of the object. */
  readonly uniqueSuffix: string
  /** Time in RFC 3339 with six decimals. */
  readonly eventTime: string
}

const maxWordBytes = 128
const maxNoteBytes = 1_024
/** Part of a DNS subdomain's 253 characters; the rest is for the suffix. */
const maxNamePrefix = 200

/**
 * Returns the Event for a first report. It is in the object's namespace, or in `default` for a cluster-scoped object.
 */
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

/** Returns a valid part of a DNS subdomain, because names such as `system:node` are none. */
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

/** Truncates a text to at most `maxBytes` of UTF-8, at a character boundary; an ellipsis marks the cut. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const ellipsis = '…'
  let end = maxBytes - Buffer.byteLength(ellipsis)
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end) + ellipsis
}
