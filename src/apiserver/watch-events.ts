// Watch events: converts log entries to stream lines for a selection. Pure.
// An object that leaves the selection is sent as DELETED, one that enters as ADDED.
// Source: k8s.io/apiserver/pkg/storage/cacher/{cache_watcher,watch_cache}.go.
import type { JsonObject } from '../base/json.ts'
import { wireJson } from '../base/wire-json.ts'
import type { ListOptions } from './list-options.ts'
import { withMetadata } from './metadata.ts'
import { apiVersionOf, type OutputForm, oneText, servedObject, table, wholeText } from './object-form.ts'
import type { Committed, LogEntry } from './object-log.ts'
import { isSelected } from './object-reads.ts'
import { type StatusParts, statusOf } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

export interface WatchScope {
  readonly resource: ServedResource
  readonly namespace: string | undefined
  readonly options: Pick<ListOptions, 'labels' | 'fields'>
  readonly output: OutputForm
}

export interface WatchEvent {
  readonly type: WatchEventType
  readonly state: Committed
  /** Object to show instead of `state`: the last selected state, with the event's resourceVersion. */
  readonly shown: JsonObject | undefined
}

/** Returns the event of an entry for a watch, or undefined. */
export function eventOf(entry: LogEntry, { resource, namespace, options }: WatchScope): WatchEvent | undefined {
  if (namespace !== undefined && entry.place.namespace !== namespace) return undefined
  const was = entry.before !== undefined && isSelected(entry.before, resource, options)
  const is = entry.kind !== 'deleted' && isSelected(entry.now, resource, options)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', state: entry.now, shown: undefined }
  if (!was || entry.before === undefined) return undefined
  const shown = withMetadata(servedObject(resource, entry.kind === 'deleted' ? entry.now : entry.before), {
    resourceVersion: String(entry.revision),
  })
  return { type: 'DELETED', state: entry.now, shown }
}

export function eventLine({ type, state, shown }: WatchEvent, scope: WatchScope, nowMs: number): string {
  const { resource, output } = scope
  if (output.form === 'object') return line(type, shown === undefined ? wholeText(resource, state) : wireJson(shown))
  return line(type, oneText(resource, shown ?? servedObject(resource, state), output, nowMs))
}

/** Returns a bookmark: the watch's progress only. `endsInitialEvents` marks the end of the initial list. */
export function bookmarkLine(revision: number, { resource, output }: WatchScope, endsInitialEvents: boolean): string {
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  }
  const object: JsonObject = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata }
  if (output.form === 'table')
    return line(
      'BOOKMARK',
      wireJson(table(resource, [object], { output, nowMs: 0, metadata: { resourceVersion: String(revision) } })),
    )
  return line('BOOKMARK', output.form === 'partial' ? oneText(resource, object, output, 0) : wireJson(object))
}

/** Returns an error event. Errors of a started watch are events, because the answer is already 200. */
export function errorLine(parts: StatusParts): string {
  return line('ERROR', wireJson(statusOf(parts)))
}

function line(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`
}
