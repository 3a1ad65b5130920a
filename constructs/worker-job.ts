// Long work outside of reconciles: a Job of the operator's own image, and a ConfigMap with its order. A worker that
// dies is restarted and resumes from the observed state. The Job of an order never changes, so its immutable template
// needs no update. Work that runs code of others is a second container without credentials.
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
import type { Manifest } from './manifest.ts'
import { confinedContainer, restrictedUser } from './restricted-user.ts'
import type { WorkerCredentials, WorkerJobProps } from './worker-job-props.ts'

/** Label of all workers' pods, with the value `true`, which a NetworkPolicy selects. */
export const workerPodLabel = 'konverge.dev/worker'
/** Label of pods that need no network: its value is `noNetwork`. */
export const podNetworkLabel = 'konverge.dev/network'
/** Value of `podNetworkLabel`. */
export const noNetwork = 'none'

/** Its termination message is the worker's report. */
const workerContainer = 'worker'
/** The first of two steps; its termination message is a report if it failed. */
const fetchContainer = 'fetch'
/** Distroless' `nonroot`. */
const ownUserId = 65532
const orderFolder = '/var/run/konverge/order'
const orderFile = 'order.json'
const credentialsFolder = '/var/run/konverge/credentials'
const storeFolder = '/var/run/konverge/store'
const dataFolder = '/var/run/konverge/data'
const scratchFolder = '/var/run/konverge/scratch'
/** Readable by its user only; a kubelet adds read permission for the group. */
const ownMode = 0o400

/**
 * Job of a worker, with its ConfigMap. The labels of the chart are added. Conforms to the Pod Security Standard
 * `restricted`.
 */
export class WorkerJob extends Construct {
  readonly configMap: ApiObject
  /** When the owner is deleted, it is deleted before its ConfigMap, and the deletion waits for it. */
  readonly job: ApiObject

  constructor(scope: Construct, id: string, props: WorkerJobProps) {
    super(scope, id)
    const { name, order, labels, annotations } = props
    const metadata = { name, labels: { ...labels }, annotations: { ...annotations } }
    this.configMap = new ApiObject(this, 'order', {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata,
      immutable: true,
      data: { [orderFile]: order },
    })
    this.job = new ApiObject(this, 'job', {
      ...{ apiVersion: 'batch/v1', kind: 'Job' },
      metadata,
      spec: jobSpec(props),
    })
    this.job.node.addDependency(this.configMap)
  }
}

function jobSpec(props: WorkerJobProps): Manifest {
  const { isSuspended = false, retries = 6, deadlineSeconds } = props
  return {
    backoffLimit: retries,
    ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
    suspend: isSuspended,
    template: { metadata: podMetadata(props), spec: podSpec(props) },
  }
}

/**
 * Amazon's webhook would give each container the identity of the service account: the sealed one gets none. The
 * containers of a pod share its network, so a pod with sealed work has a network only if it reaches its store by it.
 */
function podMetadata({ labels, annotations, sealedWork, storeClaim }: WorkerJobProps): Manifest {
  const isSealed = sealedWork !== undefined
  const withoutIdentity = isSealed ? { 'eks.amazonaws.com/skip-containers': workerContainer } : {}
  const withoutNetwork = isSealed && storeClaim !== undefined ? { [podNetworkLabel]: noNetwork } : {}
  return {
    labels: { ...labels, [workerPodLabel]: 'true', ...withoutNetwork },
    annotations: { ...annotations, ...withoutIdentity },
  }
}

