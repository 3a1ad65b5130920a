// What does somebody say to get a controller? Three functions, of which only `observe` may look at the world: `observe` (facts)
// → `desired` (constructs) → `status` (what to tell). The other two are pure, so preview, diff and graph need no cluster.
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

export interface ObserveContext<Spec, Status> {
  readonly object: ParentOf<Spec, Status>
  /** What earlier turns made, as memory has it: read at no cost. */
  readonly children: readonly LiveObject[]
  /** Wall clock of the turn, milliseconds since the epoch: for facts that have an age. Constructs must not see it. */
  readonly nowMs: number
  /** Kinds that are watched with their content are read from memory, others from the API server. */
  readonly live: LiveReader
  /**
   * Says whether the API server serves a kind of `owns` or `watches`. Only an optional kind can be missing while a resource is not being
   * deleted; a change reconciles every resource. Return it as a fact where `desired` or `status` go by it.
   */
  readonly isAvailable: (resource: Resource) => boolean
  /** For passwords and salts; what is drawn must be kept in the cluster, or the next turn draws another. */
  readonly secrets: SecretSource
  /**
   * How the last turn of this process left the things outside; empty after a restart. When a turn leaves them otherwise than
   * its `observe` was told, another follows at once.
   */
  readonly externals: readonly ExternalReport[]
  /**
   * How it stands with the sagas by their records, one report for each that is declared: so facts, and by them the children, may go by
   * the step that is due. What a turn makes of a record is seen by the next, which follows at once.
   */
  readonly sagas: readonly SagaReport[]
  readonly signal: AbortSignal
}

/** For `refuse` and `parting`. */
export interface ResourceContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  readonly facts: Facts
}

/** For `desired`. */
export interface DesiredContext<Spec, Facts> {
  /**
   * Without its status and its resourceVersion, which change without a change of what is declared: the result of `desired` is remembered. Return what
   * depends on the status as a fact of `observe`.
   */
  readonly object: ParentOf<Spec, never>
  readonly facts: Facts
}

export interface StatusContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  /** Absent when `observe` failed. */
  readonly facts: Facts | undefined
  readonly children: readonly Child[]
  /** How it stands with the things outside, one report for each declared External, in the order of declaration. */
  readonly externals: readonly ExternalReport[]
  /** How it stands with the sagas, one report for each that is declared, in the order of declaration. */
  readonly sagas: readonly SagaReport[]
  readonly outcome: Outcome
}

export interface RepairContext<Spec, Status, Facts> extends ResourceContext<Spec, Status, Facts> {
  /** The children as this turn applied or found them. */
  readonly children: readonly Child[]
}

export interface CleanupContext<Spec, Status> extends ObserveContext<Spec, Status> {
  readonly report: (event: EventReport) => void
  /** For reads and writes of the author's own, as the field manager `<operator>-client:<controller>`; ends with `signal`. Declare in `rights` what it does. */
  readonly client: OperatorClient
}

export type CleanupResult =
  | { readonly kind: 'done' }
  /** `repair` names an object that has to go first, as it names one for a resource that stays. */
  | { readonly kind: 'waiting'; readonly on: string; readonly repair?: Repair | undefined }

/** A sentence that says why the spec cannot work; shown as Degraded, and not retried until the spec or a watched input changes. */
export interface Refusal {
  /** One CamelCase word. Default `InvalidSpec`. */
  readonly reason?: string
  readonly message: string
}

/** What the controller's own functions and a whole reconcile may take, in milliseconds. */
export interface ReconcileLimits {
  /** A call of `observe` or `observePaused`. Default: 60 s. */
  readonly observeMs: number
  /** A call of `cleanup`. What takes longer returns `waiting` meanwhile. Default: 120 s. */
  readonly cleanupMs: number
  /** A whole reconcile, with all requests and effects. Default: 300 s. */
  readonly reconcileMs: number
}

