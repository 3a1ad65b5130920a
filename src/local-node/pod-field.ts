// Values of `fieldRef`, e.g. `metadata.name`: fields of the pod as text, for variables and downward API files. Source:
// kubernetes/pkg/fieldpath and kubelet_pods.go podFieldSelectorRuntimeValue.
import type { PodObject } from './pod.ts'
import { ContainerConfigError } from './source-objects.ts'

export interface PodPlace {
  readonly podIp: string
  readonly hostIp: string
  readonly nodeName: string
}

const subscripted = /^metadata\.(labels|annotations)\['(.*)'\]$/

/** Returns the value of a field. Throws a ContainerConfigError for a path that a kubelet does not support. */
export function podFieldValue({ metadata, spec }: PodObject, path: string, place: PodPlace): string {
  const [, map, key] = subscripted.exec(path) ?? []
  if (map === 'labels' || map === 'annotations') return metadata[map]?.[key ?? ''] ?? ''
  switch (path) {
    case 'metadata.name':
      return metadata.name
    case 'metadata.namespace':
      return metadata.namespace ?? ''
    case 'metadata.uid':
      return metadata.uid
    case 'metadata.labels':
      return listed(metadata.labels ?? {})
    case 'metadata.annotations':
      return listed(metadata.annotations ?? {})
    case 'spec.nodeName':
      return place.nodeName
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return place.hostIp
    case 'status.podIP':
    case 'status.podIPs':
      return place.podIp
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${path}`)
  }
}

/**
 * Formats `key="value"` lines, sorted by key. JSON quotes like Go, except for characters that are invalid in labels and
 * unusual in annotations.
 */
function listed(values: Readonly<Record<string, string>>): string {
  return Object.keys(values)
    .sort()
    .map((key) => `${key}=${JSON.stringify(values[key])}`)
    .join('\n')
}
