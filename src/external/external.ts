// What does a resource stand for outside the cluster, and who can tell? A controller declares an External: whether there should
// be something, under which name, and a driver that looks, makes, changes and removes it. The provisioner runs the protocol;
// a driver never decides, and never takes "I do not know" for "it is not there".
import type { Clock } from '../base/clock.ts'
import type { Log, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Who made it: the resource's uid, and the generation that first asked for it. It is stored in status before anything is
 * made, and marked on what is made, so that after any crash the driver can say whose it is. Only the uid tells whose; the
 * generation tells attempts apart.
 */
export interface Token {
  readonly uid: string
  readonly generation: number
  /** Who that is, for people: `Database shop/crm`. Where a driver marks it too; not kept in status. */
  readonly holder?: string | undefined
}

/** What the runtime keeps in `status.external`, one entry per External by its name. Intent is in it before effect (I3). */
export interface ExternalRecord {
  readonly name: string
  /** `Pending`: asked for, perhaps made. `Available`: seen, and ours. `Deleting`: its removal has been asked for. */
  readonly phase: 'Pending' | 'Available' | 'Deleting'
  /** The name it has outside, chosen before it is made and never changed. */
  readonly externalName: string
  readonly token: Token
  /** RFC 3339: when the creation was last asked for. */
  readonly requestedAt: string
  /** The provider's own identity of it, once known: an ARN, `pg://<system identifier>/<oid>`. */
  readonly providerID?: string
  /** The generation whose changes were last carried out; what differs after that is drift. */
  readonly appliedGeneration?: number
}

/** What a driver sees. `Unknown` is not a state but a rejection: a driver that cannot tell throws. */
export type Observation<Observed> =
  /** `hint`: a listing did not show it, and may lag behind. `authoritative`: it is not there. */
  | { readonly kind: 'absent'; readonly proof: 'authoritative' | 'hint' }
  /** There, and not usable yet; `detail` is a phrase for people, e.g. `creating`. */
  | {
      readonly kind: 'pending'
      readonly providerID: string
      readonly owner: Token | undefined
      readonly detail: string
    }
  | {
      readonly kind: 'available'
      readonly providerID: string
      /** What had its place before, where we ourselves have put this one there: the record follows, and all of the wish is carried out there. */
      readonly succeeds?: string | undefined
      /** The token marked on it; undefined: nobody's that we know of. */
      readonly owner: Token | undefined
      readonly observed: Observed
    }
  | { readonly kind: 'deleting'; readonly detail: string }
  /** It will not become usable by itself. `isTerminal`: by nothing that we can do. */
  | {
      readonly kind: 'broken'
      readonly reason: string
      readonly message: string
      readonly isTerminal: boolean
      /** The token marked on it, where that can still be told: only then can it be removed. */
      readonly owner?: Token | undefined
    }

/** One difference between what is desired and what is there. */
export interface ExternalChange {
  /** One CamelCase word, from a closed union of the driver: `ExtensionMissing`. */
  readonly reason: string
  /** A sentence without secrets: `extension pg_trgm is missing`. */
  readonly message: string
  /**
   * The wish itself asks for it, without a new generation: a password that is due. It is carried out whatever the policy, and
   * is no drift. Default false.
   */
  readonly isWished?: boolean
  /** An Event reports it once it is carried out, although the wish asks for it. Default false. */
  readonly isReported?: boolean
}

/** How a provider behaves in time. */
export interface Consistency {
  /** For how long after a creation "it is not there" may be wrong, milliseconds; 0 where reads are authoritative. */
  readonly visibilityDelayMs: number
  /** While something is pending, look this often. */
  readonly pollMs: number
  /** A creation that takes longer is reported as ProvisionTimeout, and still looked at. */
  readonly createTimeoutMs: number
}

/** One call of a driver. */
export interface ExternalCall<Desired> {
  readonly desired: Desired
  readonly externalName: string
  /** That of the resource; `''` for a cluster-scoped one. */
  readonly namespace: string
  readonly token: Token
  readonly providerID: string | undefined
  /** Take over what is there without our token. */
  readonly adopts: boolean
  readonly signal: AbortSignal
}

/**
 * Acts on one kind of thing outside. `Desired` and `Observed` are JSON: a change of anything else would not be seen. Every method may be repeated from any state, and rejects with a CodedError when it cannot
 * tell or cannot do: `retry` for what may pass, `stop` for what will not until somebody changes something (then
 * `retryAfterMs` says when to look again all the same, if that is before the next cadence). A look is given up after 45 seconds, an effect after 90: the call's signal aborts,
 * and a second later the turn goes on without it.
 */
export interface ExternalDriver<Desired, Observed> {
  readonly consistency: Consistency
  /**
   * Comes before each pass, which is looks and what they lead to; what it gives is called after it, whatever came of it. Where many
   * passes at once would be in each other's way, some wait here. Default: none does.
   */
  enter?(call: Pick<ExternalCall<Desired>, 'desired' | 'signal'>): Promise<() => void>
  /** Pure. What of the wish a look is made for: while that is the same, there is none before its time. Default: all of it. */
  question?(desired: Desired): unknown
  observe(call: ExternalCall<Desired>): Promise<Observation<Observed>>
  /** Rejects with code `AlreadyExists` if the name is taken; who asked looks again and compares tokens. */
  create(call: ExternalCall<Desired>): Promise<void>
  /** Pure. What differs; empty when all is as desired. */
  differences(desired: Desired, observed: Observed): readonly ExternalChange[]
  /** Makes what differs as desired, and marks an adopted one with the token. */
  update(call: ExternalCall<Desired>, observed: Observed, changes: readonly ExternalChange[]): Promise<void>
  /** Asks for its removal; no failure when it is not there. Called only for what carries our token. */
  delete(call: ExternalCall<Desired>, observed: Observed | undefined): Promise<void>
}

/** What an External wants for a resource now. */
export type ExternalWish<Desired> =
  /** The spec asks for none. One that an earlier spec asked for is removed. */
  | { readonly kind: 'none' }
  /** Something else has to be there first. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string }
  | {
      readonly kind: 'wanted'
      /** Deterministic: the same for the same resource at every turn. Never changed once recorded. */
      readonly externalName: string
      readonly desired: Desired
      /** Take over what carries no token of ours. Default: refuse. */
      readonly adopts?: boolean
      /** Of what changed behind our back: put it right, or only say so. A new generation is always carried out. */
      readonly driftPolicy?: 'Correct' | 'Report'
      /** What has vanished is made anew. Default: reported, as its content is lost. */
      readonly recreatesIfMissing?: boolean
    }

