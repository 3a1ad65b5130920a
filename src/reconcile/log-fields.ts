// Log lines about one resource: its name, and the outcome of its reconcile.
import { unreachable } from '../base/assert.ts'
import type { Log, LogFields, Tracer } from '../base/instrument.ts'
import type { LiveObject } from '../object/object.ts'
import { type Key, parseKey } from '../object/ref.ts'
import { describeCause } from '../queue/cause.ts'
import type { WorkItem } from '../queue/work-queue.ts'
import type { Outcome } from './outcome.ts'

export function logFieldsOf({ metadata: { namespace, name, generation } }: LiveObject): LogFields {
  return { namespace, name, generation }
}

/** Logs failures as warnings, with reason and message. */
export function logEnd(
  { log, tracer }: { readonly log: Log; readonly tracer: Tracer },
  item: WorkItem<Key>,
  outcome: Outcome,
): void {
  tracer.active.note(() => ({ 'konverge.outcome': outcome.kind }))
  if (outcome.kind === 'retry' || outcome.kind === 'stopped') tracer.active.fail(outcome.reason)
  const fields = { ...parseKey(item.key), causes: item.causes.map(describeCause) }
  switch (outcome.kind) {
    case 'retry':
      return log.warn({ ...fields, reason: outcome.reason, failures: item.failures + 1 }, outcome.message)
    case 'stopped':
      return log.warn({ ...fields, reason: outcome.reason }, outcome.message)
    case 'settled':
    case 'waiting':
    case 'deleting':
      return log.debug({ ...fields, outcome: outcome.kind }, 'turn ended')
    default:
      return unreachable(outcome)
  }
}
