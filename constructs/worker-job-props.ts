// What has to be said of a long piece of work to have it done in a pod of its own? Props of WorkerJob.
import type { Manifest } from './manifest.ts'

export interface WorkerJobProps {
  /** Of the Job and of the ConfigMap with its order: at most 63 characters, and another one for another order. */
  readonly name: string
  /** The operator's own image, whose entry point takes `args`. */
  readonly image: string
  /** After `worker`, e.g. `['migrate']`; where order and credentials are is added. */
  readonly work: readonly string[]
  /** What is to be done, as text without secrets. */
  readonly order: string
  /** Of the order, so that nobody slips the worker another one. */
  readonly orderDigest: string
  readonly credentials: readonly WorkerCredentials[]
  /** Of Job and pods. */
  readonly labels: Readonly<Record<string, string>>
  /** Of Job and pods. */
  readonly annotations?: Readonly<Record<string, string>>
  /**
   * Nothing runs while it is true; what runs is ended.
   * @default false
   */
  readonly isSuspended?: boolean
  /**
   * How often it is started again when it fails.
   * @default 6
   */
  readonly retries?: number
  /** @default - 50m CPU and 128Mi of memory, at most 512Mi */
  readonly resources?: Manifest
  /** A volume of the same namespace that the worker stores things in. */
  readonly storeClaim?: string
  /** A volume of the same namespace that the worker fills for somebody else. */
  readonly dataClaim?: string
  /**
   * As whom it runs. What it writes to volumes is this user's.
   * @default - distroless' nonroot, 65532
   */
  readonly userId?: number
  /**
   * Largest size of the worker's temporary disk, as a quantity; the kubelet evicts a pod that goes beyond.
   * @default - no temporary disk
   */
  readonly scratchLimit?: string
  /**
   * Second step of the work, after `worker`, e.g. `['prove']`. It runs in a container of its own once `work` has ended well, with the order and the temporary
   * disk alone: neither credentials nor the volume of the store are in its reach.
   * @default - one step
   */
  readonly sealedWork?: readonly string[]
  /** How long all tries together may take, in seconds. */
  readonly deadlineSeconds?: number
  /** How long a worker may take to end, once it is told to, in seconds. */
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
   * May the key be missing?
   * @default false
   */
  readonly isOptional?: boolean
}
