// Judges an idle world: children against a fresh apply of their declarations, objects of others, orphans, finalizers,
// status. Pure.
import { createHash } from 'node:crypto'
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts'
import { ownedFieldsOf } from '../../src/diff/owned-fields.ts'
import { project } from '../../src/diff/project.ts'
import { findCondition, type KubeObject, type LiveObject, type StatusWithConditions } from '../../src/index.ts'
import { coOwnersOf, isCoOwned, isCoOwnedBy } from '../../src/object/co-owner.ts'
import { coOwnerOfManager } from '../../src/object/identity.ts'
import { asJson } from '../../src/object/object.ts'
import { controllerOf } from '../../src/object/ownership.ts'
import {
  applySetId,
  managedByLabel,
  partOfLabel,
  pruneAnnotation,
  tokenAnnotation,
} from '../../src/synth/membership.ts'
import { fieldsOf, withoutFields } from './field-sets.ts'
import { kindsOf } from './stranger-controllers.ts'
import { hasStatus, type ParentKind, type ParentSpec, withoutExtension } from './stranger-kinds.ts'
import {
  type ChildName,
  type ChildPolicy,
  type ControllerPlan,
  type DeclaredChild,
  declaredChildren,
  keyOf,
  namespaceOf,
  type PureFunction,
} from './world-plan.ts'

/** An idle resource, and the controller that reconciles it. */
export interface RestingParent {
  readonly of: ParentKind
  readonly live: LiveObject<ParentSpec, StatusWithConditions>
  readonly controller: ControllerPlan
  /** Name of the operator. */
  readonly operator: string
  /** Index of the running version. */
  readonly version: number
  /** Value that `observe` reads. */
  readonly shift: number
}

export interface WorldAtRest {
  readonly parents: readonly RestingParent[]
  /** All objects of the child kinds in the parents' namespace. */
  readonly children: readonly LiveObject[]
  readonly isAddonInstalled: boolean
  /** By parent uid and template index: the declared child as the API server stores it without an earlier object. */
  readonly fresh: ReadonlyMap<string, LiveObject>
  /** Uids of children whose owner reference another manager removed. */
  readonly disowned: ReadonlySet<string>
  /** Uids of children whose managedFields another client reset. */
  readonly reset: ReadonlySet<string>
}

export const freshManager = 'fresh'
export const freshKey = (parent: KubeObject, { at }: Pick<DeclaredChild, 'at'>) => `${parent.metadata.uid} ${at}`

type Standing = 'ready' | 'waiting' | 'failing'

export function verdictOn(world: WorldAtRest): readonly string[] {
  return [...world.parents.flatMap((parent) => parentFaults(parent, world)), ...orphanFaults(world)]
}

/** Returns the currently declared children; empty if the resource is rejected or a required kind is missing. */
export function declaredNow({ of, live, controller, version, shift }: RestingParent): readonly DeclaredChild[] {
  const plan = controller.versions[version] ?? { templates: [] }
  return declaredChildren(of, plan, { name: live.metadata.name, spec: live.spec ?? { rev: 0, size: 0 }, shift })
}

function parentFaults(parent: RestingParent, world: WorldAtRest): readonly string[] {
  const { of, live } = parent
  const title = `${of} ${live.metadata.name}`
  if (live.metadata.deletionTimestamp !== undefined) return [`${title} is still being deleted`]
  if (isStopped(parent, world)) return statusFaults(parent, 'failing')
  const standings: Standing[] = []
  let isHoldingBack = false
  const faults: string[] = []
  const byPlace = new Map<number, Standing | 'absent'>()
  for (const child of declaredNow(parent)) {
    const gate = child.policy.waitsFor === undefined ? undefined : byPlace.get(child.policy.waitsFor)
    const judged = judgeChild(child, { parent, world, gate })
    byPlace.set(child.at, judged.standing)
    if (judged.standing !== 'absent') standings.push(judged.standing)
    isHoldingBack ||= judged.isHeldBack === true
    faults.push(...judged.faults.map((fault) => `${title}: ${child.kind} ${child.name} ${fault}`))
  }
  const standing = standings.includes('failing') ? 'failing' : standings.includes('waiting') ? 'waiting' : 'ready'
  // A child that is held back also holds back the pruning.
  const leftovers = standing === 'failing' || isHoldingBack ? [] : leftoverFaults(parent, world)
  return [...faults, ...leftovers, ...statusFaults(parent, fails(parent, 'status') ? 'failing' : standing)]
}

