// How is long work done that no turn waits for? By a Job of the operator's own image, and a ConfigMap with its order. A worker that dies
// is started again and goes on where the truth says; what was applied for an order stays as it is, so that the Job's template, which
// nobody can change, need not change.
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
import type { Manifest } from './manifest.ts'
import { restrictedUser } from './restricted-user.ts'
import type { WorkerCredentials, WorkerJobProps } from './worker-job-props.ts'

/** On the pods of all workers, with the value `true`: what a NetworkPolicy selects. */
export const workerPodLabel = 'konverge.dev/worker'

/** Distroless' `nonroot`. */
const ownUserId = 65532
const orderFolder = '/var/run/konverge/order'
const orderFile = 'order.json'
const credentialsFolder = '/var/run/konverge/credentials'
const storeFolder = '/var/run/konverge/store'
const dataFolder = '/var/run/konverge/data'
const scratchFolder = '/var/run/konverge/scratch'
/** For its user alone; a kubelet adds the group's right to read. */
const ownMode = 0o400

/** The labels of the chart are added. Fulfils the Pod Security Standard `restricted`. */
export class WorkerJob extends Construct {
  readonly configMap: ApiObject
  /** It goes before its ConfigMap when the owner goes, and is waited for. */
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
  const { labels, annotations, isSuspended = false, retries = 6, deadlineSeconds } = props
  return {
    backoffLimit: retries,
    ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
    suspend: isSuspended,
    template: {
      metadata: { labels: { ...labels, [workerPodLabel]: 'true' }, annotations: { ...annotations } },
      spec: podSpec(props),
    },
  }
}

function podSpec({
  name,
  image,
  work,
  orderDigest,
  credentials,
  resources,
  storeClaim,
  dataClaim,
  userId = ownUserId,
  hasScratch = false,
  graceSeconds = 30,
}: WorkerJobProps): Manifest {
  const writable = [
    ...(storeClaim === undefined
      ? []
      : [{ name: 'store', mountPath: storeFolder, volume: { persistentVolumeClaim: { claimName: storeClaim } } }]),
    ...(dataClaim === undefined
      ? []
      : [{ name: 'data', mountPath: dataFolder, volume: { persistentVolumeClaim: { claimName: dataClaim } } }]),
    ...(hasScratch ? [{ name: 'scratch', mountPath: scratchFolder, volume: { emptyDir: {} } }] : []),
  ]
  return {
    // A pod for each try: what the last one said of its end stays.
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: graceSeconds,
    securityContext: {
      ...restrictedUser(userId),
      // What others of us have stored is read by our group, where a volume knows no group of its own.
      ...(userId === ownUserId ? {} : { supplementalGroups: [ownUserId] }),
    },
    containers: [
      {
        name: 'worker',
        image,
        args: [
          ...['worker', ...work, '--order', `${orderFolder}/${orderFile}`, '--digest', orderDigest],
          ...['--credentials', credentialsFolder, '--termination-log', '/dev/termination-log'],
          ...writable.flatMap(({ name: what, mountPath }) => [`--${what}`, mountPath]),
        ],
        resources: resources ?? { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
        volumeMounts: [
          { name: 'order', mountPath: orderFolder, readOnly: true },
          { name: 'credentials', mountPath: credentialsFolder, readOnly: true },
          ...writable.map(({ name: volume, mountPath }) => ({ name: volume, mountPath })),
        ],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
    volumes: [
      { name: 'order', configMap: { name } },
      { name: 'credentials', projected: { defaultMode: ownMode, sources: credentials.flatMap(sourcesOf) } },
      ...writable.map(({ name: volume, volume: source }) => ({ name: volume, ...source })),
    ],
  }
}

/** A source for each Secret, and one more for keys that may be missing. */
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
