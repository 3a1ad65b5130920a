// Contract of external resources. A controller declares an External: whether it exists, its external name, and a driver
// that observes, creates, updates and removes it. The provisioner runs the protocol. Invariant: a driver never decides,
// and never reports an unknown state as absent.
import type { Clock } from '../base/clock.ts'
import type { Log, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Identity of a creation: the resource's uid, and the generation that first requested it. The runtime stores it in the
 * status before the creation, and the driver writes it on the external resource. So the owner is known after any crash.
 * Only the uid identifies the owner; the generation distinguishes attempts.
 */
export interface Token {
  readonly uid: string
  readonly generation: number
  /** The owner for people: `Database shop/crm`. Some drivers write it too; the status does not contain it. */
  readonly holder?: string | undefined
}

/** Journal entry of an External in `status.external`, by its name. It records an intent before its effect (I3). */
export interface ExternalRecord {
  readonly name: string
  /** `Pending`: requested, may exist. `Available`: observed and owned. `Deleting`: its removal was requested. */
  readonly phase: 'Pending' | 'Available' | 'Deleting'
  /** Name outside the cluster, chosen before the creation. Immutable. */
  readonly externalName: string
  readonly token: Token
  /** RFC 3339 time of the last request to create it. */
  readonly requestedAt: string
  /** Identity that the provider assigned, once known: an ARN, `pg://<system identifier>/<oid>`. */
  readonly providerID?: string
  /** Generation of the last complete update; later differences are drift. */
  readonly appliedGeneration?: number
}

/** Result of a driver's read. A driver that cannot tell the state throws. */
export type Observation<Observed> =
  /** `hint`: a listing did not contain it, and may lag. `authoritative`: it does not exist. */
  | { readonly kind: 'absent'; readonly proof: 'authoritative' | 'hint' }
  /** It exists, and is not usable yet; `detail` is a phrase for people, e.g. `creating`. */
  | {
      readonly kind: 'pending'
      readonly providerID: string
      readonly owner: Token | undefined
      readonly detail: string
    }
  | {
      readonly kind: 'available'
      readonly providerID: string
      /**
       * Provider ID of the predecessor that the operator itself replaced with this one. The journal entry then names
       * this one, and all desired fields are applied again.
       */
      readonly succeeds?: string | undefined
      /** Token in its ownership marker; undefined: no known owner. */
      readonly owner: Token | undefined
      readonly observed: Observed
    }
  | { readonly kind: 'deleting'; readonly detail: string }
  /** It will not become usable by itself. `isTerminal`: no action of the operator can repair it. */
  | {
      readonly kind: 'broken'
      readonly reason: string
      readonly message: string
      readonly isTerminal: boolean
      /** Token in its ownership marker, if readable: only then can it be removed. */
      readonly owner?: Token | undefined
    }

/** One difference between the desired and the observed state. */
export interface ExternalChange {
  /** One CamelCase word, from a closed union of the driver: `ExtensionMissing`. */
  readonly reason: string
  /** A sentence without secrets: `extension pg_trgm is missing`. */
  readonly message: string
  /**
   * The desired state itself requires the change without a new generation, e.g. a password whose rotation is scheduled.
   * It is applied under every policy and is no drift. Default false.
   */
  readonly isWished?: boolean
  /** Emit an Event when the change was applied, although the desired state requires it. Default false. */
  readonly isReported?: boolean
}

/** Timing of a provider. */
export interface Consistency {
  /**
   * Time after a creation in which an observation may wrongly report absence, in milliseconds; 0 if reads are
   * authoritative.
   */
  readonly visibilityDelayMs: number
  /** Interval of observations while an operation is pending. */
  readonly pollMs: number
  /** Time after which a creation is reported as ProvisionTimeout. Observations continue. */
  readonly createTimeoutMs: number
}

/** Arguments of a driver's call. */
export interface ExternalCall<Desired> {
  readonly desired: Desired
  readonly externalName: string
  /** Namespace of the resource; `''` for a cluster-scoped one. */
  readonly namespace: string
  readonly token: Token
  readonly providerID: string | undefined
  /** Adopt an existing external resource without this token. */
  readonly adopts: boolean
  readonly signal: AbortSignal
}

/**
 * Driver of one sort of external resource. `Desired` and `Observed` must be JSON: changes of other values are not
 * detected.
 *
 * Every method may be repeated from any state. It rejects with a CodedError if it cannot observe or act. `retry`: the
 * cause may pass. `stop`: it will not pass without a change; `retryAfterMs` then sets the next observation, if that is
 * earlier than the cadence.
 *
 * An observation is aborted after 45 seconds, an effect after 90: the call's signal aborts, and one second later the
 * reconcile continues without the call.
 */
export interface ExternalDriver<Desired, Observed> {
  readonly consistency: Consistency
  /**
   * Runs before each pass, which consists of observations and their effects; the returned function runs after it,
   * whatever its outcome. A driver can make passes wait here if too many at once would disturb each other. Default: no
   * wait.
   */
  enter?(call: Pick<ExternalCall<Desired>, 'desired' | 'signal'>): Promise<() => void>
  /**
   * Pure. The part of the desired state that decides about observations: while it is the same, there is none before the
   * cadence. Default: all of it.
   */
  question?(desired: Desired): unknown
  observe(call: ExternalCall<Desired>): Promise<Observation<Observed>>
  /** Rejects with code `AlreadyExists` if the name is taken; the caller then observes again and compares tokens. */
  create(call: ExternalCall<Desired>): Promise<void>
  /** Pure. Returns the differences; empty if all is as desired. */
  differences(desired: Desired, observed: Observed): readonly ExternalChange[]
  /** Applies the changes, and writes the token on an adopted resource. */
  update(call: ExternalCall<Desired>, observed: Observed, changes: readonly ExternalChange[]): Promise<void>
  /** Requests the removal. Succeeds if it does not exist. The runtime calls it only for a resource with this token. */
  delete(call: ExternalCall<Desired>, observed: Observed | undefined): Promise<void>
}

/** Desired state of an External. */
export type DesiredExternal<Desired> =
  /** The spec requires none. One that an earlier spec required is removed. */
  | { readonly kind: 'none' }
  /** A precondition is not met yet. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string }
  | {
      readonly kind: 'wanted'
      /** Deterministic: the same for the same resource in every reconcile. Immutable once stored. */
      readonly externalName: string
      readonly desired: Desired
      /** Adopt an existing one without this token. Default: reject it. */
      readonly adopts?: boolean
      /** Correct drift, or only report it. A new generation is always applied. */
      readonly driftPolicy?: 'Correct' | 'Report'
      /** Recreate it if it has vanished. Default: report it, because its content is lost. */
      readonly recreatesIfMissing?: boolean
    }

