// Definition of a controller: `observe` (facts) → `desired` (constructs) → `status`. Only `observe` may read the world.
// The other two are pure, so preview, diff and graph need no cluster.
import type { Chart } from 'cdk8s'
import type { FieldValidation } from '../apply/apply-runner.ts'
import type { BackoffPolicy } from '../base/backoff.ts'
import type { SecretSource } from '../base/random.ts'
import type { TokenBucketLimit } from '../base/token-bucket.ts'
import type { ExternalReport } from '../external/external.ts'
import type { OperatorClient } from '../kube/operator-client.ts'
import type { ConditionClaim } from '../object/condition.ts'
import { controllerNameOf } from '../object/identity.ts'
import type { KubeObject, LiveObject, StatusWithConditions } from '../object/object.ts'
import { groupResourceOf, isOf, type Resource } from '../object/resource.ts'
import type { Right } from '../object/right.ts'
import type { SagaReport } from '../saga/saga.ts'
import type { Role } from '../synth/draft.ts'
import type { Declared } from '../synth/plain-object.ts'
import type { EventReport, LiveReader } from './context.ts'
import type { Owned, Read, Watch } from './declared-kinds.ts'
import type { ResourceEvent } from './events-runner.ts'
import type { External } from './external-definition.ts'
import { type Keep, keepOf } from './kept-parent.ts'
import { assertOptionsFit } from './option-rules.ts'
import type { Child, Outcome } from './outcome.ts'
import type { ParentOf } from './parent.ts'
import type { Repair } from './repair.ts'
import type { Saga } from './saga-definition.ts'
import type { StatusReport } from './status.ts'

/** Input of `observe` and `observePaused`. */
export interface ObserveContext<Spec, Status> {
  readonly object: ParentOf<Spec, Status>
  /** Children of earlier reconciles, from the cache. */
  readonly children: readonly LiveObject[]
  /** Wall clock of the reconcile, milliseconds since the epoch. Constructs must not see it. */
  readonly nowMs: number
  /** Reads kinds that are watched with their content from the cache, others from the API server. */
  readonly live: LiveReader
  /**
   * True if the API server serves a kind of `owns` or `watches`. Only optional kinds can be missing before a deletion.
   * A change reconciles every resource. Return it as a fact if `desired` or `status` depends on it.
   */
  readonly isAvailable: (resource: Resource) => boolean
  /**
   * Randomness for passwords and salts. Store what you draw in the cluster, or the next reconcile draws another value.
   */
  readonly secrets: SecretSource
  /**
   * External resources after the last reconcile of this process; empty after a restart. If a reconcile changes them,
   * another one follows at once.
   */
  readonly externals: readonly ExternalReport[]
  /**
   * State of each declared saga by its journal entry. Facts, and thereby children, may depend on the current step. When
   * a reconcile changes an entry, another one follows at once.
   */
  readonly sagas: readonly SagaReport[]
  readonly signal: AbortSignal
}

/** Input of `validate` and `preDelete`. */
export interface ResourceContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  readonly facts: Facts
}

/** Input of `desired`. */
export interface DesiredContext<Spec, Facts> {
  /**
   * Without status and resourceVersion, because the result of `desired` is memoized. Return what depends on the status
   * as a fact of `observe`.
   */
  readonly object: ParentOf<Spec, never>
  readonly facts: Facts
}

/** Input of `status`. */
export interface StatusContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  /** Undefined when `observe` failed. */
  readonly facts: Facts | undefined
  readonly children: readonly Child[]
  /** State of each declared External, in the order of declaration. */
  readonly externals: readonly ExternalReport[]
  /** State of each declared saga, in the order of declaration. */
  readonly sagas: readonly SagaReport[]
  readonly outcome: Outcome
}

/** Input of `repair`. */
export interface RepairContext<Spec, Status, Facts> extends ResourceContext<Spec, Status, Facts> {
  /** The children as this reconcile applied or read them. */
  readonly children: readonly Child[]
}

