// Controllers with `finalizer: false`. Invariants: only the status is written on their resources. Every child that is
// not retained has an owner reference, so that the garbage collector can delete it. Pure.
import { isRemote } from '../apply/remote-children.ts'
import { assert } from '../base/assert.ts'
import { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'

interface Options {
  readonly finalizer?: boolean
  readonly cleanup?: unknown
  readonly preDelete?: unknown
  readonly external?: readonly unknown[]
  readonly sagas?: readonly unknown[]
  readonly childrenIn?: string
}

/** Throws an Error for an option that acts on deletion, because it needs the finalizer. */
export function assertFinalizerFits({ kind }: Resource, options: Options): void {
  if (options.finalizer !== false) return
  const { cleanup, preDelete, external = [], sagas = [], childrenIn } = options
  const needs = [
    ...(cleanup === undefined ? [] : ['cleanup']),
    ...(preDelete === undefined ? [] : ['preDelete']),
    ...(external.length === 0 ? [] : ['external']),
    ...(sagas.length === 0 ? [] : ['sagas']),
    ...(childrenIn === undefined ? [] : ['childrenIn']),
  ].join(', ')
  assert(needs === '', `the controller of ${kind} has finalizer: false and ${needs}, which needs one; leave out either`)
}

/** Throws a CodedError `FinalizerNeeded` for a child outside of the namespace of its parent, or with several owners. */
export function assertCollectable(
  { finalizer, name }: { readonly finalizer: boolean; readonly name: string },
  parent: LiveObject,
  desired: readonly DesiredObject[],
): void {
  if (finalizer) return
  for (const { object, policies } of desired) {
    const isElsewhere = !policies.contribute && isRemote(object, parent)
    if (!isElsewhere && !policies.coOwn) continue
    const why = isElsewhere
      ? 'is outside of the namespace of the resource, so only a finalizer can delete it'
      : 'has several owners, so only a finalizer can remove the part of one'
    const message = `${describeRef(refOf(object))} ${why}; remove finalizer: false from the controller ${name}, or declare no such child`
    throw new CodedError({ code: 'FinalizerNeeded', message, remedy: 'stop' })
  }
}