/** What becomes of it when the resource goes. */
export type ExternalRemoval<Desired> =
  /** It stays; `note` is told in an Event. */
  | { readonly kind: 'keep'; readonly note: string }
  /** Not yet. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string }
  | { readonly kind: 'remove'; readonly externalName: string; readonly desired: Desired }

/** How it stands with one External after a turn; what `status` is told. */
export interface ExternalReport<Observed = unknown> {
  readonly name: string
  readonly state: /** None wanted, none there. */
    | 'none'
    /** Something else has to be there first; or, with the reason NotLookedAt, no turn of this process has come to it yet. */
    | 'blocked'
    /** Asked for and not to be seen yet. */
    | 'notYetVisible'
    | 'pending'
    /** There, ours, and as desired (but for `drift` under the policy Report). */
    | 'available'
    /** There, and somebody else's. */
    | 'notOwned'
    /** Was there, and is not. */
    | 'vanished'
    | 'broken'
    /** Could not be looked at, or not be changed. */
    | 'failed'
    | 'deleting'
    | 'gone'
    | 'kept'
  /** One CamelCase word and one sentence, for a condition. */
  readonly reason: string
  readonly message: string
  readonly providerID?: string | undefined
  /** As last seen; also while it could not be looked at again. */
  readonly observed?: Observed | undefined
  /** What differs and was left, by the policy Report. */
  readonly drift: readonly ExternalChange[]
  /** What differed behind our back and was put right in this turn. */
  readonly corrected: readonly ExternalChange[]
  /** When it was last seen with certainty, milliseconds since the epoch. */
  readonly seenAtMs?: number | undefined
}

/** What the runtime lends to drivers; one for all controllers of a process. */
export interface ExternalTools {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer
  /**
   * Returns the same breaker for the same place, e.g. `postgres/db.example:5432`, and namespace: that of the resource for which the call
   * is made, `''` for a cluster-scoped one. Failures that one namespace causes never refuse the calls of another. The place's rate is
   * shared, and each namespace has a part of its own in it.
   */
  endpoint(name: string, namespace: string): Endpoint
  /** Runs when the operator stops, after the last turn. */
  atStop(close: () => Promise<void>): void
}
