// Draft of one object: the JSON of an ApiObject after overlays and without shared fields. Invariant: its kind, scope
// and name are valid, and it sets no field that belongs to the API server or to the runtime.
import type { ApiObject } from 'cdk8s'
import { messageOf } from '../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { keptKinds } from '../object/kept-kinds.ts'
import type { LiveObject } from '../object/object.ts'
import { groupKindOf } from '../object/resource.ts'
import { pathOf } from './construct-path.ts'
import { type FieldPolicies, policiesOf } from './field-policies.ts'
import { withoutField } from './field-selector.ts'
import { nameKeyAnnotation } from './membership.ts'
import { nameProblem } from './metadata-rules.ts'
import { generatedName } from './names.ts'
import { applyOverlays, type Overlay } from './overlay.ts'
import { protoKeyIn } from './proto-key.ts'
import { SynthError, type SynthErrorCode } from './synth-errors.ts'
import { wireJson } from './wire-json.ts'

/** Relation of an object to its resource: created by it, or created by another owner and contributed to. */
export type Role = 'child' | 'contribution'

/**
 * Returns the scope of a kind by its descriptor. Undefined if the controller does not declare the kind for this role.
 */
export type ScopeOf = (apiVersion: string, kind: string, role: Role) => 'Namespaced' | 'Cluster' | undefined

/** An object before the runtime adds labels, annotations and owner references. */
export interface Draft {
  readonly apiObject: ApiObject
  readonly constructPath: string
  readonly apiVersion: string
  readonly kind: string
  readonly groupKind: string
  readonly name: string
  /** Absent for cluster-scoped kinds. */
  readonly namespace: string | undefined
  /** As declared, with name and namespace. */
  readonly metadata: JsonObject
  /** Every other top-level field. */
  readonly content: JsonObject
  readonly policies: FieldPolicies
}

export interface DraftInput {
  readonly apiObject: ApiObject
  readonly overlays: readonly Overlay[]
  readonly parent: LiveObject
  readonly scopeOf: ScopeOf
  /** True if the objects are for another cluster than that of the parent. Default false. */
  readonly isElsewhere?: boolean
}

/** Fields that the API server or the runtime writes. */
const forbiddenMetadata: readonly string[] = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]

/** Returns the draft of an ApiObject. Throws a SynthError that names the construct. */
export function draftOf({ apiObject, overlays, parent, scopeOf, isElsewhere = false }: DraftInput): Draft {
  const constructPath = pathOf(apiObject)
  const asked = policiesOf(apiObject)
  const patched = applyOverlays(render(apiObject, constructPath), overlays, constructPath)
  const written = asked.shared.reduce((json: Json, path) => withoutField(json, path), patched)
  const { apiVersion, kind, metadata, ...content } = wireObject(written, constructPath)
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw rejection('UnknownKind', constructPath, 'makes an object without apiVersion or kind; set both')
  }
  const groupKind = groupKindOf({ apiVersion, kind })
  const { generateName, ...declared } = isJsonObject(metadata) ? metadata : {}
  rejectForbiddenFields(declared, content, constructPath)
  const name = nameOf(declared, groupKind, constructPath)
  const generated = generatedNameOf(parent, groupKind, metadata)
  if (generateName !== undefined && generateName !== '' && generated !== name) {
    const instead = `leave metadata.name out, and set metadata.generateName and the annotation ${nameKeyAnnotation} as strings where the object is made`
    throw rejection('InvalidName', constructPath, `has metadata.generateName and another name, ${name}; ${instead}`)
  }
  const namespace = namespaceOf({
    kind,
    declared,
    parent,
    scope: scopeIn({ apiVersion, kind, policies: asked, scopeOf, constructPath }),
    constructPath,
  })
  const isNamesake = name === parent.metadata.name && namespace === parent.metadata.namespace
  const isSelf = groupKind === groupKindOf(parent) && isNamesake && !isElsewhere
  const retain = asked.retain || (!asked.contribute && keptKinds.has(groupKind))
  const policies = { ...asked, isSelf, retain }
  if (policies.coOwn) rejectCoOwning({ policies, parent, namespace, isElsewhere, constructPath })
  if (isSelf && !policies.contribute) {
    const problem = `makes ${kind} ${name}, which is the resource that it is built for; give it another name, or set fields of the resource with contribute`
    throw rejection('OwnIdentity', constructPath, problem)
  }
  return {
    apiObject,
    constructPath,
    apiVersion,
    kind,
    groupKind,
    name,
    namespace,
    metadata: declared,
    content,
    policies,
  }
}

interface CoOwningInput extends Pick<Draft, 'policies' | 'namespace' | 'constructPath'> {
  readonly parent: LiveObject
  readonly isElsewhere: boolean
}

/**
 * Rejects co-owning where it cannot work. The garbage collector deletes an object without owners, and owner references
 * end at the border of a namespace and of a cluster.
 */
function rejectCoOwning({ policies, parent, namespace, isElsewhere, constructPath }: CoOwningInput): void {
  const other = policies.contribute
    ? 'contribute'
    : policies.recreateOnChange !== undefined
      ? 'recreateOnChange'
      : policies.retain
        ? 'retain, which volume claims, namespaces and CRDs always have'
        : undefined
  if (other !== undefined)
    throw rejection('InvalidPolicy', constructPath, `has coOwn and ${other}; leave one of them out`)
  if (!isElsewhere && namespace === parent.metadata.namespace) return
  const problem =
    'has coOwn and is in another namespace or cluster than its owner; put the object beside its owners, or leave coOwn out'
  throw rejection('InvalidPolicy', constructPath, problem)
}

