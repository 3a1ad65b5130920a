// Attributes of a reconcile's span.
import type { SpanAttributes } from '../base/instrument.ts'
import type { Key } from '../object/ref.ts'
import { describeCause } from '../queue/cause.ts'
import type { WorkItem } from '../queue/work-queue.ts'
import type { LiveAction } from './next-action.ts'

/** Returns the resource and the causes. Source of the first name: OpenTelemetry's semantic conventions. */
export function attributesOf({ kind, object }: LiveAction, { causes, failures }: WorkItem<Key>): () => SpanAttributes {
  const { namespace, name, uid, generation } = object.metadata
  return () => ({
    'k8s.namespace.name': namespace,
    'konverge.name': name,
    'konverge.uid': uid,
    'konverge.generation': generation,
    'konverge.turn': kind,
    'konverge.causes': causes.map(describeCause),
    'konverge.failures': failures,
  })
}
