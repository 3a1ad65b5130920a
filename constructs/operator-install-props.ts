// What has to be said of an operator to install it? Props of OperatorInstall. The rules come in as data, because they follow
// from the operator's controllers, and a construct knows nothing of those; `konverge install` derives them.
import type { Manifest } from './manifest.ts'

/** A PolicyRule of rbac.authorization.k8s.io/v1. */
export interface OperatorRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** What the operator may do, by the place in which it may do so. */
export interface OperatorRules {
  /** In every namespace that it looks after. */
  readonly namespaced: readonly OperatorRule[]
  /** On objects outside namespaces. */
  readonly cluster: readonly OperatorRule[]
  /** In the namespace in which it runs: its Lease. */
  readonly home: readonly OperatorRule[]
}

/** A kind for which people get rights. */
export interface OperatorKind {
  readonly group: string
  readonly plural: string
  /** The kind has the subresource `scale`, which `kubectl scale` and autoscalers write. */
  readonly hasScale?: boolean
}

export interface OperatorInstallProps {
  readonly rules: OperatorRules
  /** The container image, best pinned by its digest. Its entry point takes `args`. */
  readonly image: string
  /** The name of all objects: a DNS-1123 label of at most 63 characters. Two operators of one name replace each other. */
  readonly name: string
  /**
   * The namespace in which the operator runs. It is one of the objects.
   * @default - `<name>-system`
   */
  readonly namespace?: string
  /**
   * The namespaces that the operator looks after: it gets rights in these and nowhere else. They must exist. The operator has
   * to be told the same in its `args`.
   * @default - all namespaces, by a ClusterRole
   */
  readonly namespaces?: readonly string[]
  /**
   * Named shard that the pods work, of at most 20 characters (`sharding: { kind: 'selection' }`). The objects of the shard are called `<name>-<shard>`. All shards
   * share the namespace and the roles for people. The `args` have to name the shard too.
   * @default - the pods work all resources
   */
  readonly shard?: string
  /**
   * Number of pods. One of them leads, and the others stand by with warm caches, unless they share the resources by a hash.
   * @default 2
   */
  readonly replicas?: number
  /**
   * Has /metrics at this port by HTTPS, behind the API server's word, and a ClusterRole `<namespace>:<name>:metrics` for those who may read
   * them. The operator has to be told the same in its `args`, and needs the right to ask (`rightsOf` with `protectsMetrics`).
   * @default - at the port of the probes, as the operator's `args` say
   */
  readonly metricsPort?: number
  /**
   * Seconds from SIGTERM to SIGKILL of a pod. The stop of an operator takes its `gracefulShutdownMs` and up to 7.5 s more.
   * @default 30
   */
  readonly terminationGracePeriodSeconds?: number
  /**
   * Kubernetes expands `$(NAME)` in them; write `$$(NAME)` for the text itself.
   * @default ['run']
   */
  readonly args?: readonly string[]
  /** @default - 100m CPU and 256Mi of memory, at most 512Mi */
  readonly resources?: Manifest
  /**
   * The kinds of the operator, for which people get rights by the roles `view`, `edit` and `admin`.
   * @default - no such roles
   */
  readonly kinds?: readonly OperatorKind[]
  /**
   * Lets nothing in to the operator but requests to the HTTP port, and nothing out but name lookups and these ports.
   * @default - no NetworkPolicy
   */
  readonly networkPolicy?: {
    /**
     * TCP ports of API servers, databases and stores of backups, on any host.
     * @default [443, 5432, 6443]
     */
    readonly egressPorts?: readonly number[]
    /**
     * Adds, in each of `namespaces`, the policies of the workers, database servers and stores of konverge's own kinds, for an operator that
     * serves these kinds. Policies add up: where `konverge install` confined these pods, ports given here open them further.
     * @default false
     */
    readonly includesDataPods?: boolean
  }
}