/** Fate of the external resource when its resource is deleted. */
export type ExternalRemoval<Desired> =
  /** It stays; an Event reports `note`. */
  | { readonly kind: 'keep'; readonly note: string }
  /** A precondition is not met yet. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string }
  | { readonly kind: 'remove'; readonly externalName: string; readonly desired: Desired }

/** State of one External after a reconcile, for `status`. */
export interface ExternalReport<Observed = unknown> {
  readonly name: string
  readonly state: /** None is desired, and none exists. */
    | 'none'
    /** A precondition is not met yet; or, with the reason NotLookedAt, this process has not observed it yet. */
    | 'blocked'
    /** Its creation was requested; it is not visible yet. */
    | 'notYetVisible'
    | 'pending'
    /** It exists, is owned, and is as desired (except `drift` under the policy Report). */
    | 'available'
    /** It exists, and has another owner. */
    | 'notOwned'
    /** It existed, and no longer exists. */
    | 'vanished'
    | 'broken'
    /** The observation or the update failed. */
    | 'failed'
    | 'deleting'
    | 'gone'
    | 'kept'
  /** One CamelCase word and one sentence, for a condition. */
  readonly reason: string
  readonly message: string
  readonly providerID?: string | undefined
  /** Last observation; kept while later ones fail. */
  readonly observed?: Observed | undefined
  /** Differences that stay under the policy Report. */
  readonly drift: readonly ExternalChange[]
  /** Drift that this reconcile corrected. */
  readonly corrected: readonly ExternalChange[]
  /** Time of the last successful observation, milliseconds since the epoch. */
  readonly seenAtMs?: number | undefined
}

/** Services of the runtime for drivers; one instance for all controllers of a process. */
export interface ExternalTools {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer
  /**
   * Returns the same breaker for the same endpoint, e.g. `postgres/db.example:5432`, and namespace. The namespace is
   * that of the resource, `''` for a cluster-scoped one. Failures of one namespace never block calls of another.
   * Namespaces share the endpoint's rate, and each has its own part of it.
   */
  endpoint(name: string, namespace: string): Endpoint
  /** Registers a function that runs when the operator stops, after the last reconcile. */
  atStop(close: () => Promise<void>): void
}
