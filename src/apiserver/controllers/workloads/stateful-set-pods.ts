// Pods and claims of a StatefulSet by ordinal, and the check whether a pod has the identity and storage of its ordinal.
// Source: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, structIn, structsAt, textAt, withField } from '../../built-in/field-walk.ts'
import { labelsOf, metadataOf, metadataText, withMetadata } from '../../metadata.ts'
import { templatePod } from './template-pod.ts'

const podNameLabel = 'statefulset.kubernetes.io/pod-name'
const podIndexLabel = 'apps.kubernetes.io/pod-index'
const revisionLabel = 'controller-revision-hash'
const ordinalName = /^(.*)-([0-9]+)$/

/** Returns the ordinal of a member's name; undefined for a pod that is no member. */
export function ordinalOf(set: JsonObject, pod: JsonObject): number | undefined {
  const [, parent, ordinal] = ordinalName.exec(metadataText(pod, 'name')) ?? []
  return parent === metadataText(set, 'name') ? Number(ordinal) : undefined
}

export function firstOrdinal(set: JsonObject): number {
  return integerAt(structIn(set, 'spec', 'ordinals'), 'start')
}

export function replicasOf(set: JsonObject): number {
  return integerAt(structAt(set, 'spec'), 'replicas')
}

export function isInRange(set: JsonObject, pod: JsonObject): boolean {
  const place = (ordinalOf(set, pod) ?? -1) - firstOrdinal(set)
  return place >= 0 && place < replicasOf(set)
}

/** Returns the name of a pod's revision. */
export function revisionOf(pod: JsonObject): string {
  return labelsOf(pod)[revisionLabel] ?? ''
}

/** Returns the pod for an ordinal from the template of a revision. */
export function memberPod(set: JsonObject, ordinal: number, revision: JsonObject): JsonObject {
  const name = `${metadataText(set, 'name')}-${ordinal}`
  const pod = templatePod(set, structIn(revision, 'data', 'spec', 'template') ?? {})
  const named = withMetadata(pod, {
    name,
    labels: { ...labelsOf(pod), ...identityLabels(name, ordinal), [revisionLabel]: metadataText(revision, 'name') },
  })
  const serviceName = textAt(structAt(set, 'spec'), 'serviceName')
  const spec = { ...mapAt(pod, 'spec'), hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }) }
  return withStorage(set, { ...named, spec }, ordinal)
}

export function hasIdentity(set: JsonObject, pod: JsonObject): boolean {
  return ordinalOf(set, pod) !== undefined && labelsOf(pod)[podNameLabel] === metadataText(pod, 'name')
}

export function hasStorage(set: JsonObject, pod: JsonObject): boolean {
  const volumes = structsAt(structAt(pod, 'spec'), 'volumes')
  return claimsOf(set, ordinalOf(set, pod) ?? -1).every(({ template, name }) =>
    volumes.some(
      (volume) =>
        textAt(volume, 'name') === template && textAt(structAt(volume, 'persistentVolumeClaim'), 'claimName') === name,
    ),
  )
}

/** Returns the pod with the labels and volumes of its ordinal. */
export function repaired(set: JsonObject, pod: JsonObject): JsonObject {
  const ordinal = ordinalOf(set, pod) ?? -1
  const labelled = hasIdentity(set, pod)
    ? pod
    : withMetadata(pod, { labels: { ...labelsOf(pod), ...identityLabels(metadataText(pod, 'name'), ordinal) } })
  return hasStorage(set, pod) ? labelled : withStorage(set, labelled, ordinal)
}

export interface MemberClaim {
  /** Name of the claim template, and of the pod's volume. */
  readonly template: string
  readonly name: string
  readonly claim: JsonObject
}

/** Returns the claims of the pod at an ordinal. */
export function claimsOf(set: JsonObject, ordinal: number): readonly MemberClaim[] {
  const spec = structAt(set, 'spec')
  return structsAt(spec, 'volumeClaimTemplates').map((template) => {
    const name = `${metadataText(template, 'name')}-${metadataText(set, 'name')}-${ordinal}`
    const { apiVersion: _, kind: __, status: ___, ...claim } = template
    return {
      template: metadataText(template, 'name'),
      name,
      claim: withMetadata(claim, {
        name,
        namespace: metadataText(set, 'namespace'),
        labels: { ...mapAt(metadataOf(template), 'labels'), ...mapAt(structAt(spec, 'selector'), 'matchLabels') },
      }),
    }
  })
}

function identityLabels(name: string, ordinal: number): Readonly<Record<string, string>> {
  return { [podNameLabel]: name, [podIndexLabel]: String(ordinal) }
}

function withStorage(set: JsonObject, pod: JsonObject, ordinal: number): JsonObject {
  const claims = claimsOf(set, ordinal)
  if (claims.length === 0) return pod
  const spec = mapAt(pod, 'spec')
  const others = structsAt(spec, 'volumes').filter(
    (volume) => !claims.some(({ template }) => template === textAt(volume, 'name')),
  )
  const volumes = claims.map(({ template, name }) => ({ name: template, persistentVolumeClaim: { claimName: name } }))
  return withField(pod, 'spec', withField(spec, 'volumes', [...volumes, ...others]))
}
