// Definition of an external resource: its desired state, its removal and a driver. The first two are pure; the runtime
// decides when it calls each.
import { assert } from '../base/assert.ts'
import type {
  DesiredExternal,
  ExternalDriver,
  ExternalRemoval,
  ExternalReport,
  ExternalTools,
} from '../external/external.ts'
import type { Child } from './outcome.ts'
import type { ParentOf } from './parent.ts'

/** Input of `External.desired`. */
export interface ExternalContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  readonly facts: Facts
  /** The children as this reconcile applied or read them. */
  readonly children: readonly Child[]
  /** State of the Externals declared before this one, in this reconcile. */
  readonly earlier: readonly ExternalReport[]
}

/** Input of `External.removal`. */
export interface ExternalRemovalContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  /** Undefined when `observe` failed: a removal may succeed without facts. */
  readonly facts: Facts | undefined
}

/** One external resource that a resource may have. `desired` and `removal` are pure. */
export interface External<Spec, Status, Facts, Desired = unknown, Observed = unknown> {
  /** One word, such as `database`: key of its journal entry in `status.external`, so never change it. */
  readonly name: string
  /** Interval of observations in milliseconds while nothing changes, for drift without an event. Default 5 minutes. */
  readonly cadenceMs?: number
  /** Called once per operator. */
  driver(tools: ExternalTools): ExternalDriver<Desired, Observed>
  /** Returns the desired state, or that there should be none. */
  desired(context: ExternalContext<Spec, Status, Facts>): DesiredExternal<Desired>
  /**
   * Returns the kind of removal. Called when the resource is being deleted, and when the spec no longer asks for the
   * external resource.
   */
  removal(context: ExternalRemovalContext<Spec, Status, Facts>): ExternalRemoval<Desired>
}

/**
 * Declares one external resource. Annotate the type of the context, or name the resource's own type; the rest is
 * inferred. Throws an Error if the name is not one camelCase word.
 *
 * @example
 * const bucket = defineExternal({
 *   name: 'bucket',
 *   driver: (tools) => new BucketDriver(tools),
 *   desired: ({ object }: ExternalContext<SiteSpec, SiteStatus, undefined>) =>
 *     ({ kind: 'wanted', externalName: `site-${object.metadata.uid}`, desired: { isPublic: object.spec.public } }),
 *   removal: ({ object }) =>
 *     ({ kind: 'remove', externalName: `site-${object.metadata.uid}`, desired: { isPublic: false } }),
 * })
 */
export function defineExternal<Spec, Status, Facts, Desired, Observed>(
  external: External<Spec, Status, Facts, Desired, Observed>,
): External<Spec, Status, Facts, Desired, Observed> {
  assert(/^[a-z][A-Za-z0-9]*$/.test(external.name), `the External ${external.name} is named by one word, as camelCase`)
  return Object.freeze(external)
}

/**
 * Returns the report of one External, with the type that its driver observes; undefined before the first observation.
 *
 * @example const seen = reportOf(bucket, externals)?.observed
 */
export function reportOf<Observed>(
  external: External<never, never, never, unknown, Observed>,
  reports: readonly ExternalReport[],
): ExternalReport<Observed> | undefined {
  // Sound: a report of this name contains the observation of this External's own driver.
  return reports.find(({ name }) => name === external.name) as ExternalReport<Observed> | undefined
}
