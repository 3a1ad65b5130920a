// The plan of one resource against the live cluster, without a running operator. It runs observe, desired and plan of a
// reconcile on the state of the API server. Invariant: nothing is written. Changes are sent as dry runs, so that
// defaults, webhooks and immutable fields take effect.

import { contradictedDefaults } from '../apply/contradicted-defaults.ts'
import { emptiedValues } from '../apply/emptied-values.ts'
import { fieldManagersOf, type ManagerOf } from '../apply/field-managers.ts'
import { immutableField, immutableFieldsOf } from '../apply/immutable-change.ts'
import { type Compare, decide, identityOf, type Plan, plan, type Step } from '../apply/plan.ts'
import { policyOutOfReach } from '../apply/policy-reach.ts'
import { pruneVerdict } from '../apply/prune-rule.ts'
import { claimRemote, newPlaces } from '../apply/remote-children.ts'
import { assert } from '../base/assert.ts'
import { type Clock, deadline } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import { deepEqual } from '../base/json.ts'
import { inParallel } from '../base/parallel-runner.ts'
import type { SecretSource } from '../base/random.ts'
import { isAppliedHash } from '../diff/applied-hash.ts'
import { type Change, compare, declaredChanges } from '../diff/compare.ts'
import { objectChanges } from '../diff/object-changes.ts'
import type { KubeClient } from '../kube/client.ts'
import { DiscoveryClient } from '../kube/discovery-client.ts'
import { saysRightIsMissing } from '../kube/forbidden.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import {
  childManagerOf,
  type OperatorIdentity,
  identityOf as operatorIdentityOf,
  ownedByValue,
  partOf,
} from '../object/identity.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { type Ref, refOf } from '../object/ref.ts'
import { groupKindOf, isOf, type Resource } from '../object/resource.ts'
import { atRest, reportOf } from '../saga/saga-state.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { type Controller, contributedResource, type ObserveContext, resourceIn } from './definition.ts'
import { DesiredObjects, type KindsView } from './desired-objects.ts'
import { foreignInventory, inventoryOf } from './inventory.ts'
import { InventoryLoader, type Members } from './inventory-loader.ts'
import { InventoryTokens } from './inventory-tokens.ts'
import { keepOfChild } from './kept-child.ts'
import { keptOf } from './kept-parent.ts'
import { kindsNotInstalled } from './kinds-not-installed.ts'
import { lostInventory } from './lost-inventory.ts'
import { nextAction } from './next-action.ts'
import { parentOf } from './parent.ts'
import { recordOf, recordsOf } from './records.ts'
import { namedShard } from './shard-mark.ts'
import { withoutOthersRecords } from './status-part.ts'
import { settleUnread } from './unread-children.ts'
import { loadReader } from './watched-kinds-loader.ts'

export interface LivePlanOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly secrets: SecretSource
  /** Identity of the operator in the cluster: labels and field managers of children contain its name. */
  readonly identity: OperatorIdentity
  readonly controller: Controller
  /** Namespaces that the operator serves; absent: all. */
  readonly namespaces?: readonly string[] | undefined
}

export type LivePlan =
  /** In the order in which the operator would act; unchanged objects are left out. */
  | { readonly kind: 'planned'; readonly steps: readonly LiveStep[] }
  /** The operator would do nothing: it is paused, or deletes. `why` is a sentence. */
  | { readonly kind: 'idle'; readonly why: string }

export type LiveStep = { readonly ref: Ref } & (
  | { readonly kind: 'create' | 'delete' }
  /** `recreate`: deleted and created again, because a field is immutable. At least one change. */
  | { readonly kind: 'change' | 'recreate'; readonly object: KubeObject; readonly changes: readonly Change[] }
  /** Postponed. `on` is a sentence. */
  | { readonly kind: 'hold'; readonly on: string }
  /** Owned by another, or rejected by the API server. */
  | { readonly kind: 'reject'; readonly error: CodedError }
)

/** Concurrent requests. */
const mostAtOnce = 16

