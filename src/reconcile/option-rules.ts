// Rules of a controller's options: mutual exclusions and ranges of numbers. An error appears where the author defines
// the controller. Pure.
import { assert } from '../base/assert.ts'
import { assertBackoff, type BackoffPolicy } from '../base/backoff.ts'
import { assertRate, type TokenBucketLimit } from '../base/token-bucket.ts'
import { isBuiltIn } from '../object/built-in.ts'
import type { Resource } from '../object/resource.ts'
import { assertElsewhere } from './children-elsewhere.ts'
import type { Owned, Watch } from './declared-kinds.ts'
import { keepOfChild } from './kept-child.ts'
import { assertFinalizerFits } from './without-finalizer.ts'

/** Options of a controller that have a rule, without defaults. */
interface Options {
  readonly name?: string
  readonly namespaces?: readonly string[]
  readonly status?: unknown
  readonly external?: readonly unknown[]
  readonly sagas?: readonly unknown[]
  readonly cleanup?: unknown
  readonly preDelete?: unknown
  readonly finalizer?: boolean
  readonly childrenIn?: string
  readonly owns?: readonly (Resource | Owned)[]
  readonly watches?: readonly Pick<Watch, 'resource' | 'contributes' | 'keep' | 'metadataOnly'>[]
  readonly maxConcurrent?: number
  readonly resyncMs?: number
  readonly reconcileRate?: TokenBucketLimit
  readonly backoff?: BackoffPolicy
  readonly limits: { readonly [name: string]: number }
}

/** Throws an Error that names the option and the correction. */
export function assertOptionsFit(resource: Resource, options: Options): void {
  assertNumbers(options)
  assertWatchesFit(options)
  for (const owned of options.owns ?? []) if ('resource' in owned) keepOfChild(owned)
  assertElsewhere(resource, options)
  assertStatusFits(resource, options)
  assertPartFits(resource, options)
  assertFinalizerFits(resource, options)
  assertNamespacesFit(resource, options)
}

function assertNumbers({ maxConcurrent = 1, resyncMs = 1, reconcileRate, backoff, limits }: Options): void {
  assert(
    Number.isInteger(maxConcurrent) && maxConcurrent > 0,
    `maxConcurrent is a positive number, and not ${maxConcurrent}`,
  )
  assert(
    Number.isFinite(resyncMs) && resyncMs > 0,
    `resyncMs is a positive number of milliseconds, and not ${resyncMs}`,
  )
  if (reconcileRate !== undefined) assertRate(reconcileRate)
  if (backoff !== undefined) assertBackoff(backoff)
  for (const [name, ms] of Object.entries(limits)) {
    assert(Number.isFinite(ms) && ms > 0, `limits.${name} is a positive number of milliseconds, and not ${ms}`)
  }
}

function assertWatchesFit({ watches = [] }: Options): void {
  const trimmed = watches.find(
    ({ contributes, keep, metadataOnly }) => contributes === true && (keep !== undefined || metadataOnly === true),
  )
  const kept = trimmed?.resource.kind
  assert(
    kept === undefined,
    `the watch of ${kept} contributes, so it needs whole objects; leave keep and metadataOnly out`,
  )
}

function assertNamespacesFit({ kind, scope }: Resource, { namespaces }: Options): void {
  assert(namespaces?.length !== 0, `the controller of ${kind} names at least one namespace, or leaves namespaces out`)
  assert(
    namespaces === undefined || scope === 'Namespaced',
    `${kind} is cluster-scoped, so namespaces select none; leave namespaces out`,
  )
}

function assertStatusFits({ kind, group }: Resource, { status, external = [], sagas = [] }: Options): void {
  assert(
    status === undefined || !isBuiltIn({ group }),
    `the status of ${kind} belongs to Kubernetes; leave status out: Events and metrics report the conditions`,
  )
  assert(
    status !== undefined || external.length + sagas.length === 0,
    `external and sagas of ${kind} are recorded in its status; give the controller a status, or declare a kind of your own for them`,
  )
}

function assertPartFits({ kind }: Resource, { name, external = [], sagas = [] }: Options): void {
  assert(
    name === undefined || external.length + sagas.length === 0,
    `the controller '${name}' of ${kind} has external or sagas, which only the controller without a name can record; move them there`,
  )
}
