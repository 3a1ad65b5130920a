// ReplicaSets of a Deployment: the current one, new ones and their annotations.
// Source: k8s.io/kubernetes/pkg/controller/deployment/{sync.go,util/deployment_util.go}.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import {
  integerAt,
  isTrueAt,
  mapAt,
  structAt,
  structIn,
  textAt,
  valueAt,
  withField,
} from '../../built-in/field-walk.ts'
import { labelsOf, metadataOf, metadataText, withMetadata } from '../../metadata.ts'
import { controllerReference } from './membership.ts'
import { fnv32a, goMapJson, safeHash } from './name-hash.ts'
import { desiredReplicas } from './replica-set-plan.ts'
import { scaledValue } from './scaled-value.ts'
import { templateOf } from './template-pod.ts'

const hashLabel = 'pod-template-hash'
export const revisionAnnotation = 'deployment.kubernetes.io/revision'
const historyAnnotation = 'deployment.kubernetes.io/revision-history'
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
const maxAnnotation = 'deployment.kubernetes.io/max-replicas'
/** Limit of the revision history annotation, about a hundred revisions. */
const maxHistoryLength = 2_000

/** Annotations that a ReplicaSet does not inherit. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
])

export function isRolling(deployment: JsonObject): boolean {
  return textAt(structIn(deployment, 'spec', 'strategy'), 'type') === 'RollingUpdate'
}

export function maxSurge(deployment: JsonObject): number {
  if (!isRolling(deployment)) return 0
  return scaledValue(rollingValue(deployment, 'maxSurge'), desiredReplicas(deployment), 'up')
}

/** Returns at least 1 if the surge is 0, because otherwise no pod could be replaced. */
export function maxUnavailable(deployment: JsonObject): number {
  const replicas = desiredReplicas(deployment)
  if (!isRolling(deployment) || replicas === 0) return 0
  const unavailable = scaledValue(rollingValue(deployment, 'maxUnavailable'), replicas, 'down')
  return Math.min(replicas, maxSurge(deployment) === 0 && unavailable === 0 ? 1 : unavailable)
}

/** Returns the oldest set with the template of the Deployment. */
export function currentSet(deployment: JsonObject, sets: readonly JsonObject[]): JsonObject | undefined {
  const wanted = templateOf(deployment)
  return byAge(sets).find((set) => deepEqual(withoutHash(templateOf(set)), wanted))
}

/** Returns the sets, oldest first. */
export function byAge(sets: readonly JsonObject[]): readonly JsonObject[] {
  const age = (set: JsonObject) => metadataText(set, 'creationTimestamp') + metadataText(set, 'name')
  return [...sets].sort((left, right) => (age(left) < age(right) ? -1 : age(left) > age(right) ? 1 : 0))
}

export function revisionOfSet(set: JsonObject): number {
  return Number(annotationsOf(set)[revisionAnnotation] ?? 0) || 0
}

export function nextRevision(olds: readonly JsonObject[]): number {
  return Math.max(0, ...olds.map(revisionOfSet)) + 1
}

/** Returns a new ReplicaSet for the Deployment's template. */
export function newSet(
  deployment: JsonObject,
  { replicas, revision }: { readonly replicas: number; readonly revision: number },
): JsonObject {
  const template = templateOf(deployment)
  const hash = templateHash(deployment)
  const labels = { ...mapAt(structAt(template, 'metadata'), 'labels'), [hashLabel]: hash }
  const name = metadataText(deployment, 'name')
  const selector = mapAt(structAt(deployment, 'spec'), 'selector')
  const set: JsonObject = {
    metadata: {
      name: `${name.slice(0, 252 - hash.length)}-${hash}`,
      namespace: metadataText(deployment, 'namespace'),
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      minReadySeconds: integerAt(structAt(deployment, 'spec'), 'minReadySeconds'),
      selector: { ...selector, matchLabels: { ...mapAt(selector, 'matchLabels'), [hashLabel]: hash } },
      template: { ...template, metadata: { ...mapAt(template, 'metadata'), labels } },
    },
  }
  return withScaleAnnotations(inheriting(set, deployment, revision), deployment)
}

/** Returns an existing set as the current one: with the Deployment's annotations and the newest revision. */
export function asCurrent(set: JsonObject, deployment: JsonObject, revision: number): JsonObject {
  const seconds = integerAt(structAt(deployment, 'spec'), 'minReadySeconds')
  const spec = mapAt(set, 'spec')
  const timed = integerAt(spec, 'minReadySeconds') === seconds ? spec : withField(spec, 'minReadySeconds', seconds)
  return inheriting(withField(set, 'spec', timed), deployment, revision)
}

/** Returns the set with `replicas` and the annotations from which later scalings compute proportions. */
export function scaled(set: JsonObject, replicas: number, deployment: JsonObject): JsonObject {
  return withScaleAnnotations(withField(set, 'spec', withField(mapAt(set, 'spec'), 'replicas', replicas)), deployment)
}

/** Returns the Deployment's desired replicas at the last scaling of the set. */
export function scaledFor(set: JsonObject): number | undefined {
  const text = annotationsOf(set)[desiredAnnotation]
  return text === undefined ? undefined : Number(text)
}

export function maxBeforeScale(set: JsonObject): number {
  return Number(annotationsOf(set)[maxAnnotation] ?? 0) || 0
}

export function isPaused(deployment: JsonObject): boolean {
  return isTrueAt(structAt(deployment, 'spec'), 'paused')
}

function inheriting(set: JsonObject, deployment: JsonObject, revision: number): JsonObject {
  const before = annotationsOf(set)
  const inherited = Object.entries(annotationsOf(deployment)).filter(([key]) => !ownAnnotations.has(key))
  const old = before[revisionAnnotation]
  const isNewer = revisionOfSet(set) < revision
  const history =
    isNewer && old !== undefined ? { [historyAnnotation]: withHistory(before[historyAnnotation], old) } : {}
  const annotations = {
    ...before,
    ...Object.fromEntries(inherited),
    ...(isNewer ? { [revisionAnnotation]: String(revision) } : {}),
    ...history,
  }
  return deepEqual(before, annotations) ? set : withMetadata(set, { annotations })
}

function withHistory(history: string | undefined, revision: string): string {
  const revisions = [...(history === undefined || history === '' ? [] : history.split(',')), revision]
  while (revisions.join(',').length > maxHistoryLength) revisions.shift()
  return revisions.join(',')
}

function withScaleAnnotations(set: JsonObject, deployment: JsonObject): JsonObject {
  const desired = desiredReplicas(deployment)
  const annotations = {
    ...annotationsOf(set),
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + maxSurge(deployment)),
  }
  return deepEqual(annotationsOf(set), annotations) ? set : withMetadata(set, { annotations })
}

/** Stable hash in the form of the real one, which hashes Go's memory layout of the template. */
function templateHash(deployment: JsonObject): string {
  const collisions = valueAt(structAt(deployment, 'status'), 'collisionCount')
  return safeHash(fnv32a(`${goMapJson(templateOf(deployment))}${typeof collisions === 'number' ? collisions : ''}`))
}

function withoutHash(template: JsonObject): JsonObject {
  const { [hashLabel]: _, ...labels } = labelsOf(template)
  return withMetadata(template, { labels })
}

function annotationsOf(object: JsonObject): Readonly<Record<string, string>> {
  return mapAt(metadataOf(object), 'annotations') as Readonly<Record<string, string>> // Checked when it was written.
}

function rollingValue(deployment: JsonObject, key: string) {
  return valueAt(structIn(deployment, 'spec', 'strategy', 'rollingUpdate'), key)
}
