// What does somebody say to get a controller? Three functions, of which only `observe` may look at the world: `observe` (facts)
// → `desired` (constructs) → `status` (what to tell). The other two are pure, so preview, diff and graph need no cluster.
import type { Chart } from 'cdk8s'
import { assert } from '../base/assert.ts'
import type { BackoffPolicy } from '../base/backoff.ts'
import type { Json } from '../base/json.ts'
import type { SecretSource } from '../base/random.ts'
import type { ExternalReport } from '../external/external.ts'
import { isBuiltIn } from '../object/built-in.ts'
import type { ConditionClaim } from '../object/condition.ts'
import type { KubeObject, LiveObject, StatusWithConditions } from '../object/object.ts'
import type { Key } from '../object/ref.ts'
import { groupResourceOf, isOf, type Resource } from '../object/resource.ts'
import type { SagaReport } from '../saga/saga.ts'
import type { Role } from '../synth/draft.ts'
import type { EventReport, LiveReader } from './context.ts'
import type { ResourceEvent } from './events-runner.ts'
import type { External } from './external-definition.ts'
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

export interface DesiredContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
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

export interface RepairContext<Spec, Status, Facts> extends DesiredContext<Spec, Status, Facts> {
  /** The children as this turn applied or found them. */
  readonly children: readonly Child[]
}