function fails({ live, controller, version }: RestingParent, call: PureFunction): boolean {
  const bug = controller.versions[version]?.bug
  return bug?.of === call && bug.rev === live.spec?.rev
}

function isStopped(parent: RestingParent, { isAddonInstalled }: WorldAtRest): boolean {
  const { live, controller, version } = parent
  const plan = controller.versions[version] ?? { templates: [] }
  const lacks = !isAddonInstalled && !controller.isAddonOptional && kindsOf(plan).includes('Addon')
  return lacks || live.spec?.isRefused === true || fails(parent, 'refuse') || fails(parent, 'desired')
}

interface Judgement {
  readonly standing: Standing | 'absent'
  /** True while the child is not written; the runtime then prunes nothing. */
  readonly isHeldBack?: boolean
  readonly faults: readonly string[]
}

interface ChildSurroundings {
  readonly parent: RestingParent
  readonly world: WorldAtRest
  readonly gate: Standing | 'absent' | undefined
}

function judgeChild(child: DeclaredChild, { parent, world, gate }: ChildSurroundings): Judgement {
  const { kind, name, policy, isHeld } = child
  if (kind === 'Addon' && !world.isAddonInstalled) return { standing: 'absent', faults: [] }
  const isGated = gate === 'waiting' || gate === 'failing'
  const live = world.children.find(
    ({ metadata, ...one }) => one.kind === kind && metadata.name === name && metadata.namespace === namespaceOf(child),
  )
  if (isHeld || isGated) return { standing: 'waiting', isHeldBack: true, faults: [] }
  if (live === undefined && child.policy.contribute !== undefined)
    return { standing: 'waiting', isHeldBack: true, faults: [] }
  if (live === undefined) return { standing: 'failing', faults: ['is missing'] }
  if (child.policy.contribute !== undefined) return judgeContribution(child, live)
  if (child.policy.coOwn === true) return judgePart(child, { parent, live })
  if (!isChildOf(live, parent, child.policy)) return { standing: 'failing', faults: [] }
  const fresh = world.fresh.get(freshKey(parent.live, child))
  if (fresh === undefined) return { standing: 'failing', faults: ['has no fresh apply'] }
  if (isImmutable(fresh, live) && policy.recreate !== true) return { standing: 'failing', faults: [] }
  const isReset = world.reset.has(live.metadata.uid)
  const faults = differences({ child, controller: parent.controller, fresh, live, isReset })
  return { standing: kind === 'Engine' && !isReady(live) ? 'waiting' : 'ready', faults }
}

/** Checks that the fields exist, on an object of any owner. */
function judgeContribution({ body }: DeclaredChild, live: LiveObject): Judgement {
  const data = live['data'] as JsonObject | undefined // A ConfigMap.
  const [[key = '', value] = []] = Object.entries((body['data'] ?? {}) as JsonObject) // A contribution.
  return { standing: 'ready', faults: data?.[key] === value ? [] : [`lacks the contribution ${key}`] }
}