export interface ControllerOptions<Spec, Status, Facts> {
  /**
   * Names one of several controllers of a kind, e.g. `audit`: at most 19 of a-z, 0-9 and '-'. It has a finalizer, an inventory, children and
   * conditions of its own: Ready is `AuditReady`, and so on. `external`, `sagas` and children in other namespaces are for the controller
   * without a name, of which a kind has one at most. Do not change it later. Default: none.
   */
  readonly name?: string
  /** Every kind that `desired` can make. */
  readonly owns: readonly (Resource | Owned)[]
  readonly watches?: readonly Watch[]
  /**
   * The cluster of all children, by the name of a connection in `clusters` of `runOperator`. The resources, and what `watches`, `live` and
   * `reads` show, are in the operator's own cluster. The CRD has a list `status.inventory` for the children, see docs/multi-cluster.md.
   * Default: the operator's own cluster.
   */
  readonly childrenIn?: string
  /**
   * What `observe` and `cleanup` read that is neither owned nor held in memory by `watches`. A read that is not declared is
   * refused: the roles of the operator are derived from what is.
   */
  readonly reads?: readonly (Resource | Read)[]
  /** What `cleanup` does with its client, for `rightsOf`; `observe` may read the kinds, too. Default: nothing. */
  readonly rights?: readonly Right[]
  /** Kinds that earlier versions of the controller made and this one does not. What is left of them is pruned, given the right. */
  readonly retired?: readonly Resource[]
  /**
   * `false`: nothing but the status is written on a resource: no finalizer, label or annotation. When the resource is deleted, the garbage collector of Kubernetes
   * deletes its children, in no order. Excludes `cleanup`, `parting`, `external`, `sagas`, `childrenIn`, and children in other namespaces, which are
   * `FinalizerNeeded`. Kinds that leave `owns` are pruned only if they are in `retired`. Default: true.
   */
  readonly finalizer?: boolean
  /**
   * What a resource stands for outside the cluster, looked after in this order once the children are applied, and removed in
   * reverse before them. The CRD has a list `status.external` for it.
   */
  readonly external?: readonly External<Spec, Status, Facts>[]
  /**
   * What a resource undertakes in steps, after the things outside. On deletion they end first. The CRD has a list `status.sagas` for it.
   */
  readonly sagas?: readonly Saga<Spec, Status, Facts>[]
  /**
   * When a limit is reached the function's signal aborts, and a second later the reconcile goes on without it: it is retried, and the resource
   * is Degraded with the reason `ObserveTimeout`, `CleanupTimeout` or `ReconcileTimeout`. No other cleanup of a resource begins while one that
   * ignores its signal goes on, and at most three calls of `observe` do.
   */
  readonly limits?: Partial<ReconcileLimits>
  /**
   * Unknown fields of children. `Strict`: the child is Degraded with the reason `UnknownField`, and the message names the fields. `Warn`: the
   * child is applied without them, and an Event names them, for clusters of several versions. Default: `Strict`.
   */
  readonly fieldValidation?: FieldValidation
  /** Reconciles at once. Default: that of the operator, 10. */
  readonly maxConcurrent?: number
  /** Reconciles a second, and how many may begin at once, beside the rate that all controllers share. Default: no limit. */
  readonly reconcileRate?: TokenBucketLimit
  /** Delays between the retries of one resource. Default: that of the operator, 5 s to 300 s. */
  readonly backoff?: BackoffPolicy
  /**
   * Namespaces of the controller's resources and their children, of those of the operator. Children in other namespaces are read from
   * the API server. Default: the namespaces of the operator.
   */
  readonly namespaces?: readonly string[]
  /**
   * The part of a resource that is held in memory, and that every function of the controller sees. Metadata and status are always part of it. A
   * resource for which the function throws is held whole. Default: all but foreign managedFields.
   */
  keep?(object: LiveObject): LiveObject
  /**
   * Reads and holds only the metadata of resources, and the functions of the controller see nothing else. Excludes `status`, `external`, `sagas` and
   * children in other namespaces, which are recorded in the status. Default: false.
   */
  readonly metadataOnly?: boolean
  /** Selects the controller's resources, besides the selector of the operator. A resource that leaves it is no longer managed, and keeps its finalizer. */
  readonly labelSelector?: string
  /** The same by fields, as `spec.class=fast`, of those that the CRD declares in `selectableFields`. */
  readonly fieldSelector?: string
  /** A resource with nothing left to do is reconciled after this time, up to a tenth later, for drift without an event. In milliseconds. Default: never. */
  readonly resyncMs?: number
  /**
   * Condition types that need attention while they are True, e.g. `Overdue`. Such resources, those that are not Ready, and those with Degraded,
   * Stalled or Paused have series `resource_condition` of their own, 1,000 resources at most; all are counted in `resource_conditions`.
   */
  readonly abnormalConditions?: readonly string[]
  /** Named values of a resource, for `Watch.keysFor` to look up. */
  readonly indexes?: Readonly<Record<string, (object: ParentOf<Spec, Status>) => readonly string[]>>
  /** Where the kind has `spec.suspend`: is it true? The same as the annotation konverge.dev/paused, kept in the manifest. */
  isSuspended?(object: ParentOf<Spec, Status>): boolean
  /**
   * Events from outside the cluster: each resource that it yields is reconciled. Runs while this process works the controller, as leader where there
   * is an election. After a failure it is called again, 5 s to 5 min later; it ends when it returns. An event for a resource that another process works is
   * dropped: with `sharding: { kind: 'hash' }` every member has to receive every event, and no queue that gives each message to one consumer will do.
   *
   * @example async *events(signal) { for await (const { name } of subscribe('orders', { signal })) yield { namespace: 'shop', name } }
   */
  events?(signal: AbortSignal): AsyncIterable<ResourceEvent>
  observe?(context: ObserveContext<Spec, Status>): Promise<Facts>
  /**
   * Conditions of a paused or suspended resource that others have changed meanwhile, such as a consent that was withdrawn; the rest stays as the
   * last turn left it. Where they have Ready, Degraded and Stalled are theirs too. Asked when something wakes the resource. Default: none.
   */
  observePaused?(context: ObserveContext<Spec, Status>): Promise<readonly ConditionClaim[]>
  /** Says what cannot work before anything is made. */
  refuse?(context: ResourceContext<Spec, Status, Facts>): Refusal | undefined
  /**
   * Declares every object that should exist: puts constructs into the chart, returns plain objects, or both. Pure and synchronous.
   *
   * @example desired: (_, { object: { metadata, spec } }) => [objectOf(ConfigMap, { metadata: { name: metadata.name }, data: spec.pages })]
   */
  desired(chart: Chart, context: DesiredContext<Spec, Facts>): Declared
  /**
   * Declares children that have work to do before a resource that is being deleted may go, and its external resources with it: as `desired`, once its
   * sagas have ended. What it does not declare is pruned. The deletion goes on when it declares nothing any more, which has to follow from what is stored: a
   * status that says that the work is done. Unlike that of `desired`, its `object` has the status. It waits while `observe` fails. Children that
   * cannot be made as the namespace goes hold nothing up.
   *
   * @example
   * parting: (_, { object: { metadata, status } }) =>
   *   status?.isEmptied === true ? [] : [objectOf(Job, { metadata: { name: `${metadata.name}-empty` }, spec: emptying })],
   */
  parting?(chart: Chart, context: ResourceContext<Spec, Status, Facts>): Declared
  /** Names at most one object that has to go for the children to go on; asked after every apply without failures. Pure. */
  repair?(context: RepairContext<Spec, Status, Facts>): Repair | undefined
  /**
   * The status to write. Left out for a kind that has none of its own: those of Kubernetes, and custom ones whose CRD has no
   * `subresources.status`. Then nothing is written; Events and the metric `resource_condition` report the conditions, which are
   * forgotten in a restart.
   */
  status?(context: StatusContext<Spec, Status, Facts>): StatusReport<Status>
  /** Runs when the ordered children are gone and before the finalizer goes; must be safe to repeat. */
  cleanup?(context: CleanupContext<Spec, Status>): Promise<CleanupResult>
}