export interface CleanupContext<Spec, Status> extends ObserveContext<Spec, Status> {
  readonly report: (event: EventReport) => void
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

/** Keys of resources that have `value` in the named index of the definition. */
export type IndexLookup = (index: string, value: string) => readonly Key[]

export interface Watch {
  readonly resource: Resource
  readonly labelSelector?: string
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

/** What the controller's own functions and a whole reconcile may take, in milliseconds. */
export interface ReconcileLimits {
  /** A call of `observe` or `observePaused`. Default: 60 s. */
  readonly observeMs: number
  /** A call of `cleanup`. What takes longer returns `waiting` meanwhile. Default: 120 s. */
  readonly cleanupMs: number
  /** A whole reconcile, with all requests and effects. Default: 300 s. */
  readonly reconcileMs: number
}

export interface ControllerOptions<Spec, Status extends StatusWithConditions, Facts> {
  /** Every kind that `desired` can make. */
  readonly owns: readonly (Resource | Owned)[]
  readonly watches?: readonly Watch[]
  /**
   * What `observe` and `cleanup` read that is neither owned nor held in memory by `watches`. A read that is not declared is
   * refused: the roles of the operator are derived from what is.
   */
  readonly reads?: readonly (Resource | Read)[]
  /** Kinds that earlier versions of the controller made and this one does not. What is left of them is pruned, given the right. */
  readonly retired?: readonly Resource[]
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
  /** Reconciles at once. Default: that of the operator, 10. */
  readonly maxConcurrent?: number
  /** Delays between the retries of one resource. Default: that of the operator, 5 s to 300 s. */
  readonly backoff?: BackoffPolicy
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
   * is an election. After a failure it is called again, 5 s to 5 min later; it ends when it returns.
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
  refuse?(context: DesiredContext<Spec, Status, Facts>): Refusal | undefined
  desired(chart: Chart, context: DesiredContext<Spec, Status, Facts>): void
  /**
   * What has to be done, by children, before a resource that is being deleted may go, and what is outside with it: as `desired`, once its
   * sagas have ended. What it does not declare is pruned. The deletion goes on when it declares nothing any more, which has to follow from what is stored: a
   * status that says that it is done. It waits while `observe` fails. Children that cannot be made as the namespace goes hold nothing up.
   */
  parting?(chart: Chart, context: DesiredContext<Spec, Status, Facts>): void
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
  /** `replicatedkvstores.data.konverge.dev` */
  readonly name: string
  readonly resource: Resource
  /** Is there a status of it to write? */
  readonly hasStatus: boolean
  readonly owns: readonly Required<Owned>[]
  readonly watches: readonly Watch[]
  readonly reads: readonly Required<Read>[]
  readonly retired: readonly Resource[]
  readonly external: readonly External<unknown, unknown, unknown>[]
  readonly sagas: readonly Saga<unknown, unknown, unknown>[]
  readonly indexes: Readonly<Record<string, (object: LiveObject) => readonly string[]>>
  readonly limits: ReconcileLimits
  readonly maxConcurrent: number | undefined
  readonly backoff: BackoffPolicy | undefined
  readonly labelSelector: string | undefined
  readonly fieldSelector: string | undefined
  readonly resyncMs: number | undefined
  readonly abnormalConditions: readonly string[]
  isSuspended(object: LiveObject): boolean
  readonly events: ((signal: AbortSignal) => AsyncIterable<ResourceEvent>) | undefined
  observe(context: ObserveContext<unknown, unknown>): Promise<unknown>
  observePaused(context: ObserveContext<unknown, unknown>): Promise<readonly ConditionClaim[]>
  refuse(context: DesiredContext<unknown, unknown, unknown>): Refusal | undefined
  desired(chart: Chart, context: DesiredContext<unknown, unknown, unknown>): void
  readonly parting: ((chart: Chart, context: DesiredContext<unknown, unknown, unknown>) => void) | undefined
  repair(context: RepairContext<unknown, unknown, unknown>): Repair | undefined
  status(context: StatusContext<unknown, unknown, unknown>): StatusReport<StatusWithConditions>
  cleanup(context: CleanupContext<unknown, unknown>): Promise<CleanupResult>
}

const defaultLimits: ReconcileLimits = { observeMs: 60_000, cleanupMs: 120_000, reconcileMs: 300_000 }

const ownedDefaults = { statusMatters: true, hasStatus: true, optional: false }

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
export function defineController<Spec, Status extends StatusWithConditions, Facts = undefined>(
  resource: Resource<Spec, Status>,
  options: ControllerOptions<Spec, Status, Facts>,
): Controller
/** Declares the controller of a kind without a status. */
export function defineController<Spec, Facts = undefined>(
  resource: Resource<Spec>,
  options: Omit<ControllerOptions<Spec, StatusWithConditions, Facts>, 'status'>,
): Controller
export function defineController<Spec, Status extends StatusWithConditions, Facts>(
  resource: Resource<Spec, Status>,
  options: ControllerOptions<Spec, Status, Facts>,
): Controller {
  const trimmed = options.watches?.find(
    ({ contributes, keep, metadataOnly }) => contributes === true && (keep !== undefined || metadataOnly === true),
  )
  const kept = trimmed?.resource.kind
  assert(
    kept === undefined,
    `the watch of ${kept} contributes, so it needs whole objects; leave keep and metadataOnly out`,
  )
  const limits = Object.freeze({ ...defaultLimits, ...options.limits })
  const { maxConcurrent = 1, resyncMs = 1 } = options
  assert(
    Number.isInteger(maxConcurrent) && maxConcurrent > 0,
    `maxConcurrent is a positive number, and not ${maxConcurrent}`,
  )
  assert(
    Number.isFinite(resyncMs) && resyncMs > 0,
    `resyncMs is a positive number of milliseconds, and not ${resyncMs}`,
  )
  for (const [name, ms] of Object.entries(limits)) {
    assert(Number.isFinite(ms) && ms > 0, `limits.${name} is a positive number of milliseconds, and not ${ms}`)
  }
  // The types are erased here, once: the runtime hands a controller only objects of its own resource and facts that its
  // own `observe` returned.
  const erased = options as unknown as ControllerOptions<unknown, StatusWithConditions, unknown>
  assertStatusFits(resource, erased)
  return Object.freeze({
    name: groupResourceOf(resource),
    resource,
    hasStatus: erased.status !== undefined,
    owns: erased.owns.map((owned) =>
      'resource' in owned ? { ...ownedDefaults, ...owned } : { ...ownedDefaults, resource: owned },
    ),
    watches: erased.watches ?? [],
    reads: (erased.reads ?? []).map((read) =>
      'resource' in read ? { isListed: false, ...read } : { isListed: false, resource: read },
    ),
    retired: erased.retired ?? [],
    external: erased.external ?? [],
    sagas: erased.sagas ?? [],
    limits,
    maxConcurrent: options.maxConcurrent,
    backoff: options.backoff,
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

function assertStatusFits(
  { kind, group }: Resource,
  { status, external = [], sagas = [] }: ControllerOptions<unknown, StatusWithConditions, unknown>,
): void {
  assert(
    status === undefined || !isBuiltIn({ group }),
    `the status of ${kind} belongs to Kubernetes; leave status out: Events and metrics report the conditions`,
  )
  assert(
    status !== undefined || external.length + sagas.length === 0,
    `external and sagas of ${kind} are recorded in its status; give the controller a status, or declare a kind of your own for them`,
  )
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