function podSpec(props: WorkerJobProps): Manifest {
  const { name, work, sealedWork, credentials, userId = ownUserId, graceSeconds = 30 } = props
  const writable = writableOf(props)
  const order = { name: 'order', mountPath: orderFolder, readOnly: true }
  const keys = { name: 'credentials', mountPath: credentialsFolder, readOnly: true }
  const first = { mounts: [order, keys, ...writable], folders: [['credentials', credentialsFolder] as const] }
  const sealed = { mounts: [order, ...writable.filter(({ isOfStore }) => !isOfStore)], folders: [] }
  return {
    // One pod per try: the termination message of each stays.
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // A worker does not use the variables of the namespace's Services.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: graceSeconds,
    securityContext: {
      ...restrictedUser(userId),
      // Files of other workers are readable for this group, on volumes without a group of their own.
      ...(userId === ownUserId ? {} : { supplementalGroups: [ownUserId] }),
    },
    ...(sealedWork === undefined
      ? { containers: [container(props, { name: workerContainer, work, ...first })] }
      : {
          initContainers: [container(props, { name: fetchContainer, work, ...first })],
          containers: [container(props, { name: workerContainer, work: sealedWork, ...sealed })],
        }),
    volumes: [
      { name: 'order', configMap: { name } },
      { name: 'credentials', projected: { defaultMode: ownMode, sources: credentials.flatMap(sourcesOf) } },
      ...writable.map(({ name: volume, volume: source }) => ({ name: volume, ...source })),
    ],
  }
}

interface WritableVolume {
  readonly name: string
  readonly mountPath: string
  readonly isOfStore: boolean
  readonly volume: Manifest
}

function writableOf({ storeClaim, dataClaim, scratchLimit }: WorkerJobProps): readonly WritableVolume[] {
  const claim = (claimName: string): Manifest => ({ persistentVolumeClaim: { claimName } })
  return [
    ...(storeClaim === undefined
      ? []
      : [{ name: 'store', mountPath: storeFolder, isOfStore: true, volume: claim(storeClaim) }]),
    ...(dataClaim === undefined
      ? []
      : [{ name: 'data', mountPath: dataFolder, isOfStore: false, volume: claim(dataClaim) }]),
    ...(scratchLimit === undefined
      ? []
      : [
          {
            ...{ name: 'scratch', mountPath: scratchFolder, isOfStore: false },
            volume: { emptyDir: { sizeLimit: scratchLimit } },
          },
        ]),
  ]
}

interface Step {
  readonly name: string
  readonly work: readonly string[]
  readonly mounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
  /** Options of the command, and folders that are not writable. */
  readonly folders: readonly (readonly [option: string, folder: string])[]
}

function container({ image, orderDigest, resources, scratchLimit }: WorkerJobProps, step: Step): Manifest {
  const writable = step.mounts.filter(({ readOnly }) => readOnly !== true)
  return {
    name: step.name,
    image,
    args: [
      ...['worker', ...step.work, '--order', `${orderFolder}/${orderFile}`, '--digest', orderDigest],
      ...step.folders.flatMap(([option, folder]) => [`--${option}`, folder]),
      ...['--termination-log', '/dev/termination-log'],
      ...writable.flatMap(({ name, mountPath }) => [`--${name}`, mountPath]),
    ],
    resources: resources ?? usualResources(scratchLimit),
    volumeMounts: step.mounts.map(({ name, mountPath, readOnly }) => ({
      ...{ name, mountPath },
      ...(readOnly === true ? { readOnly } : {}),
    })),
    securityContext: confinedContainer,
  }
}

/** Requests little of the node's disk, because most artifacts are small; logs count too. */
function usualResources(scratchLimit = '256Mi'): Manifest {
  return {
    requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '64Mi' },
    limits: { memory: '512Mi', 'ephemeral-storage': scratchLimit },
  }
}

/** One source per Secret, and one more for keys that may be missing. */
function sourcesOf({ folder, files }: WorkerCredentials): readonly Manifest[] {
  const secrets = [...new Set(files.map(({ secret }) => secret))]
  return secrets.flatMap((name) => {
    const own = files.filter(({ secret }) => secret === name)
    return [false, true].flatMap((optional) => {
      const some = own.filter(({ isOptional = false }) => isOptional === optional)
      const items = some.map(({ key, file }) => ({ key, path: `${folder}/${file}` }))
      return items.length === 0 ? [] : [{ secret: { name, items, ...(optional ? { optional } : {}) } }]
    })
  })
}