/** Returns the name for `generateName` in this metadata; undefined without `generateName`. */
export function generatedNameOf(parent: LiveObject, groupKind: string, metadata: unknown): string | undefined {
  if (!isJsonObject(metadata)) return undefined
  const { generateName: prefix, annotations } = metadata
  if (typeof prefix !== 'string' || prefix === '') return undefined
  const key = isJsonObject(annotations) ? annotations[nameKeyAnnotation] : undefined
  return generatedName({ uid: parent.metadata.uid, groupKind, prefix, key: typeof key === 'string' ? key : '' })
}

function render(apiObject: ApiObject, constructPath: string): JsonObject {
  // cdk8s keeps the declared values in a private field, and loses this key.
  const lost = protoKeyIn(Reflect.get(apiObject, 'props'))
  if (lost !== undefined) {
    const problem = `declares /${lost.join('/')}, and constructs drop a field of this name; leave it out, or set it with an overlay`
    throw rejection('NotJson', constructPath, problem)
  }
  try {
    // cdk8s types it as any; wireJson rejects values that are not JSON.
    return apiObject.toJson() as JsonObject
  } catch (cause) {
    const problem = `cannot be written as JSON: ${messageOf(cause)}; give it plain JSON values`
    throw rejection('NotJson', constructPath, problem, cause)
  }
}

function wireObject(written: Json, constructPath: string): JsonObject {
  const wire = wireJson(written, { name: `construct ${constructPath}`, constructPath })
  if (isJsonObject(wire)) return wire
  throw rejection('NotJson', constructPath, 'makes no object')
}

function rejectForbiddenFields(metadata: JsonObject, content: JsonObject, constructPath: string): void {
  const field = forbiddenMetadata.find((name) => Object.hasOwn(metadata, name))
  const path = field === undefined ? (Object.hasOwn(content, 'status') ? 'status' : undefined) : `metadata.${field}`
  if (path === undefined) return
  throw rejection(
    'ForbiddenField',
    constructPath,
    `declares ${path}, which the API server or the runtime writes; leave it out`,
  )
}

function nameOf(metadata: JsonObject, groupKind: string, constructPath: string): string {
  const { name } = metadata
  if (typeof name !== 'string' || name === '') {
    throw rejection('MissingName', constructPath, 'has no metadata.name; leave it out to have one made, or set it')
  }
  const problem = nameProblem(groupKind, name)
  if (problem === undefined) return name
  throw rejection(
    'InvalidName',
    constructPath,
    `names its ${groupKind} "${name}", which ${problem}; give another metadata.name`,
  )
}

interface NamespaceInput {
  readonly kind: string
  readonly declared: JsonObject
  readonly parent: LiveObject
  readonly scope: 'Namespaced' | 'Cluster'
  readonly constructPath: string
}

interface ScopeInput {
  readonly apiVersion: string
  readonly kind: string
  readonly policies: FieldPolicies
  readonly scopeOf: ScopeOf
  readonly constructPath: string
}

function scopeIn({ apiVersion, kind, policies, scopeOf, constructPath }: ScopeInput): 'Namespaced' | 'Cluster' {
  const scope = scopeOf(apiVersion, kind, policies.contribute ? 'contribution' : 'child')
  if (scope !== undefined) return scope
  if (policies.contribute) {
    const problem = `contributes to a ${kind} of ${apiVersion}, which the controller does not watch; add the kind to its watches, with contributes: true`
    throw rejection('InvalidPolicy', constructPath, problem)
  }
  const problem = `makes a ${kind} of ${apiVersion}, which the controller does not own; add the kind to its owns, or correct the apiVersion`
  throw rejection('KindNotOwned', constructPath, problem)
}

/**
 * The chart sets its namespace on every object. On a cluster-scoped kind, only a different namespace was declared on
 * purpose.
 */
function namespaceOf({ kind, declared, parent, scope, constructPath }: NamespaceInput): string | undefined {
  const home = parent.metadata.namespace
  const namespace = declared.namespace ?? home
  if (scope === 'Cluster') {
    if (namespace === home) return undefined
    throw rejection(
      'ScopeMismatch',
      constructPath,
      `sets a namespace on a ${kind}, which is cluster-scoped; leave it out`,
    )
  }
  if (namespace === undefined) {
    const problem = `makes a ${kind} without metadata.namespace; ${parent.kind} is cluster-scoped, so it must be set`
    throw rejection('ScopeMismatch', constructPath, problem)
  }
  const problem = typeof namespace === 'string' ? nameProblem('Namespace', namespace) : 'is no string'
  if (typeof namespace === 'string' && problem === undefined) return namespace
  throw rejection('InvalidName', constructPath, `sets metadata.namespace to "${String(namespace)}", which ${problem}`)
}

function rejection(code: SynthErrorCode, constructPath: string, problem: string, cause?: unknown): SynthError {
  return new SynthError({ code, message: `construct ${constructPath} ${problem}`, constructPath, cause })
}
