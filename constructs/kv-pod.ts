// Pod template of a store. Invariant: it does not depend on the number of replicas, because a changed template restarts
// every pod. Wire shape, without values that the API server drops (zero, empty), so that the live object equals the
// declaration.
import type {
  ReplicatedKVStoreSpecEnv,
  ReplicatedKVStoreSpecPodTemplateTolerations,
  ReplicatedKVStoreSpecProbesLiveness,
  ReplicatedKVStoreSpecResources,
} from '../imports/wire/replicated-kv-store.ts'
import type { KvClusterProps } from './kv-cluster-props.ts'
import { kvLabels, kvNames, kvVolumeName } from './kv-names.ts'
import { type Manifest, unlessEmpty, unlessNone } from './manifest.ts'
import { confinedContainer, restrictedUser } from './restricted-user.ts'

/** Name of the store's port in containers and Services. */
export const kvPortName = 'kv'

/** Variables that the construct sets; see `environment`. */
export const kvReservedVariables: readonly string[] = ['POD_NAME', 'KV_PEERS']

const temporaryVolume = 'temporary'

/**
 * Distroless' `nonroot`. An image without a user runs as root and would be rejected; the kubelet makes the volume
 * writable for this user.
 */
const userId = 65532

/** Returns the template of a StatefulSet's pods. Conforms to the Pod Security Standard `restricted`. */
export function kvPodTemplate(props: KvClusterProps & { readonly port: number }): Manifest {
  const { name, podTemplate } = props
  return {
    metadata: { labels: kvLabels(name), annotations: unlessEmpty(podTemplate?.annotations) },
    spec: {
      serviceAccountName: kvNames(name).serviceAccount,
      // A store does not use the API server.
      automountServiceAccountToken: false,
      securityContext: restrictedUser(userId),
      affinity: podTemplate?.affinity,
      nodeSelector: unlessEmpty(podTemplate?.nodeSelector),
      tolerations: unlessNone(podTemplate?.tolerations)?.map(toleration),
      containers: [container(props)],
      // The root is read-only.
      volumes: [{ name: temporaryVolume, emptyDir: { sizeLimit: '1Gi' } }],
    },
  }
}

function container(props: KvClusterProps & { readonly port: number }): Manifest {
  const { image, args, port, probes, resources } = props
  return {
    name: kvPortName,
    image,
    args: unlessNone(args),
    env: environment(props),
    ports: [{ name: kvPortName, containerPort: port, protocol: 'TCP' }],
    resources: resourceNeeds(resources),
    readinessProbe: probe(probes?.readiness),
    livenessProbe: probe(probes?.liveness),
    volumeMounts: [
      { name: kvVolumeName, mountPath: '/data' },
      { name: temporaryVolume, mountPath: '/tmp' },
    ],
    securityContext: confinedContainer,
  }
}

/**
 * POD_NAME is the replica's own name, `<name>-<ordinal>`. KV_PEERS is `host:port`, where the host's DNS records are the
 * addresses of all replicas, including unready ones. A list of names would change, and restart every pod, with each new
 * replica. Both come first, so that the user's variables can refer to them.
 */
function environment({ name, env = [], port }: KvClusterProps & { readonly port: number }): Manifest[] {
  return [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'KV_PEERS', value: `${kvNames(name).headlessService}:${port}` },
    ...env.map(variable),
  ]
}

/** The API server sets apiVersion in a fieldRef, and drops an empty value: an empty variable has only a name. */
function variable({ name, value, valueFrom }: ReplicatedKVStoreSpecEnv): Manifest {
  if (valueFrom?.fieldRef !== undefined)
    return { name, valueFrom: { fieldRef: { apiVersion: 'v1', ...valueFrom.fieldRef } } }
  return { name, value: value === '' ? undefined : value, valueFrom }
}

function resourceNeeds(resources: ReplicatedKVStoreSpecResources | undefined): Manifest | undefined {
  const limits = unlessEmpty(resources?.limits)
  const requests = unlessEmpty(resources?.requests)
  return limits === undefined && requests === undefined ? undefined : { limits, requests }
}

/** Readiness and liveness have the same shape. Without a user's check, the port must accept a connection. */
function probe(wanted: ReplicatedKVStoreSpecProbesLiveness = {}): Manifest {
  const { exec, httpGet, tcpSocket, initialDelaySeconds, ...timing } = wanted
  const delay = initialDelaySeconds === 0 ? undefined : initialDelaySeconds
  const times = { initialDelaySeconds: delay, ...timing }
  if (exec !== undefined) return { exec, ...times }
  if (httpGet !== undefined) return { httpGet: { ...httpGet, port: httpGet.port ?? kvPortName }, ...times }
  return { tcpSocket: { port: tcpSocket?.port ?? kvPortName }, ...times }
}

/** Tolerations are atomic, so an empty text in one would never settle. */
function toleration(wanted: ReplicatedKVStoreSpecPodTemplateTolerations): Manifest {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ''))
}
