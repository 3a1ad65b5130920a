// Adds the fields of the runtime to a child: labels for selection, the order of its deletion, and the owner reference
// for the garbage collector. Invariant: pod templates stay unchanged, because a label there would restart pods.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { coOwnerReferenceTo, ownerMarkOf } from '../object/co-owner.ts'
import type { KubeObject, LiveObject, OwnerReference } from '../object/object.ts'
import { ownerReferenceTo } from '../object/ownership.ts'
import { groupOf } from '../object/resource.ts'
import type { Draft } from './draft.ts'
import {
  applyOrderAnnotation,
  homeClusterLabel,
  type Membership,
  managedByLabel,
  ownedByLabel,
  partOfAnnotation,
  partOfLabel,
  pruneAnnotation,
  shardLabel,
} from './membership.ts'
import { annotationsProblem, labelsProblem } from './metadata-rules.ts'
import { reservedKeyProblem } from './reserved-keys.ts'
import { SynthError } from './synth-errors.ts'
import { wireJson } from './wire-json.ts'

export interface StampInput {
  readonly draft: Draft
  readonly wave: number
  readonly parent: LiveObject
  readonly membership: Membership
}

/**
 * Returns the object to apply, deeply frozen. Labels and annotations of the runtime win over declared ones of the same
 * key. A child that copies its parent's labels must not become a member of its grandparent. Other keys of konverge.dev
 * are rejected.
 *
 * Throws a SynthError of code `InvalidLabel` or `ReservedKey`.
 */
export function stampedObject({ draft, wave, parent, membership }: StampInput): KubeObject {
  const { apiVersion, kind, name, namespace, constructPath, content } = draft
  const { namespace: _, ...declared } = draft.metadata
  if (draft.policies.contribute) return unstampedObject(draft, parent)
  const stamp = draft.policies.coOwn
    ? coOwnerStamp(wave, parent, membership)
    : ownerStamp({ draft, wave, parent, membership })
  rejectReservedKeys(draft, parent, stamp)
  const labels = { ...mapOf(draft, 'labels'), ...stamp.labels }
  const annotations = { ...mapOf(draft, 'annotations'), ...stamp.annotations }
  const problem = labelsProblem(labels) ?? annotationsProblem(annotations)
  if (problem !== undefined) throw invalid(constructPath, problem)
  const metadata = wireJson(
    {
      ...declared,
      name,
      namespace,
      labels,
      annotations,
      ...(stamp.owner === undefined ? {} : { ownerReferences: [{ ...stamp.owner }] }),
    },
    { name: `construct ${constructPath}`, constructPath },
  )
  // Sound: a draft has a valid name, and its labels and annotations were checked above.
  return Object.freeze({ apiVersion, kind, metadata, ...content }) as unknown as KubeObject
}

interface Stamp {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly owner: OwnerReference | undefined
}

function ownerStamp({ draft, wave, parent, membership }: StampInput): Stamp {
  const owned = membership[homeClusterLabel] === undefined && isOwned(draft, parent)
  const annotations = {
    [applyOrderAnnotation]: String(wave),
    ...(owned ? {} : { [partOfAnnotation]: membership[partOfLabel] }),
    ...(draft.policies.retain ? { [pruneAnnotation]: 'disabled' } : {}),
  }
  return { labels: { ...membership }, annotations, owner: owned ? ownerReferenceTo(parent) : undefined }
}

/**
 * Labels that all owners of the operator share, and a mark of this owner. An ApplySet has one parent, so the object is
 * in none.
 */
function coOwnerStamp(wave: number, parent: LiveObject, membership: Membership): Stamp {
  const shard = membership[shardLabel]
  const mark = ownerMarkOf(parent.metadata.uid)
  return {
    labels: {
      [managedByLabel]: membership[managedByLabel],
      ...(shard === undefined ? {} : { [shardLabel]: shard }),
      [mark]: membership[ownedByLabel],
    },
    annotations: { [mark]: String(wave) },
    owner: coOwnerReferenceTo(ownerReferenceTo(parent)),
  }
}

/** Rejects declared reserved keys that the stamp does not replace. */
function rejectReservedKeys(draft: Draft, { apiVersion }: LiveObject, stamp?: Stamp): void {
  const keysOf = (field: 'labels' | 'annotations') =>
    Object.keys(mapOf(draft, field)).filter((key) => !Object.hasOwn(stamp?.[field] ?? {}, key))
  const declared = { labels: keysOf('labels'), annotations: keysOf('annotations'), group: groupOf(apiVersion) }
  const problem = reservedKeyProblem(declared)
  if (problem === undefined) return
  const { constructPath } = draft
  throw new SynthError({ code: 'ReservedKey', message: `construct ${constructPath} ${problem}`, constructPath })
}

/** Returns the declared part of an object of another owner. */
function unstampedObject(draft: Draft, parent: LiveObject): KubeObject {
  const { apiVersion, kind, name, namespace, constructPath, content } = draft
  rejectReservedKeys(draft, parent)
  const problem = labelsProblem(mapOf(draft, 'labels')) ?? annotationsProblem(mapOf(draft, 'annotations'))
  if (problem !== undefined) throw invalid(constructPath, problem)
  const owner = { name: `construct ${constructPath}`, constructPath }
  const metadata = wireJson({ ...draft.metadata, name, namespace }, owner)
  // Sound: see above.
  return Object.freeze({ apiVersion, kind, metadata, ...content }) as unknown as KubeObject
}

/**
 * An owner owns in its own cluster only: the garbage collector of another cluster would consider it deleted. A
 * namespaced owner can own in its namespace only, a cluster-scoped one everywhere. A retained object has no owner,
 * because the garbage collector would delete it with its owner.
 */
function isOwned({ namespace, policies }: Draft, parent: LiveObject): boolean {
  const home = parent.metadata.namespace
  return !policies.retain && (home === undefined || namespace === home)
}

function mapOf({ metadata, constructPath }: Draft, field: 'labels' | 'annotations'): JsonObject {
  const map = metadata[field] ?? {}
  if (isJsonObject(map)) return map
  throw invalid(constructPath, `metadata.${field} is no map`)
}

function invalid(constructPath: string, problem: string): SynthError {
  return new SynthError({ code: 'InvalidLabel', message: `construct ${constructPath}: ${problem}`, constructPath })
}