/**
 * Returns what the operator would do for a resource, which is live or the response to a dry run. Reads the children,
 * what `observe` asks for, and the objects that have a child's name. Rejects with a CodedError if a reconcile would
 * fail before its first change.
 */
export async function loadLivePlan(
  options: LivePlanOptions,
  given: LiveObject,
  signal: AbortSignal,
): Promise<LivePlan> {
  const { client, clock, controller } = options
  // Its children have the label of the shard that it names.
  const shard = namedShard(given, controller.part)
  const operator = operatorIdentityOf(options.identity.name, shard)
  const identity = partOf(operator, controller.part)
  const parent = withoutOthersRecords(given, controller.part)
  const turn = nextAction(parent, {
    identity,
    inventoryOf: (object) => inventoryOf(object, controller, identity),
    isSuspended: (object) => controller.isSuspended(object),
  })
  if (turn.kind === 'fail') throw turn.error
  if (turn.kind === 'pause') return { kind: 'idle', why: turn.pause }
  if (turn.kind !== 'run' && turn.kind !== 'adopt') return { kind: 'idle', why: 'it is being deleted' }
  const foreign = foreignInventory(parent, identity) ?? lostInventory(parent, controller)
  if (foreign !== undefined) throw foreign
  if (controller.childrenIn !== undefined)
    return { kind: 'idle', why: `its children are in the cluster ${controller.childrenIn}, which is not compared` }
  const discovery = new DiscoveryClient({ clock, client })
  const unserved = await unservedKinds(controller, discovery, signal)
  const loader = new LivePlanLoader({ ...options, identity: operator }, discovery, { unserved, signal })
  return { kind: 'planned', steps: await loader.steps(parent) }
}

/** Returns the missing optional kinds. Rejects if a required kind is missing. */
async function unservedKinds(
  controller: Controller,
  discovery: DiscoveryClient,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing: { readonly resource: Resource; readonly optional?: boolean }[] = []
  for (const declared of [...controller.owns, ...controller.watches])
    if (!(await discovery.isServed(declared.resource, signal))) missing.push(declared)
  const needed = missing.filter(({ optional }) => optional !== true).map(({ resource }) => resource)
  if (needed.length > 0) throw kindsNotInstalled(needed, controller)
  return missing.map(({ resource }) => groupKindOf(resource))
}

interface Surroundings {
  readonly unserved: readonly string[]
  readonly signal: AbortSignal
}

class LivePlanLoader {
  readonly #options: LivePlanOptions
  readonly #members: InventoryLoader
  readonly #managerOf: ManagerOf
  readonly #unserved: readonly string[]
  readonly #signal: AbortSignal

  constructor(options: LivePlanOptions, discovery: DiscoveryClient, { unserved, signal }: Surroundings) {
    const { client, controller, identity } = options
    this.#options = options
    const manager = childManagerOf(identity, controller.name)
    const maker = { manager, ownedBy: ownedByValue(controller.name) }
    this.#members = new InventoryLoader({ client, parents: client, discovery, controller, maker, covers: () => false })
    this.#managerOf = fieldManagersOf(identity, controller.name)
    this.#unserved = unserved
    this.#signal = signal
  }