/** Input of `cleanup`. */
export interface CleanupContext<Spec, Status> extends ObserveContext<Spec, Status> {
  readonly report: (event: EventReport) => void
  /** Reads and writes as the field manager `<operator>-client:<controller>`; ends with `signal`. Needs `rights`. */
  readonly client: OperatorClient
}

/** Result of `cleanup`: done, or a sentence about what it waits for. */
export type CleanupResult =
  | { readonly kind: 'done' }
  /** `repair` names an object to delete first, as for a resource that is not being deleted. */
  | { readonly kind: 'waiting'; readonly on: string; readonly repair?: Repair | undefined }

/** Reason why the spec cannot work: the resource is Degraded until its spec or a watched input changes. */
export interface InvalidSpec {
  /** One CamelCase word. Default `InvalidSpec`. */
  readonly reason?: string
  readonly message: string
}

/** Limits of the controller's own functions and of a whole reconcile, in milliseconds. */
export interface ReconcileLimits {
  /** A call of `observe` or `observePaused`. Default: 60 s. */
  readonly observeMs: number
  /** A call of `cleanup`. Return `waiting` for longer work. Default: 120 s. */
  readonly cleanupMs: number
  /** A whole reconcile, with all requests and effects. Default: 300 s. */
  readonly reconcileMs: number
}

