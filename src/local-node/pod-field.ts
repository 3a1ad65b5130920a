// What is `fieldRef: { fieldPath: metadata.name }`? A field of the pod as text, for variables and downward API files. Source:
// kubernetes/pkg/fieldpath and kubelet_pods.go podFieldSelectorRuntimeValue.
import type { PodObject } from './pod.ts'
import { ContainerConfigError } from './source-objects.ts'

export interface PodPlace {
  readonly podIp: string
  readonly hostIp: string
  readonly nodeName: string
}

const subscripted = /^metadata\.(labels|annotations)\['(.*)'\]$/

/** Throws a ContainerConfigError for a path that no kubelet knows. */
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

/** `key="value"` lines by key. JSON quotes as Go does, but for characters that no label or sane annotation holds. */
function listed(values: Readonly<Record<string, string>>): string {
  return Object.keys(values)
    .sort()
    .map((key) => `${key}=${JSON.stringify(values[key])}`)
    .join('\n')
}