  async steps(parent: LiveObject): Promise<readonly LiveStep[]> {
    const { controller } = this.#options
    const recorded = await this.#members.unseen(parent, { seen: [] }, this.#signal)
    const facts = await this.#observe(parent, recorded.objects)
    const refusal = controller.validate({ object: parentOf(parent), facts })
    if (refusal !== undefined) {
      const { reason = 'InvalidSpec', message } = refusal
      throw new CodedError({ code: reason, message, remedy: 'stop' })
    }
    const { waves, prune } = await this.#plan(parent, facts, recorded)
    const found = new Map<Step, LiveStep | undefined>()
    const steps = waves.flat()
    await inParallel(steps, mostAtOnce, async (step) => void found.set(step, await this.#stepOf(step, parent)))
    const written = steps.flatMap((step) => found.get(step) ?? [])
    return [...written, ...prune.map((live) => ({ kind: 'delete', ref: refOf(live) }) as const)]
  }

  /** Returns the child as a running operator's cache shows it. */
  #asSeen(child: LiveObject): LiveObject {
    const owned = this.#options.controller.owns.find(({ resource }) => isOf(resource, child))
    return owned === undefined ? child : keptOf(keepOfChild(owned), child)
  }

  async #observe(parent: LiveObject, children: readonly LiveObject[]): Promise<unknown> {
    const { client, clock, controller, namespaces, secrets } = this.#options
    const limit = deadline(clock, controller.limits.observeMs, this.#signal)
    const isAvailable = (resource: Resource) => !this.#unserved.includes(groupKindOf(resource))
    const { sagas } = recordsOf(parent)
    try {
      const reading = { client, controller, namespaces, isServed: isAvailable, signal: limit.signal }
      const context: ObserveContext<unknown, unknown> = {
        object: parentOf(parent),
        children: children.map((child) => this.#asSeen(child)),
        nowMs: clock.now(),
        live: await loadReader(reading),
        isAvailable,
        secrets,
        // As after a restart: no reconcile of this process has observed external resources.
        externals: [],
        sagas: controller.sagas.map(({ name }) => {
          const record = recordOf(sagas, name)
          return reportOf(name, atRest(record), record)
        }),
        signal: limit.signal,
      }
      return await controller.observe(context)
    } finally {
      limit.clear()
    }
  }

  async #plan(parent: LiveObject, facts: unknown, recorded: Members): Promise<Plan> {
    const { controller, identity, secrets } = this.#options
    const kinds: KindsView = {
      scopeOf: (apiVersion, kind, role) => resourceIn(controller, { apiVersion, kind }, role)?.scope,
      unavailableKinds: this.#unserved,
      contributedTo: () => parent,
    }
    const declared = new DesiredObjects(identity, controller, kinds).of(parent, facts)
    const places = newPlaces(parent, declared)
    const { objects, failures, unread } =
      places.length === 0 ? recorded : await this.#members.unseen(parent, { seen: [], places }, this.#signal)
    const [failure] = [...failures, ...settleUnread(parent, unread, declared).errors]
    if (failure !== undefined) throw failure
    const tokens = new InventoryTokens(secrets).of(parent)
    const { desired } = claimRemote({ parent, desired: declared, children: objects, unread: [], ...tokens })
    const others = await this.#contributedTo(desired)
    return plan({
      parent,
      desired,
      children: objects,
      contributedTo: (object) => others.get(identityOf(object)),
      compare: compared,
      managerOf: this.#managerOf,
    })
  }

  async #contributedTo(desired: readonly DesiredObject[]): Promise<ReadonlyMap<string, LiveObject>> {
    const found = new Map<string, LiveObject>()
    const contributed = desired.filter(({ policies }) => policies.contribute)
    await inParallel(contributed, mostAtOnce, async ({ object }) => {
      const live = await this.#find(object)
      if (live !== undefined) found.set(identityOf(object), live)
    })
    return found
  }