/** Options of `defineController`. Only `owns` and `desired` are required. */
export interface ControllerOptions<Spec, Status, Facts> {
  /**
   * Names one of several controllers of a kind, e.g. `audit`: at most 19 of a-z, 0-9 and '-'. It has its own finalizer,
   * inventory, children and conditions, such as `AuditReady`. Only the one controller without a name may have
   * `external`, `sagas` and children in other namespaces. Never change it. Default: none.
   */
  readonly name?: string
  /** Every kind that `desired` can declare. */
  readonly owns: readonly (Resource | Owned)[]
  readonly watches?: readonly Watch[]
  /**
   * Connection in `clusters` of `runOperator` that leads to the cluster of all children. The resources, and what
   * `watches`, `live` and `reads` show, are in the operator's own cluster. The CRD needs the list `status.inventory`,
   * see docs/multi-cluster.md. Default: the operator's own cluster.
   */
  readonly childrenIn?: string
  /**
   * Kinds that `observe` and `cleanup` read and that are neither owned nor cached by `watches`. An undeclared read is
   * rejected: the operator's roles follow from the declarations.
   */
  readonly reads?: readonly (Resource | Read)[]
  /** Rights that `cleanup` needs for its client, for `rightsOf`; `observe` may read these kinds too. Default: none. */
  readonly rights?: readonly Right[]
  /** Kinds that earlier versions of the controller created. Their remaining children are pruned, given the right. */
  readonly retired?: readonly Resource[]
  /**
   * `false`: the operator writes only the status of a resource, no finalizer, label or annotation. The garbage
   * collector deletes its children, in no order. Excludes `cleanup`, `preDelete`, `external`, `sagas`, `childrenIn`, and
   * children in other namespaces (`FinalizerNeeded`). Kinds that leave `owns` are pruned only if they are in `retired`.
   * Default: true.
   */
  readonly finalizer?: boolean
  /**
   * External resources of a resource, reconciled in this order after the children, and removed in reverse before them.
   * The CRD needs the list `status.external`.
   */
  readonly external?: readonly External<Spec, Status, Facts>[]
  /**
   * Sagas of a resource, run after its external resources. On deletion they end first. The CRD needs the list
   * `status.sagas`.
   */
  readonly sagas?: readonly Saga<Spec, Status, Facts>[]
  /**
   * At a limit the function's signal aborts, and a second later the reconcile continues without it. It is retried, and
   * the resource is Degraded with the reason `ObserveTimeout`, `CleanupTimeout` or `ReconcileTimeout`. While a cleanup
   * ignores its signal, no other cleanup of the resource begins; of `observe`, at most three calls run.
   */
  readonly limits?: Partial<ReconcileLimits>
  /**
   * Unknown fields of children. `Strict`: the child is Degraded with reason `UnknownField`. `Warn`: the child is
   * applied without them, and an Event names them, for clusters of several versions. Default: `Strict`.
   */
  readonly fieldValidation?: FieldValidation
  /** Concurrent reconciles. Default: that of the operator, 10. */
  readonly maxConcurrent?: number
  /** Reconciles per second, and burst, besides the rate that all controllers share. Default: no limit. */
  readonly reconcileRate?: TokenBucketLimit
  /** Delays between the retries of one resource. Default: that of the operator, 5 s to 300 s. */
  readonly backoff?: BackoffPolicy
  /**
   * Namespaces of resources and their children; a subset of the operator's. Children in other namespaces are read from
   * the API server. Default: the namespaces of the operator.
   */
  readonly namespaces?: readonly string[]
  /**
   * Returns the part of a resource to cache; every function of the controller sees it with metadata and status. If it
   * throws, the whole resource is cached. Default: all except managedFields of other managers.
   */
  keep?(object: LiveObject): LiveObject
  /**
   * Reads and caches only the metadata of resources. Excludes `status`, `external`, `sagas` and children in other
   * namespaces, which are recorded in the status. Default: false.
   */
  readonly metadataOnly?: boolean
  /**
   * Selects resources, besides the operator's selector. A resource that stops matching keeps its finalizer, unmanaged.
   */
  readonly labelSelector?: string
  /** Selects by fields, as `spec.class=fast`, that the CRD declares in `selectableFields`. */
  readonly fieldSelector?: string
  /** Interval of the resync in milliseconds, plus up to a tenth: corrects drift without an event. Default: never. */
  readonly resyncMs?: number
  /**
   * Condition types that need attention while True, e.g. `Overdue`. At most 1,000 resources with such a condition, not
   * Ready, or with Degraded, Stalled or Paused have their own series `resource_condition`; `resource_conditions` counts
   * all.
   */
  readonly abnormalConditions?: readonly string[]
  /** Named values of a resource, for `Watch.keysFor` to look up. */
  readonly indexes?: Readonly<Record<string, (object: ParentOf<Spec, Status>) => readonly string[]>>
  /** True suspends the resource, as the annotation konverge.dev/paused does. For kinds with `spec.suspend`. */
  isSuspended?(object: ParentOf<Spec, Status>): boolean
  /**
   * Events from outside the cluster: each yielded resource is reconciled. Runs while this process works the controller,
   * as leader if there is an election. It is called again 5 s to 5 min after a failure, and not after it returns. An
   * event for a resource of another process is dropped. With `sharding: { kind: 'hash' }` every member must receive
   * every event, so a queue with competing consumers does not work.
   *
   * @example
   * async *events(signal) {
   *   for await (const { name } of subscribe('orders', { signal })) yield { namespace: 'shop', name }
   * }
   */
  events?(signal: AbortSignal): AsyncIterable<ResourceEvent>
  /** Reads facts for `desired` and `status`. Default: no facts. */
  observe?(context: ObserveContext<Spec, Status>): Promise<Facts>
  /**
   * Conditions of a paused or suspended resource that others have changed meanwhile, such as a withdrawn consent; the
   * other conditions stay. If they contain Ready, Degraded and Stalled also come from them. Called when an event
   * triggers the resource. Default: none.
   */
  observePaused?(context: ObserveContext<Spec, Status>): Promise<readonly ConditionClaim[]>
  /** Returns the reason why the spec cannot work, before anything is applied. Pure. */
  validate?(context: ResourceContext<Spec, Status, Facts>): InvalidSpec | undefined
  /**
   * Declares all desired objects: adds constructs to the chart, returns plain objects, or both. Pure and synchronous.
   *
   * @example
   * desired: (_, { object: { metadata: { name }, spec } }) =>
   *   [objectOf(ConfigMap, { metadata: { name }, data: spec.pages })]
   */
  desired(chart: Chart, context: DesiredContext<Spec, Facts>): Declared
  /**
   * Declares children that run before the deletion of a resource and its external resources proceeds, after its sagas
   * have ended. Other children are pruned. The deletion proceeds when it declares nothing, which must follow from
   * stored state: a status that says that the work is done. `object` has its status, unlike in `desired`. It waits while
   * `observe` fails. Children that a terminating namespace rejects delay nothing.
   *
   * @example
   * preDelete: (_, { object: { metadata, status } }) =>
   *   status?.isEmptied ? [] : [objectOf(Job, { metadata: { name: `${metadata.name}-empty` }, spec: emptying })],
   */
  preDelete?(chart: Chart, context: ResourceContext<Spec, Status, Facts>): Declared
  /** Names at most one object to delete because it blocks the children; called after a successful apply. Pure. */
  repair?(context: RepairContext<Spec, Status, Facts>): Repair | undefined
  /**
   * Returns the status to write. Leave it out for built-in kinds and CRDs without `subresources.status`: Events and the
   * metric `resource_condition` then report the conditions, which a restart loses.
   */
  status?(context: StatusContext<Spec, Status, Facts>): StatusReport<Status>
  /** Runs after the ordered children and before the finalizer is removed; must be safe to repeat. */
  cleanup?(context: CleanupContext<Spec, Status>): Promise<CleanupResult>
}

