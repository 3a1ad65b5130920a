// Props of WorkerJob: long work in a separate pod.
import type { Manifest } from './manifest.ts'

/** Properties of a worker's Job. */
export interface WorkerJobProps {
  /** Name of the Job and of the ConfigMap with its order: at most 63 characters, and a different one for each order. */
  readonly name: string
  /** The operator's own image, whose entry point takes `args`. */
  readonly image: string
  /** Arguments after `worker`, e.g. `['migrate']`; the construct adds the paths of order and credentials. */
  readonly work: readonly string[]
  /** Job spec of the worker, as text without secrets. */
  readonly order: string
  /** Digest of the order, so that another order in the ConfigMap is detected. */
  readonly orderDigest: string
  readonly credentials: readonly WorkerCredentials[]
  /** Labels of Job and pods. */
  readonly labels: Readonly<Record<string, string>>
  /** Annotations of Job and pods. */
  readonly annotations?: Readonly<Record<string, string>>
  /**
   * Suspends the Job; running pods are ended.
   *
   * @default false
   */
  readonly isSuspended?: boolean
  /**
   * Retries after a failure.
   *
   * @default 6
   */
  readonly retries?: number
  /** @default - 50m CPU and 128Mi of memory, at most 512Mi */
  readonly resources?: Manifest
  /** Volume claim of the same namespace to which the worker writes artifacts. */
  readonly storeClaim?: string
  /** Volume claim of the same namespace that the worker fills for another pod. */
  readonly dataClaim?: string
  /**
   * User of the worker, who owns the files that it writes to volumes.
   *
   * @default - distroless' nonroot, 65532
   */
  readonly userId?: number
  /**
   * Largest size of the worker's temporary disk, as a quantity; the kubelet evicts a pod beyond it.
   *
   * @default - no temporary disk
   */
  readonly scratchLimit?: string
  /**
   * Arguments of a second step, after `worker`, e.g. `['prove']`. It runs in a separate container after `work` has
   * succeeded. It has the order and the temporary disk, but neither credentials nor the store's volume.
   *
   * @default - one step
   */
  readonly sealedWork?: readonly string[]
  /** Time limit of all tries together, in seconds. */
  readonly deadlineSeconds?: number
  /** Termination grace period of a worker, in seconds. */
  readonly graceSeconds?: number
}

/** Keys of Secrets as files of one folder, below the mount of all credentials. */
export interface WorkerCredentials {
  readonly folder: string
  readonly files: readonly WorkerFile[]
}

export interface WorkerFile {
  readonly secret: string
  readonly key: string
  readonly file: string
  /**
   * True if the key may be missing.
   *
   * @default false
   */
  readonly isOptional?: boolean
}
