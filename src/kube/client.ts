// What can one ask of a Kubernetes API server? The port that every room speaks; RestClient is the implementation over
// HTTP. Objects go in and come out as wire JSON: nothing is dropped, renamed or defaulted on this side.
import type { JsonObject } from '../base/json.ts'
import type { JsonPatchOperation } from '../base/json-patch.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'

/** Where an object is. `namespace` is absent for cluster-scoped resources. */
export interface Location {
  readonly namespace?: string | undefined
  readonly name: string
}

/** Which objects of a kind are read, and how much of each. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Of each object only its metadata is sent and given, under its own apiVersion and kind. Default false. */
  readonly metadataOnly?: boolean | undefined
}

export interface ListOptions extends Selection {
  /** `''` asks for the newest state, `'0'` for any, `'N'` for one not older than N. Default `''`. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact'
  /** Page size; absent: everything in one answer. */
  readonly limit?: number
  readonly continueToken?: string
  /** Called before each item is parsed, which waits for its answer: who reads many may give other work its turn. */
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
  /** The server ends the stream after this many seconds. */
  readonly timeoutSeconds?: number
  /** Called once, when the server has said that it watches and before the first frame, which may be long in coming. */
  readonly onAnswered?: () => void
}

/** One line of a watch stream, as sent. Bookmarks are always asked for. */
export type WatchFrame =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: LiveObject }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  /** A Status object; the answer's HTTP code was 200 all the same. */
  | { readonly type: 'ERROR'; readonly object: JsonObject }

export interface WriteOptions {
  /** Who owns the written fields, in the sense of server-side apply. */
  readonly fieldManager: string
  readonly dryRun?: boolean
  /** `Strict` refuses unknown and duplicate fields; default `Warn`, as the server's. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers; without it a conflict is an error of code `Conflict`. */
  readonly force: boolean
  readonly subresource?: string
}

export type Patch =
  /** RFC 7396. */
  | { readonly type: 'merge'; readonly body: JsonObject }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }

export interface CreateOptions extends WriteOptions {
  /** What is made of an object that exists and is named: a service account's `token`, a pod's `eviction`. */
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: string
}

export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string
}

export interface GetOptions {
  /** `scale`, for one; absent: the object itself. */
  readonly subresource?: string
}

/** The object as it was read, and the version if that counts. */
export interface Preconditions {
  readonly uid: string
  readonly resourceVersion?: string
}

export interface DeleteOptions {
  /** Every delete of the runtime names the very object it means (I5); undefined, the author's own, deletes whatever bears the name. */
  readonly preconditions: Preconditions | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /** 0 takes a pod out of the store at once: the word of the node on which none of its processes runs any more. */
  readonly gracePeriodSeconds?: number
}

/** Of every object that is selected. */
export type DeleteCollectionOptions = Omit<DeleteOptions, 'preconditions'>

export interface ReadOptions {
  /** Media types, best first, as in the Accept header. Default `application/json`; who does not know better sends that. */
  readonly accept?: string
}

/** Every call rejects with a KubeError when the server refuses or cannot be reached, and with the signal's reason when aborted. */
export interface KubeClient {
  get(resource: Resource, location: Location, signal: AbortSignal, options?: GetOptions): Promise<LiveObject>
  /** One page. */
  list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage>
  /** Ends when the server ends the stream; a broken connection throws. Returning early closes the connection. */
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
  /** PUT: replaces the object. Rejects with `Conflict` if it has another `resourceVersion` by now. */
  update(resource: Resource, object: KubeObject, options: UpdateOptions, signal: AbortSignal): Promise<LiveObject>
  /** Resolves when the server accepted; the object may live on while finalizers hold it. */
  delete(resource: Resource, location: Location, options: DeleteOptions, signal: AbortSignal): Promise<void>
  /** One request for all objects that are selected. Of one that fails, the server has deleted a part. */
  deleteCollection(
    resource: Resource,
    selection: Selection,
    options: DeleteCollectionOptions,
    signal: AbortSignal,
  ): Promise<void>
  /** GET of any other path, e.g. `/version`; the answer's JSON. */
  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<JsonObject>
}