/** Checks the part of one owner: it has its fields and no others, unless another owner declares a field differently. */
function judgePart(
  { body }: DeclaredChild,
  { parent, live }: { readonly parent: RestingParent; readonly live: LiveObject },
): Judgement {
  const { uid } = parent.live.metadata
  if (controllerOf(live)?.uid === uid) return { standing: 'failing', faults: ['is still owned by the resource alone'] }
  if (!isCoOwned(live)) return { standing: 'failing', faults: [] }
  const data = (live['data'] ?? {}) as JsonObject // A ConfigMap.
  const declared = Object.entries((body['data'] ?? {}) as JsonObject) // A part.
  const isOwn = (manager: string) => coOwnerOfManager(manager) === uid
  const owners = new Set(coOwnersOf(live).map((owner) => owner.uid))
  const isOwner = (manager: string) => owners.has(coOwnerOfManager(manager) ?? '')
  const others = [...fieldsOf(live, (manager) => isOwner(manager) && !isOwn(manager))]
  const isOfOthers = (key: string) => others.includes(JSON.stringify(['f:data', `f:${key}`]))
  const wrong = declared.filter(([key, value]) => data[key] !== value).map(([key]) => key)
  if (!isCoOwnedBy(live, uid)) {
    const isForeign = live.metadata.labels?.[managedByLabel] !== parent.operator
    return { standing: 'failing', faults: isForeign ? [] : ['lacks an owner'] }
  }
  const lacking = wrong.filter((key) => !isOfOthers(key))
  const ours = [...fieldsOf(live, isOwn)].filter((path) => path.startsWith('["f:data","'))
  const paths = declared.map(([key]) => JSON.stringify(['f:data', `f:${key}`]))
  const surplus = ours.filter((path) => !path.endsWith('"."]') && !paths.includes(path))
  return {
    standing: wrong.length > 0 ? 'failing' : 'ready',
    faults: [
      ...lacking.map((key) => `lacks ${key}, and no other owner has it`),
      ...surplus.map((path) => `has a field of the resource that is not declared: ${path}`),
    ],
  }
}

/** True if the child is in another namespace; the status of its resource then records it. */
function isRemote({ metadata }: LiveObject, parent: LiveObject): boolean {
  return metadata.namespace !== parent.metadata.namespace
}

function isRecorded({ kind, metadata }: LiveObject, { status }: LiveObject): boolean {
  const { inventory = [] } = (status ?? {}) as { readonly inventory?: readonly (ChildName & { tokenDigest: string })[] } // Written by the runtime.
  const digest = createHash('sha256')
    .update(metadata.annotations?.[tokenAnnotation] ?? '')
    .digest('base64url')
  return inventory.some(
    ({ name, namespace, tokenDigest, ...entry }) =>
      entry.kind.split('.')[0] === kind &&
      name === metadata.name &&
      namespace === metadata.namespace &&
      tokenDigest === digest,
  )
}

/** True for a child of exactly this resource. A retained one has no owner reference. */
function isChildOf(child: LiveObject, { live }: RestingParent, { retain }: ChildPolicy): boolean {
  const { ownerReferences, labels } = child.metadata
  const owner = ownerReferences?.find(({ controller }) => controller === true)
  if (owner !== undefined && owner.uid !== live.metadata.uid) return false
  if (isRemote(child, live)) return isRecorded(child, live)
  if (owner !== undefined) return true
  return (retain === true || isRetained(child)) && labels?.[partOfLabel] === applySetId(live)
}

function isImmutable(fresh: KubeObject, live: KubeObject): boolean {
  const [wanted, has] = [fixedOf(fresh), fixedOf(live)]
  return wanted !== undefined && has !== undefined && wanted !== has
}

function fixedOf({ spec }: KubeObject): unknown {
  return (spec as { readonly fixed?: unknown } | undefined)?.fixed // A child kind.
}

function isReady({ status }: LiveObject): boolean {
  return findCondition((status as StatusWithConditions | undefined)?.conditions ?? [], 'Ready')?.status === 'True' // An Engine.
}

/** Returns the FieldsV1 path of the member that a policy leaves to others. */
const fieldPathOf = (path: string) => JSON.stringify(path.split('.').map((step) => `f:${step}`))
const isBelow = (path: string, parent: string) => path.startsWith(parent.slice(0, -1))

/** Returns fields that a policy of any version left to others: they may have values of an earlier time. */
function policyPathsOf({ versions }: ControllerPlan, { kind }: DeclaredChild): readonly string[] {
  const policies = versions.flatMap(({ templates }) =>
    templates.filter((one) => one.kind === kind).map(({ policy }) => policy),
  )
  return policies.flatMap(({ shared, initialOnly }) => [shared ?? [], initialOnly ?? []].flat()).map(fieldPathOf)
}

