// Rules for a controller whose children are in another cluster than its resources. Pure.
import { assert } from '../base/assert.ts'
import type { Resource } from '../object/resource.ts'

interface Declaration {
  readonly name?: string
  readonly childrenIn?: string
  readonly status?: unknown
  readonly watches?: readonly { readonly contributes?: boolean }[]
}

export function assertElsewhere({ kind }: Resource, { name, childrenIn, status, watches = [] }: Declaration): void {
  if (childrenIn === undefined) return
  assert(
    name === undefined,
    `the controller '${name}' of ${kind} has childrenIn, and only the controller without a name can record children in another cluster; move them there`,
  )
  assert(
    status !== undefined,
    `children of ${kind} in cluster ${childrenIn} are recorded in its status; give the controller a status`,
  )
  assert(
    watches.every(({ contributes }) => contributes !== true),
    `a controller with childrenIn contributes to no object; leave contributes out of the watches of ${kind}`,
  )
}
