// Fields of a pod that this node ignores, because a process without namespaces and cgroups cannot have them. One Event
// names them, so that users do not rely on them. docs/local-node.md has the table.
import type { PodReport } from './event-book.ts'
import { allContainersOf, type ContainerSpec, type PodObject } from './pod.ts'

const containerRules: readonly (readonly [field: string, isSet: (container: ContainerSpec) => boolean])[] = [
  ['resources.limits', ({ resources }) => Object.keys(resources?.limits ?? {}).length > 0],
  ['volumeDevices', ({ volumeDevices = [] }) => volumeDevices.length > 0],
  ['ports.hostPort', ({ ports = [] }) => ports.some(({ hostPort = 0 }) => hostPort > 0)],
  ['stdin', ({ stdin }) => stdin === true],
  ['tty', ({ tty }) => tty === true],
]
/** Ignored fields of security contexts of pods and containers. A value that matches reality anyway is not reported. */
const securityFields = [
  'appArmorProfile',
  'capabilities',
  'privileged',
  'procMount',
  'readOnlyRootFilesystem',
  'seLinuxOptions',
  'seccompProfile',
  'supplementalGroups',
  'sysctls',
] as const
const podFields = ['ephemeralContainers', 'hostAliases', 'dnsConfig'] as const

/** Returns the ignored fields that the pod sets. `userIdOf` returns the user of a container's process. */
export function ignoredFields(
  pod: PodObject,
  userIdOf: (container: ContainerSpec) => number | undefined,
): readonly string[] {
  const containers = allContainersOf(pod)
  const { spec } = pod
  const contexts = [spec.securityContext, ...containers.map(({ securityContext }) => securityContext)]
  const asked = (container: ContainerSpec, field: string) =>
    container.securityContext?.[field] ?? spec.securityContext?.[field]
  const isOtherUser = (container: ContainerSpec) => {
    const userId = asked(container, 'runAsUser')
    return userId !== undefined && userId !== userIdOf(container)
  }
  const isRoot = (container: ContainerSpec) => asked(container, 'runAsNonRoot') === true && userIdOf(container) === 0
  // The node rewrites files of objects, so only writes to data volumes could do harm.
  const data = (spec.volumes ?? []).filter(
    (volume) => volume.emptyDir ?? volume.hostPath ?? volume.persistentVolumeClaim,
  )
  const isReadOnly = ({ volumeMounts = [] }: ContainerSpec) =>
    volumeMounts.some((mount) => mount.readOnly === true && data.some(({ name }) => name === mount.name))
  return [
    ...(containers.some(isReadOnly) ? ['volumeMounts.readOnly'] : []),
    ...containerRules.filter(([, isSet]) => containers.some(isSet)).map(([field]) => field),
    ...(containers.some(isOtherUser) ? ['securityContext.runAsUser'] : []),
    ...(containers.some(isRoot) ? ['securityContext.runAsNonRoot'] : []),
    ...securityFields
      .filter((field) => contexts.some((context) => isAsked(context?.[field])))
      .map((field) => `securityContext.${field}`),
    ...podFields.filter((field) => isAsked(spec[field])),
  ]
}

export function ignoredReport(fields: readonly string[]): PodReport {
  const message = `The local node runs containers as processes of this machine and ignores ${fields.join(', ')}; docs/local-node.md says what it keeps`
  return { type: 'Normal', reason: 'LocalNodeIgnores', message }
}

function isAsked(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== false
}