/** Definition of a controller in the form of the runtime, from `defineController`: `owns` in one form, types erased. */
export interface Controller {
  /** `replicatedkvstores.data.konverge.dev`, or with a name `replicatedkvstores.data.konverge.dev_audit`. */
  readonly name: string
  /** Name among the controllers of the kind. */
  readonly part: string | undefined
  readonly resource: Resource
  /** True if the controller writes a status. */
  readonly hasStatus: boolean
  readonly owns: readonly Required<Owned>[]
  readonly childrenIn: string | undefined
  readonly watches: readonly Watch[]
  readonly reads: readonly Required<Read>[]
  readonly rights: readonly Right[]
  readonly retired: readonly Resource[]
  readonly finalizer: boolean
  readonly external: readonly External<unknown, unknown, unknown>[]
  readonly sagas: readonly Saga<unknown, unknown, unknown>[]
  readonly indexes: Readonly<Record<string, (object: LiveObject) => readonly string[]>>
  readonly limits: ReconcileLimits
  readonly fieldValidation: FieldValidation
  readonly maxConcurrent: number | undefined
  readonly reconcileRate: TokenBucketLimit | undefined
  readonly backoff: BackoffPolicy | undefined
  readonly namespaces: readonly string[] | undefined
  readonly keep: Keep | undefined
  readonly metadataOnly: boolean
  readonly labelSelector: string | undefined
  readonly fieldSelector: string | undefined
  readonly resyncMs: number | undefined
  readonly abnormalConditions: readonly string[]
  isSuspended(object: LiveObject): boolean
  readonly events: ((signal: AbortSignal) => AsyncIterable<ResourceEvent>) | undefined
  observe(context: ObserveContext<unknown, unknown>): Promise<unknown>
  observePaused(context: ObserveContext<unknown, unknown>): Promise<readonly ConditionClaim[]>
  validate(context: ResourceContext<unknown, unknown, unknown>): InvalidSpec | undefined
  /** Reads neither the status nor the resourceVersion. */
  desired(chart: Chart, context: ResourceContext<unknown, unknown, unknown>): Declared
  readonly preDelete: ((chart: Chart, context: ResourceContext<unknown, unknown, unknown>) => Declared) | undefined
  repair(context: RepairContext<unknown, unknown, unknown>): Repair | undefined
  status(context: StatusContext<unknown, unknown, unknown>): StatusReport<StatusWithConditions>
  cleanup(context: CleanupContext<unknown, unknown>): Promise<CleanupResult>
}

