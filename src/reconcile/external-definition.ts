// What does somebody say to have something outside the cluster? Whether there should be one and what it should be, what becomes
// of it when the resource goes, and a driver that acts. The first two are pure; the runtime decides when what is called.
import { assert } from '../base/assert.ts'
import type {
  ExternalDriver,
  ExternalRemoval,
  ExternalReport,
  ExternalTools,
  ExternalWish,
} from '../external/external.ts'
import type { Child } from './outcome.ts'
import type { ParentOf } from './parent.ts'

export interface ExternalContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  readonly facts: Facts
  /** The children as this turn applied or found them. */
  readonly children: readonly Child[]
  /** How it stands with the Externals declared before this one, in this turn. */
  readonly earlier: readonly ExternalReport[]
}

export interface ExternalRemovalContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  /** Undefined when `observe` failed: a removal may do without what is gone already. */
  readonly facts: Facts | undefined
}

/** One thing outside that a resource may stand for. Its `wish` and `removal` are pure. */
export interface External<Spec, Status, Facts, Desired = unknown, Observed = unknown> {
  /** One word; the key of its record in `status.external`, so it must stay the same for ever: `database`. */
  readonly name: string
  /** While nothing changes it is looked at this often, for drift that no event tells of. Default 5 minutes. */
  readonly cadenceMs?: number
  /** Called once an operator. */
  driver(tools: ExternalTools): ExternalDriver<Desired, Observed>
  wish(context: ExternalContext<Spec, Status, Facts>): ExternalWish<Desired>
  /** Asked when the resource is being deleted, and when the spec wants it no more. */
  removal(context: ExternalRemovalContext<Spec, Status, Facts>): ExternalRemoval<Desired>
}

/**
 * Declares one thing outside the cluster. Say the types of the context, or name the resource's own, and the rest follows.
 *
 * @example
 * const bucket = defineExternal({
 *   name: 'bucket',
 *   driver: (tools) => new BucketDriver(tools),
 *   wish: ({ object }: ExternalContext<SiteSpec, SiteStatus, undefined>) =>
 *     ({ kind: 'wanted', externalName: `site-${object.metadata.uid}`, desired: { isPublic: object.spec.public } }),
 *   removal: ({ object }) => ({ kind: 'remove', externalName: `site-${object.metadata.uid}`, desired: { isPublic: false } }),
 * })
 */
export function defineExternal<Spec, Status, Facts, Desired, Observed>(
  external: External<Spec, Status, Facts, Desired, Observed>,
): External<Spec, Status, Facts, Desired, Observed> {
  assert(/^[a-z][A-Za-z0-9]*$/.test(external.name), `the External ${external.name} is named by one word, as camelCase`)
  return Object.freeze(external)
}

/**
 * The report of one External, with the type of what its driver observes; undefined before anything was looked at.
 *
 * @example const seen = reportOf(bucket, externals)?.observed
 */
export function reportOf<Observed>(
  external: External<never, never, never, unknown, Observed>,
  reports: readonly ExternalReport[],
): ExternalReport<Observed> | undefined {
  // Sound: a report of this name was made from what this External's own driver observed.
  return reports.find(({ name }) => name === external.name) as ExternalReport<Observed> | undefined
}