  /** Undefined if nothing would change. */
  async #stepOf({ desired, action }: Step, parent: LiveObject): Promise<LiveStep | undefined> {
    const ref = refOf(desired.object)
    if (action.kind === 'change') return await this.#change(desired, { parent, action })
    if (action.kind === 'hold' && desired.policies.isSelf && desired.policies.hold === undefined)
      return newSelf(desired, parent)
    if (action.kind !== 'create') return settledStep(ref, action)
    // Another object, which is no child, may have the name.
    const live = await this.#find(desired.object)
    if (live === undefined) return { kind: 'create', ref }
    const met = decide({ parent, desired, live, compare: compared, manager: this.#managerOf(desired) })
    return met.kind === 'change' ? await this.#change(desired, { parent, action: met }) : settledStep(ref, met)
  }

  async #change(
    desired: DesiredObject,
    { parent, action: { live, comparison } }: { readonly parent: LiveObject; readonly action: ChangeAction },
  ): Promise<LiveStep | undefined> {
    const ref = refOf(live)
    const declared =
      comparison.kind === 'different' ? comparison.changes.filter(({ path }) => !isAppliedHash(path)) : []
    try {
      const manager = this.#managerOf(desired)
      const after = await this.#applied(desired, live)
      const error = policyOutOfReach(desired, { live, recorded: after ?? live }, manager)
      if (error !== undefined) throw error
      // Without the right to write children, the declared changes are shown, without defaults and webhooks. So they are
      // if a patch empties values before the apply, because a dry run does not show them.
      const isShown = after !== undefined && emptiedValues(desired, live, manager).length === 0
      const changes = isShown ? objectChanges(live, after) : declared
      return changes.length === 0 ? undefined : { kind: 'change', ref, object: after ?? desired.lasting, changes }
    } catch (thrown) {
      if (!(thrown instanceof CodedError)) throw thrown
      // The operator removes the default, then applies; a dry run cannot.
      const causes = isKubeError(thrown, 'Invalid') && !desired.policies.contribute ? thrown.causes : []
      if (contradictedDefaults(desired.lasting, live, causes).length > 0)
        return { kind: 'change', ref, object: desired.lasting, changes: declared }
      const paths = declared.map(({ path }) => path)
      const fields = immutableFieldsOf(thrown, paths)
      if (fields === undefined) return { kind: 'reject', ref, error: thrown }
      const mayGo = desired.policies.recreateOnChange !== undefined && pruneVerdict(live, parent) === 'prune'
      if (!mayGo) return { kind: 'reject', ref, error: immutableField(desired, fields) }
      return { kind: 'recreate', ref, object: desired.object, changes: declared }
    }
  }

  /** Returns the object as an apply would leave it; undefined without the right to apply. */
  async #applied(desired: DesiredObject, live: LiveObject): Promise<LiveObject | undefined> {
    const { client } = this.#options
    const { lasting } = desired
    const body = { ...lasting, metadata: { ...lasting.metadata, uid: live.metadata.uid } }
    const options = { fieldManager: this.#managerOf(desired), force: true, dryRun: true }
    try {
      return await client.apply(this.#resourceOf(lasting), body, options, this.#signal)
    } catch (thrown) {
      if (isKubeError(thrown, 'Forbidden') && saysRightIsMissing(thrown.message)) return undefined
      throw thrown
    }
  }

  async #find(object: KubeObject): Promise<LiveObject | undefined> {
    return await loadIfPresent(this.#options.client, this.#resourceOf(object), object.metadata, this.#signal)
  }

  #resourceOf(object: KubeObject): Resource {
    const { controller } = this.#options
    const resource = this.#members.resourceOf(object) ?? contributedResource(controller, object)
    assert(resource !== undefined, `${controller.name} owns or contributes to ${groupKindOf(object)}`)
    return resource
  }
}

const compared: Compare = (desired, live, manager) => compare({ desired, live, manager })

type ChangeAction = Extract<Step['action'], { kind: 'change' }>

/**
 * Returns the fields that the controller will contribute to a resource that does not exist yet: a dry run cannot apply
 * them.
 */
function newSelf({ lasting }: DesiredObject, parent: LiveObject): LiveStep | undefined {
  const changes = declaredChanges({ desired: lasting, live: parent }).filter((one) => !isEqualAlready(one))
  return changes.length === 0 ? undefined : { kind: 'change', ref: refOf(parent), object: lasting, changes }
}

function isEqualAlready({ desired, live }: Change): boolean {
  return live !== undefined && deepEqual(desired ?? null, live)
}

function settledStep(ref: Ref, action: Exclude<Step['action'], ChangeAction>): LiveStep | undefined {
  if (action.kind === 'hold') return { kind: 'hold', ref, on: action.on }
  if (action.kind === 'refuse') return { kind: 'reject', ref, error: action.error }
  return undefined
}