interface Compared {
  readonly child: DeclaredChild
  readonly controller: ControllerPlan
  readonly fresh: LiveObject
  readonly live: LiveObject
  /** True if managedFields were reset, so no record shows the owner of undeclared fields. */
  readonly isReset: boolean
}

function differences({ child, controller, fresh, live, isReset }: Compared): readonly string[] {
  const { shared, initialOnly } = child.policy
  const leftNow = [shared ?? [], initialOnly ?? []].flat().map(fieldPathOf)
  const leftEver = policyPathsOf(controller, child)
  const declared = [...fieldsOf(fresh, (manager) => manager === freshManager)]
  const isLeft = (path: string) => leftEver.some((one) => isBelow(path, one) || isBelow(one, path))
  const isOwn = (manager: string) => manager.endsWith(`/${controller.kind.toLowerCase()}s.strangers.test`)
  const foreign = [...fieldsOf(live, (manager) => !isOwn(manager))].filter((path) => !declared.includes(path))
  const released = leftEver.filter((one) => leftNow.includes(one) || !declared.some((path) => isBelow(path, one)))
  const ignored = [...foreign, ...released]
  // Without managedFields nothing separates a default from a value of another manager.
  const expected = isReset ? declaredPart(fresh) : fresh
  const [wanted, has] = [expected, live].map((object) => withoutEmpty(withoutFields(comparable(object), ignored)))
  const ours = [...fieldsOf(live, isOwn)].filter((path) => !isStamp(path) && !isLeft(path))
  const surplus = ours.filter((path) => !declared.includes(path))
  // A changed record alone triggers no reconcile: the next one takes the fields again.
  const lacking = isReset ? [] : declared.filter((path) => !isLeft(path) && !ours.includes(path))
  return [
    ...(deepEqual(wanted as Json, has as Json) || (isReset && holds(has as Json, wanted as Json))
      ? []
      : [`is ${JSON.stringify(has)} and not ${JSON.stringify(wanted)}`]),
    ...(surplus.length === 0 ? [] : [`has fields of ours that are not declared: ${surplus.join(' ')}`]),
    ...(lacking.length === 0 ? [] : [`has declared fields that are not ours: ${lacking.join(' ')}`]),
  ]
}

/** Returns the object with only the fields that its fresh apply declares. */
function declaredPart(fresh: LiveObject): LiveObject {
  const { apiVersion, kind, metadata } = fresh
  const owned = ownedFieldsOf(fresh, freshManager)
  const part = owned === undefined ? {} : (project(asJson(fresh), owned) as JsonObject) // Part of an object.
  const { labels = {}, annotations = {} } = (part['metadata'] ?? {}) as Partial<LiveObject['metadata']>
  return { ...part, apiVersion, kind, metadata: { ...metadata, labels, annotations } }
}

/** True if `has` contains every member and list item of `wanted`. */
function holds(has: Json | undefined, wanted: Json | undefined): boolean {
  if (isJsonObject(wanted) && isJsonObject(has))
    return Object.entries(wanted).every(([name, value]) => holds(has[name], value))
  return isJsonList(wanted)
    ? isJsonList(has) && wanted.every((item) => has.some((other) => holds(other, item)))
    : has === wanted
}

const isStampKey = (key: string) => /^(applyset\.kubernetes\.io|(owner\.)?konverge\.dev)\//.test(key)

/** True for the path of metadata that the runtime adds to a child. */
function isStamp(path: string): boolean {
  const [first, second, third = ''] = JSON.parse(path) as readonly string[] // A path of fieldsOf.
  if (first !== 'f:metadata') return false
  return second === 'f:ownerReferences' || third === '.' || isStampKey(third.slice(2))
}

/** Drops empty lists and maps: a list that lost its last item stays, and a fresh apply has none. */
function withoutEmpty(value: Json | undefined): Json {
  if (value === undefined) return null
  if (isJsonList(value)) return value.map(withoutEmpty)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const)
  return Object.fromEntries(
    members.filter(([, member]) => typeof member !== 'object' || Object.keys(member ?? {}).length > 0),
  )
}

