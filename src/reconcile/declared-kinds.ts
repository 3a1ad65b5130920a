// Kinds that a controller declares besides its own: kinds that it owns, watches and reads.
import type { Json } from '../base/json.ts'
import type { LiveObject } from '../object/object.ts'
import type { Key } from '../object/ref.ts'
import type { Resource } from '../object/resource.ts'

/** Keys of resources that have `value` in the named index of the definition. */
export type IndexLookup = (index: string, value: string) => readonly Key[]

export interface Watch {
  readonly resource: Resource
  readonly labelSelector?: string
  /** Namespaces in which objects are watched, of those of the operator. Default: those of the controller. */
  readonly namespaces?: readonly string[]
  /** Which resources an object of that kind concerns. */
  keysFor(object: LiveObject, lookup: IndexLookup): readonly Key[]
  /** Named values of an object, for `live.byIndex` to look up. */
  readonly indexes?: Readonly<Record<string, (object: LiveObject) => readonly string[]>>
  /** The part that matters; a change elsewhere in the object wakes nobody. Default: all of it but its version. */
  digest?(object: LiveObject): Json
  /** What to keep in memory of each object. Default: all but foreign managedFields. */
  keep?(object: LiveObject): LiveObject
  /**
   * Is only the metadata of the objects asked for and held, without managedFields? So a foreign Secret may wake a resource
   * while nothing of what is in it enters memory. Every new resourceVersion counts as a change, unless `digest` says what
   * does; reads of the kind go to the API server, and have to be declared in `reads`. Default false.
   */
  readonly metadataOnly?: boolean
  /** May `repair` delete objects of this kind? Said here, so that rights can be derived from the definition. Default false. */
  readonly repairMayDelete?: boolean
  /**
   * Does `desired` set fields on objects of this kind, with `contribute`? Then the operator needs the right to patch them,
   * and `keep` and `metadataOnly` must be absent: all of the object is compared. Default false.
   */
  readonly contributes?: boolean
  /** May the kind be missing? As `Owned.optional`: without its CRD no object of it is seen. Default false. */
  readonly optional?: boolean
}

/** A kind whose objects the constructs make. */
export interface Owned {
  readonly resource: Resource
  /** Does the status function look at its status? If not, only its becoming ready or unready wakes. Default true. */
  readonly statusMatters?: boolean
  /**
   * Does the kind have a status at all? A custom kind that has one is ready by its condition Ready or Available; one that
   * has none is ready when it exists. Built-in kinds are known. Default true.
   */
  readonly hasStatus?: boolean
  /**
   * Fields of the status that memory does not hold, e.g. `['nodes']`: large ones that nothing reads. Your functions and `readyWhen` never see them, and a change of
   * them reconciles nothing. For custom kinds; `conditions` and `observedGeneration` stay. Default: none.
   */
  readonly dropStatus?: readonly string[]
  /**
   * May the kind be missing? While its CRD is not installed, objects of it that `desired` declares are left out, what depends on
   * them does not wait, and everything else is applied. Installing the CRD reconciles every resource, without a restart. A missing
   * kind that is not optional stops every resource with reason `KindNotInstalled` until its CRD is installed. Default false.
   */
  readonly optional?: boolean
}

/** A kind that the controller's own functions read from the API server. */
export interface Read {
  readonly resource: Resource
  /** By `list` too, rather than by `find` alone? Default false: who may list Secrets may read them all. */
  readonly isListed?: boolean
}