const defaultLimits: ReconcileLimits = { observeMs: 60_000, cleanupMs: 120_000, reconcileMs: 300_000 }

const ownedDefaults = { statusMatters: true, hasStatus: true, dropStatus: [], optional: false }

/**
 * Declares the controller of one kind. Throws an Error that names the option if options contradict each other.
 *
 * @example
 * export const website = defineController(Website, {
 *   owns: [Deployment, Service],
 *   desired: (chart, { object }) => { new Site(chart, 'site', object.spec) },
 *   status: ({ children }) => ({ fields: { children: children.length }, conditions: [] }),
 * })
 */
export function defineController<Spec, Status = unknown, Facts = undefined>(
  resource: Resource<Spec, Status>,
  options: ControllerOptions<Spec, Status, Facts>,
): Controller {
  const limits = Object.freeze({ ...defaultLimits, ...options.limits })
  // The types are erased here, once: a controller gets only objects of its own resource and facts of its `observe`.
  const erased = options as unknown as ControllerOptions<unknown, StatusWithConditions, unknown>
  assertOptionsFit(resource, { ...erased, limits })
  return Object.freeze({
    name: controllerNameOf(groupResourceOf(resource), options.name),
    part: options.name,
    resource,
    hasStatus: erased.status !== undefined,
    owns: erased.owns.map((owned) =>
      'resource' in owned ? { ...ownedDefaults, ...owned } : { ...ownedDefaults, resource: owned },
    ),
    childrenIn: options.childrenIn,
    watches: erased.watches ?? [],
    reads: (erased.reads ?? []).map((read) =>
      'resource' in read ? { isListed: false, ...read } : { isListed: false, resource: read },
    ),
    rights: erased.rights ?? [],
    retired: erased.retired ?? [],
    finalizer: erased.finalizer ?? true,
    external: erased.external ?? [],
    sagas: erased.sagas ?? [],
    limits,
    fieldValidation: options.fieldValidation ?? 'Strict',
    maxConcurrent: options.maxConcurrent,
    reconcileRate: options.reconcileRate,
    backoff: options.backoff,
    namespaces: options.namespaces,
    keep: keepOf(erased),
    metadataOnly: options.metadataOnly ?? false,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resyncMs: options.resyncMs,
    abnormalConditions: options.abnormalConditions ?? [],
    indexes: (erased.indexes ?? {}) as Controller['indexes'],
    events: erased.events?.bind(erased),
    isSuspended: (object) => erased.isSuspended?.(object as never) ?? false,
    observe: (context) => erased.observe?.(context as never) ?? Promise.resolve(undefined),
    observePaused: (context) => erased.observePaused?.(context as never) ?? Promise.resolve([]),
    validate: (context) => erased.validate?.(context as never),
    desired: (chart, context) => erased.desired(chart, context as never),
    preDelete: erased.preDelete && ((chart, context) => erased.preDelete?.(chart, context as never)),
    repair: (context) => erased.repair?.(context as never),
    status: (context) => erased.status?.(context as never) ?? { fields: {}, conditions: [] },
    cleanup: (context) => erased.cleanup?.(context as never) ?? Promise.resolve({ kind: 'done' }),
  } satisfies Controller)
}

/** The resource of a contributed object: one of `watches`, or the controller's own if it contributes to itself. */
export function contributedResource(
  controller: Controller,
  object: Pick<KubeObject, 'apiVersion' | 'kind'>,
): Resource | undefined {
  const { resource } = controller
  return resourceIn(controller, object, 'contribution') ?? (isOf(resource, object) ? resource : undefined)
}

/** The resource of a declared object; undefined if the controller neither owns nor watches the kind. */
export function resourceIn(
  { owns, watches }: Controller,
  object: Pick<KubeObject, 'apiVersion' | 'kind'>,
  role: Role,
): Resource | undefined {
  const held = role === 'child' ? owns : watches.filter(({ contributes }) => contributes === true)
  return held.find(({ resource }) => isOf(resource, object))?.resource
}