/** A controller as the runtime holds it: `owns` in one form, types erased. */
export interface Controller {
  /** `replicatedkvstores.data.konverge.dev`, or with a name of its own `replicatedkvstores.data.konverge.dev_audit`. */
  readonly name: string
  /** Its own name among the controllers of the kind. */
  readonly part: string | undefined
  readonly resource: Resource
  /** Is there a status of it to write? */
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
  refuse(context: ResourceContext<unknown, unknown, unknown>): Refusal | undefined
  /** Reads neither the status nor the resourceVersion. */
  desired(chart: Chart, context: ResourceContext<unknown, unknown, unknown>): Declared
  readonly parting: ((chart: Chart, context: ResourceContext<unknown, unknown, unknown>) => Declared) | undefined
  repair(context: RepairContext<unknown, unknown, unknown>): Repair | undefined
  status(context: StatusContext<unknown, unknown, unknown>): StatusReport<StatusWithConditions>
  cleanup(context: CleanupContext<unknown, unknown>): Promise<CleanupResult>
}

const defaultLimits: ReconcileLimits = { observeMs: 60_000, cleanupMs: 120_000, reconcileMs: 300_000 }

const ownedDefaults = { statusMatters: true, hasStatus: true, dropStatus: [], optional: false }

/**
 * Declares the controller of one kind.
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
  // The types are erased here, once: the runtime hands a controller only objects of its own resource and facts that its
  // own `observe` returned.
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
    refuse: (context) => erased.refuse?.(context as never),
    desired: (chart, context) => erased.desired(chart, context as never),
    parting: erased.parting && ((chart, context) => erased.parting?.(chart, context as never)),
    repair: (context) => erased.repair?.(context as never),
    status: (context) => erased.status?.(context as never) ?? { fields: {}, conditions: [] },
    cleanup: (context) => erased.cleanup?.(context as never) ?? Promise.resolve({ kind: 'done' }),
  } satisfies Controller)
}

/** The resource of an object that is written as a contribution: to one of `watches`, or a resource that gives back what it contributed to itself. */
export function contributedResource(
  controller: Controller,
  object: Pick<KubeObject, 'apiVersion' | 'kind'>,
): Resource | undefined {
  const { resource } = controller
  return resourceIn(controller, object, 'contribution') ?? (isOf(resource, object) ? resource : undefined)
}

/** The resource of an object that the constructs declare; undefined for a kind that the controller has nothing to do with. */
export function resourceIn(
  { owns, watches }: Controller,
  object: Pick<KubeObject, 'apiVersion' | 'kind'>,
  role: Role,
): Resource | undefined {
  const held = role === 'child' ? owns : watches.filter(({ contributes }) => contributes === true)
  return held.find(({ resource }) => isOf(resource, object))?.resource
}
