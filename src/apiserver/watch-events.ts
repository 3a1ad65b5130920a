// Which events does a watch send, and when does a commit become which? Pure: from entries of the log and a selection to the lines
// of the stream. An object that leaves the selection is told as deleted, one that enters as added.
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
  /** Set where the event shows another state than `state`: the last one that was selected, with the event's version. */
  readonly shown: JsonObject | undefined
}

/** What an entry means to a watch; undefined if nothing. */
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

/** Nothing but how far the watch has come; `endsInitialEvents` closes the list that a watch began with. */
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

/** Refusals of a watch that has begun come as an event, in an answer of 200. */
export function errorLine(parts: StatusParts): string {
  return line('ERROR', wireJson(statusOf(parts)))
}

function line(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`
}
