// Kinds that a controller declares besides its own: owned, watched and read kinds.
import type { Json } from '../base/json.ts'
import type { LiveObject } from '../object/object.ts'
import type { Key } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'

/** Returns the keys of the resources that have `value` in the named index of `ControllerOptions.indexes`. */
export type IndexLookup = (index: string, value: string) => readonly Key[]

/**
 * A watched kind: its events reconcile the resources that `keysFor` returns.
 *
 * @example
 * { resource: Secret, metadataOnly: true, keysFor: ({ metadata }, lookup) => lookup('secret', metadata.name) }
 */
export interface Watch {
  readonly resource: Resource
  readonly labelSelector?: string
  /**
   * Namespaces in which objects are watched; a subset of the operator's namespaces. Default: those of the controller.
   */
  readonly namespaces?: readonly string[]
  /** Returns the keys of the resources that an event of this object reconciles. */
  keysFor(object: LiveObject, lookup: IndexLookup): readonly Key[]
  /** Named values of an object, for `live.byIndex` to look up. */
  readonly indexes?: Readonly<Record<string, (object: LiveObject) => readonly string[]>>
  /**
   * The relevant part of the object: changes elsewhere reconcile nothing. Default: the whole object except its version.
   */
  digest?(object: LiveObject): Json
  /** The part of each object to cache. Default: all except managedFields of other managers. */
  keep?(object: LiveObject): LiveObject
  /**
   * Reads and caches only the metadata of the objects, without managedFields. An unmanaged Secret can thus trigger a
   * reconcile while its content stays out of the cache. Every new resourceVersion counts as a change, unless `digest`
   * decides.
   * Reads of the kind go to the API server, and must be declared in `reads`. Default false.
   */
  readonly metadataOnly?: boolean
  /** True if `repair` may delete objects of this kind. `rightsOf` derives rights from it. Default false. */
  readonly repairMayDelete?: boolean
  /**
   * True if `desired` sets fields on objects of this kind with `contribute`. The operator then needs the right to patch
   * them. `keep` and `metadataOnly` must be absent, because the whole object is compared. Default false.
   */
  readonly contributes?: boolean
  /**
   * True if the kind may be missing, as in `Owned.optional`: without its CRD, no object of it is seen. Default false.
   */
  readonly optional?: boolean
}

/** A kind of children: `desired` declares objects of it. */
export interface Owned {
  readonly resource: Resource
  /**
   * True if the status function reads the status of the objects. If false, only a change of their readiness triggers a
   * reconcile. Default true.
   */
  readonly statusMatters?: boolean
  /**
   * True if the kind has a status. A custom kind with a status is ready by its condition Ready or Available; a kind
   * without one is ready when it exists. Built-in kinds are known. Default true.
   */
  readonly hasStatus?: boolean
  /**
   * Status fields that are not cached, e.g. `['nodes']`: large fields that nothing reads. Your functions and
   * `readyWhen` never see them, and their changes reconcile nothing. Only for custom kinds; `conditions` and
   * `observedGeneration` stay. Default: none.
   */
  readonly dropStatus?: readonly string[]
  /**
   * True if the kind may be missing. While its CRD is not installed, its declared objects are left out, their
   * dependents do not wait for them, and all other objects are applied. Installation of the CRD reconciles every
   * resource, without a restart.
   * A missing required kind stops every resource with reason `KindNotInstalled` until its CRD is installed. Default
   * false.
   */
  readonly optional?: boolean
}

/** A kind that the controller's own functions read from the API server. */
export interface Read {
  readonly resource: Resource
  /** Allows `list` besides `find`. Default false: the right to list Secrets is the right to read all of them. */
  readonly isListed?: boolean
}
