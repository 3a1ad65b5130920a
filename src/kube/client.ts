// Port to a Kubernetes API server, which every module uses; RestClient implements it over HTTP. Objects are wire JSON
// in both directions: a client drops, renames and defaults nothing.
import type { JsonObject } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'

/** Identity of an object within its kind. `namespace` is absent for cluster-scoped resources. */
export interface Location {
  readonly namespace?: string | undefined
  readonly name: string
}

/** Selection of objects of one kind, and the part of each object to read. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Reads only the metadata of each object, with the object's own apiVersion and kind. Default false. */
  readonly metadataOnly?: boolean | undefined
}

/** Options of a list: the selection, the version and the page. */
export interface ListOptions extends Selection {
  /** `''` reads the newest state, `'0'` any state, `'N'` a state not older than N. Default `''`. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact'
  /** Objects per page. Absent: all objects in one response. */
  readonly limit?: number
  readonly continueToken?: string
  /**
   * Runs before the client parses each item, which waits for the returned promise. A caller that reads many objects can
   * yield to other work here.
   */
  readonly beforeItem?: () => Promise<void> | undefined
}

export interface ListPage {
  readonly resourceVersion: string
  readonly items: readonly LiveObject[]
  /** Present while there are more pages. */
  readonly continueToken?: string
}

export interface WatchOptions extends Selection {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan'
  readonly sendInitialEvents?: boolean
  /** Seconds after which the server ends the stream. */
  readonly timeoutSeconds?: number
  /** Runs once, when the server has accepted the watch and before the first frame, which may come much later. */
  readonly onAnswered?: () => void
}

/** One line of a watch stream, as the server sends it. The client always requests bookmarks. */
export type WatchFrame =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: LiveObject }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  /** A Status object. The HTTP status of the response was 200. */
  | { readonly type: 'ERROR'; readonly object: JsonObject }

export interface WriteOptions {
  /** Field manager that owns the written fields (server-side apply). */
  readonly fieldManager: string
  readonly dryRun?: boolean
  /** `Strict` rejects unknown and duplicate fields. Default `Warn`, the default of the server. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers. Without it, a conflict rejects with a KubeError `Conflict`. */
  readonly force: boolean
  readonly subresource?: string
}

/** Body of a patch in one of the two JSON forms. */
export type Patch =
  /** JSON Merge Patch, RFC 7396. */
  | { readonly type: 'merge'; readonly body: JsonObject }
  /** JSON Patch, RFC 6902. */
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }

export interface CreateOptions extends WriteOptions {
  /** Subresource of an existing object that the call creates: `token` of a service account, `eviction` of a pod. */
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: string
}

export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string
}

export interface GetOptions {
  /** Subresource to read, e.g. `scale`. Absent: the object itself. */
  readonly subresource?: string
}

/** UID of the object as read, and its version if the call depends on it. */
export interface Preconditions {
  readonly uid: string
  readonly resourceVersion?: string
}

export interface DeleteOptions {
  /**
   * The runtime always names the UID of the object that it deletes (I5). Undefined, in calls of the author: deletes any
   * object of that name.
   */
  readonly preconditions: Preconditions | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /**
   * 0 removes a pod from storage at once. Only the node sends 0, when none of the pod's processes runs there any more.
   */
  readonly gracePeriodSeconds?: number
}

/** Options that apply to every selected object. */
export type DeleteCollectionOptions = Omit<DeleteOptions, 'preconditions'>

export interface ReadOptions {
  /** Media types, best first, as in the Accept header. Default `application/json`. */
  readonly accept?: string
}

/**
 * Calls reject with a KubeError if the server rejects the request or is unreachable, and with the signal's reason on
 * abort.
 */
export interface KubeClient {
  get(resource: Resource, location: Location, signal: AbortSignal, options?: GetOptions): Promise<LiveObject>
  /** Reads one page. */
  list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage>
  /**
   * Streams frames until the server ends the stream. Throws if the connection breaks. Leaving the loop closes the
   * connection.
   */
  watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame>
  create(resource: Resource, object: KubeObject, options: CreateOptions, signal: AbortSignal): Promise<LiveObject>
  /** Server-side apply; creates the object if it does not exist. */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<LiveObject>
  patch(
    resource: Resource,
    location: Location,
    patch: Patch,
    options: PatchOptions,
    signal: AbortSignal,
  ): Promise<LiveObject>
  /** PUT: replaces the object. Rejects with `Conflict` if the stored object has another `resourceVersion`. */
  update(resource: Resource, object: KubeObject, options: UpdateOptions, signal: AbortSignal): Promise<LiveObject>
  /** Resolves when the server has accepted the deletion. The object exists until its finalizers are removed. */
  delete(resource: Resource, location: Location, options: DeleteOptions, signal: AbortSignal): Promise<void>
  /** Deletes all selected objects by one request. If the request fails, the server may have deleted some of them. */
  deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void>
  /** GET of any other path, e.g. `/version`. Returns the JSON of the response. */
  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<JsonObject>
}