/** Returns the object without identity, times, managers and the runtime's metadata. */
function comparable({ metadata, status: _, spec, ...rest }: KubeObject): JsonObject {
  const plain = (map: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(map).filter(([key]) => !isStampKey(key)))
  const [labels, annotations] = [plain(metadata.labels), plain(metadata.annotations)]
  const body = spec === undefined ? {} : { spec: withoutExtension(spec as JsonObject) } // A child kind.
  return structuredClone({ ...rest, ...body, metadata: { labels, annotations } }) as unknown as JsonObject // A clone of JSON.
}

/**
 * Returns children that the resource no longer declares. The runtime finds none without its label
 * (docs/decisions/0088).
 */
function leftoverFaults(parent: RestingParent, { children }: WorldAtRest): readonly string[] {
  const declared = new Set(declaredNow(parent).map((child) => `${child.kind} ${keyOf(child)}`))
  const { uid, name } = parent.live.metadata
  const isHeldAtHome = (child: LiveObject) =>
    (controllerOf(child)?.uid === uid || isCoOwnedBy(child, uid)) &&
    ![undefined, 'other'].includes(child.metadata.labels?.[managedByLabel])
  return children
    .filter((child) => (isRemote(child, parent.live) ? isRecorded(child, parent.live) : isHeldAtHome(child)))
    .filter((child) => !isRetained(child) && !declared.has(`${child.kind} ${keyOf(nameIn(child))}`))
    .map((child) => `${parent.of} ${name}: ${child.kind} ${child.metadata.name} is not declared and still there`)
}

const nameIn = ({ kind, metadata: { name, namespace } }: LiveObject): ChildName => ({
  kind: kind as ChildName['kind'], // A child.
  name,
  namespace,
})

function isRetained({ metadata }: LiveObject): boolean {
  return metadata.annotations?.[pruneAnnotation] === 'disabled'
}

/** Returns children of resources that no longer exist. */
function orphanFaults({ parents, children, disowned }: WorldAtRest): readonly string[] {
  const uids = new Set(parents.map(({ live }) => live.metadata.uid))
  const ids = new Set(parents.map(({ live }) => applySetId(live)))
  return children.flatMap((child) => {
    const { name, labels, ownerReferences = [], deletionTimestamp } = child.metadata
    const id = labels?.[partOfLabel]
    const isLost =
      !disowned.has(child.metadata.uid) &&
      (ownerReferences.some(({ uid }) => !uids.has(uid)) || (id !== undefined && !ids.has(id) && !isRetained(child)))
    return [
      ...(isLost ? [`${child.kind} ${name} is an orphan`] : []),
      ...(deletionTimestamp === undefined ? [] : [`${child.kind} ${name} is still being deleted`]),
    ]
  })
}

function statusFaults({ of, live }: RestingParent, standing: Standing): readonly string[] {
  if (!hasStatus(of)) return []
  const title = `${of} ${live.metadata.name}`
  const { conditions = [], observedGeneration } = live.status ?? {}
  const { generation } = live.metadata
  const stale = conditions.filter((condition) => condition.observedGeneration !== generation).map(({ type }) => type)
  const statusOf = (type: string) => findCondition(conditions, type)?.status
  const wanted = { Ready: standing === 'ready' ? 'True' : 'False', Degraded: standing === 'failing' ? 'True' : 'False' }
  const has = { Ready: statusOf('Ready'), Degraded: statusOf('Degraded') }
  const told = findCondition(conditions, 'Ready')
  return [
    ...(observedGeneration === generation
      ? []
      : [`${title}: observedGeneration ${observedGeneration} is not ${generation}`]),
    ...(stale.length === 0 ? [] : [`${title}: stale conditions ${stale.join(' ')}`]),
    ...(deepEqual(has as Json, wanted)
      ? []
      : [`${title}: is ${standing}, and told ${JSON.stringify(has)} ${told?.reason}: ${told?.message}`]),
  ]
}
