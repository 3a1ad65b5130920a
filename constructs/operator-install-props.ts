// Props of OperatorInstall. The RBAC rules are data, because they follow from the operator's controllers, which a
// construct does not know; `konverge install` derives them.
import type { Manifest } from './manifest.ts'

/** A PolicyRule of rbac.authorization.k8s.io/v1. */
export interface OperatorRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** RBAC rules of the operator, by scope. */
export interface OperatorRules {
  /** In every namespace that it manages. */
  readonly namespaced: readonly OperatorRule[]
  /** On objects outside namespaces. */
  readonly cluster: readonly OperatorRule[]
  /** In the namespace of the operator: its Lease. */
  readonly home: readonly OperatorRule[]
}

/** A kind for which people get rights. */
export interface OperatorKind {
  readonly group: string
  readonly plural: string
  /** The kind has the subresource `scale`, which `kubectl scale` and autoscalers write. */
  readonly hasScale?: boolean
}

/** Properties of an installed operator. */
export interface OperatorInstallProps {
  readonly rules: OperatorRules
  /** Container image, preferably pinned by its digest. Its entry point takes `args`. */
  readonly image: string
  /** Name of all objects: a DNS-1123 label of at most 63 characters. Two operators of one name replace each other. */
  readonly name: string
  /**
   * Namespace of the operator, which is one of the objects.
   *
   * @default - `<name>-system`
   */
  readonly namespace?: string
  /**
   * Namespaces that the operator manages: it gets rights in these only. They must exist. Its `args` must name the same
   * ones.
   *
   * @default - all namespaces, by a ClusterRole
   */
  readonly namespaces?: readonly string[]
  /**
   * Named shard of the pods, at most 20 characters (`sharding: { kind: 'selection' }`). Its objects are called
   * `<name>-<shard>`. All shards share the namespace and the roles for people. The `args` must name the shard too.
   *
   * @default - the pods reconcile all resources
   */
  readonly shard?: string
  /**
   * Number of pods. One of them leads, and the others stand by with warm caches, unless they share the resources by a
   * hash.
   *
   * @default 2
   */
  readonly replicas?: number
  /**
   * Serves /metrics on this port by HTTPS with authorization by the API server, and creates a ClusterRole
   * `<namespace>:<name>:metrics` for readers. The operator's `args` must name the same port, and it needs the rights of
   * `rightsOf` with `protectsMetrics`.
   *
   * @default - on the port of the probes, as the operator's `args` say
   */
  readonly metricsPort?: number
  /**
   * Seconds from SIGTERM to SIGKILL of a pod. The stop of an operator takes its `gracefulShutdownMs` and up to 7.5 s
   * more.
   *
   * @default 30
   */
  readonly terminationGracePeriodSeconds?: number
  /**
   * Kubernetes expands `$(NAME)` in them; write `$$(NAME)` for the text itself.
   *
   * @default ['run']
   */
  readonly args?: readonly string[]
  /** @default - 100m CPU and 256Mi of memory, at most 512Mi */
  readonly resources?: Manifest
  /**
   * Kinds of the operator, for which people get rights by the roles `view`, `edit` and `admin`.
   *
   * @default - no such roles
   */
  readonly kinds?: readonly OperatorKind[]
  /**
   * Restricts ingress to the HTTP port, and egress to DNS and these ports.
   *
   * @default - no NetworkPolicy
   */
  readonly networkPolicy?: {
    /**
     * TCP ports of API servers, databases and backup stores, on any host.
     *
     * @default [443, 5432, 6443]
     */
    readonly egressPorts?: readonly number[]
    /**
     * Adds, in each of `namespaces`, the policies of the workers, database servers and stores of konverge's own kinds,
     * for an operator that serves these kinds. Policies are additive: ports here widen the policies of these pods from
     * another `konverge install`.
     *
     * @default false
     */
    readonly includesDataPods?: boolean
  }
}
