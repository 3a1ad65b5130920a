// Limit of managers with operation Update: ten. Beyond that, the oldest are merged into one per API version.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal/capmanagers.go.
import { identityText, ManagedEntry } from './managed-entry.ts'
import type { Managed } from './managed-fields.ts'

const maxUpdaters = 10
const manager = 'ancient-changes'

/** Returns the capped managers; the same reference if they are within the limit. */
export function capUpdaters(managed: Managed): Managed {
  const updaters = [...managed].filter(([, { operation }]) => operation === 'Update')
  if (updaters.length <= maxUpdaters) return managed
  updaters.sort(([leftId, left], [rightId, right]) => {
    const [leftKey, rightKey] = [`${left.time ?? ''} ${leftId}`, `${right.time ?? ''} ${rightId}`]
    return leftKey < rightKey ? -1 : 1
  })
  const capped = new Map(managed)
  const firstOf = new Map<string, string>()
  let count = updaters.length
  for (const [id, updater] of updaters) {
    if (count <= maxUpdaters) break
    const first = firstOf.get(updater.apiVersion)
    if (first === undefined) {
      firstOf.set(updater.apiVersion, id)
      continue
    }
    const identity = { manager, operation: 'Update', apiVersion: updater.apiVersion, subresource: '' } as const
    const bucketId = identityText(identity)
    const bucket = capped.get(bucketId) ?? capped.get(first)
    if (!capped.has(bucketId)) capped.delete(first)
    const fields = bucket === undefined ? updater.fields : updater.fields.union(bucket.fields)
    // The bucket has the time of its youngest manager.
    capped.set(bucketId, new ManagedEntry(identity, fields, updater.time))
    capped.delete(id)
    count--
  }
  return capped
}
