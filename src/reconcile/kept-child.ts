// The cached part of a child. Invariant: it contains everything that the operator compares and that the rules of
// readiness read. Pure.
import { assert } from '../base/assert.ts'
import { isJsonObject } from '../base/json.ts'
import { isBuiltIn } from '../object/built-in.ts'
import type { LiveObject } from '../object/object.ts'
import type { Owned } from './declared-kinds.ts'
import type { Keep } from './kept-parent.ts'

/** Status fields that readiness reads, for any kind. */
const neverDropped = ['conditions', 'observedGeneration']

/**
 * Returns the transform for the children of a kind; undefined if they are cached whole. Throws an Error for fields that
 * cannot be left out.
 */
export function keepOfChild({ resource, dropStatus = [] }: Owned): Keep | undefined {
  if (dropStatus.length === 0) return undefined
  assert(
    !isBuiltIn(resource),
    `${resource.kind} is a built-in kind, whose readiness reads its status; leave dropStatus out`,
  )
  const read = dropStatus.find((field) => neverDropped.includes(field))
  assert(read === undefined, `dropStatus of ${resource.kind} names ${read}, which readiness reads; leave it out`)
  const dropped = new Set(dropStatus)
  return (child) => {
    const { status } = child
    if (!isJsonObject(status) || ownsStatus(child)) return child
    return { ...child, status: Object.fromEntries(Object.entries(status).filter(([field]) => !dropped.has(field))) }
  }
}

/** In a kind without a status subresource, `status` may be a declared field that the operator compares. */
function ownsStatus({ metadata: { managedFields = [] } }: LiveObject): boolean {
  return managedFields.some(
    ({ operation, subresource = '', fieldsV1 }) =>
      operation === 'Apply' && subresource === '' && fieldsV1 !== undefined && Object.hasOwn(fieldsV1, 'f:status'),
  )
}
