// What runs in each pod of an operator? One container that writes nothing to its disk, is nobody, and is the only one that
// gets the service account's token. Fulfils the Pod Security Standard `restricted`.
import type { Manifest } from './manifest.ts'
import type { OperatorInstallProps } from './operator-install-props.ts'

/** Where the operator serves /healthz, /readyz and /metrics. */
export const operatorPort = { name: 'http', number: 8080 } as const

/** The port of its own that metrics have, if they have one. */
export function metricsPorts(
  number: number | undefined,
): readonly { readonly name: string; readonly number: number }[] {
  return number === undefined ? [] : [{ name: 'metrics', number }]
}

/** Distroless' `nonroot`. */
const userId = 65532
/** By default an operator ends within ten seconds of SIGTERM; this leaves it three times as long. */
const graceSeconds = 30

/** The label by which Deployment, Service and budget find the pods. Immutable once it is applied. */
export function operatorSelectorLabels(name: string): Readonly<Record<string, string>> {
  return { 'konverge.dev/operator': name }
}

/** The labels of every object: the selector's, and the recommended ones for people and tools. */
export function operatorLabels(name: string): Readonly<Record<string, string>> {
  return {
    ...operatorSelectorLabels(name),
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/component': 'operator',
  }
}

/** The spec of the Deployment's pods. */
export function operatorPodSpec(props: OperatorInstallProps & { readonly name: string }): Manifest {
  const { name } = props
  return {
    serviceAccountName: name,
    automountServiceAccountToken: true,
    terminationGracePeriodSeconds: props.terminationGracePeriodSeconds ?? graceSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: userId,
      runAsGroup: userId,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    // Replicas that share a node or a zone fall together, but better so than not to run.
    topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: operatorSelectorLabels(name) },
    })),
    containers: [container(props)],
  }
}

function container({ image, args = ['run'], resources, metricsPort }: OperatorInstallProps): Manifest {
  return {
    name: 'operator',
    image,
    args,
    // What workers of it run, in Jobs. Kubernetes reads `$$` in values as `$`.
    env: [{ name: 'KONVERGE_IMAGE', value: image.replaceAll('$', '$$$$') }],
    ports: [operatorPort, ...metricsPorts(metricsPort)].map(({ name, number }) => ({
      ...{ name, containerPort: number, protocol: 'TCP' },
    })),
    resources: resources ?? { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '512Mi' } },
    livenessProbe: { httpGet: { path: '/healthz', port: operatorPort.name } },
    readinessProbe: { httpGet: { path: '/readyz', port: operatorPort.name } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  }
}
