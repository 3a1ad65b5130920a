// Pod of an operator: one container with a read-only disk and an unprivileged user. Only it gets the service account's
// token. Conforms to the Pod Security Standard `restricted`.
import type { Manifest } from './manifest.ts'
import type { OperatorInstallProps } from './operator-install-props.ts'

/** Port of /healthz, /readyz and /metrics. */
export const operatorPort = { name: 'http', number: 8080 } as const

/** Separate port of the metrics, if they have one. */
export function metricsPorts(
  number: number | undefined,
): readonly { readonly name: string; readonly number: number }[] {
  return number === undefined ? [] : [{ name: 'metrics', number }]
}

/** Distroless' `nonroot`. */
const userId = 65532
/** By default an operator ends within ten seconds of SIGTERM; this allows three times as long. */
const graceSeconds = 30

/** Returns the label by which Deployment, Service and PodDisruptionBudget select the pods. Immutable once applied. */
export function operatorSelectorLabels(name: string): Readonly<Record<string, string>> {
  return { 'konverge.dev/operator': name }
}

/** Returns the labels of every object: those of the selector, and the recommended ones for people and tools. */
export function operatorLabels(name: string): Readonly<Record<string, string>> {
  return {
    ...operatorSelectorLabels(name),
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/component': 'operator',
  }
}

/** Returns the pod spec of the Deployment. */
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
    // Replicas on one node or in one zone fail together, but a pending replica would be worse.
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
    // Image of its workers' Jobs. Kubernetes reads `$$` in values as `$`.
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
