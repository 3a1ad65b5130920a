// Handle of a running operator, for the program that started it.
import type { OperatorClient } from '../kube/operator-client.ts'
import type { Resource } from '../object/resource.ts'
import type { Controller } from '../reconcile/definition.ts'
import type { ResourceEvent } from '../reconcile/events-runner.ts'
import type { HealthReport } from '../telemetry/health.ts'
import type { Exposition } from '../telemetry/metrics.ts'
import type { ServedAddresses } from './serving-runner.ts'

/** Handle of a running operator, which `startOperator` returns. */
export interface OperatorHandle {
  /**
   * Resolves when the operator has stopped, within ten seconds of `stop` or the signal; a longer `gracefulShutdownMs`
   * extends that. Rejects when the operator ends with an error. Code `LeaseLost`: this process led and lost its Lease;
   * let the process end.
   */
  readonly done: Promise<void>
  /** Stops the operator: it starts no more reconciles, ends in order and releases the Lease. Settles as `done` does. */
  stop(): Promise<void>
  /**
   * Queues a resource for a reconcile, as an event does, if this process reconciles its controller; with leader
   * election, only the leader does. Elsewhere, the call has no effect. `of` is the kind, or one of its controllers.
   * Throws a CodedError `UnknownController` if the operator has no controller of the kind.
   *
   * @example operator.enqueue(Website, { namespace: 'shop', name: 'home' })
   */
  enqueue(of: Resource | Controller, resource: ResourceEvent): void
  /** Client for the program's own reads and writes. */
  readonly client: OperatorClient
  /** Namespaces that the operator serves; undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Returns the report of /healthz: a failure needs a restart. `healthText` formats it. */
  healthz(): HealthReport
  /** Returns the report of /readyz: the operator works or stands by. */
  readyz(): HealthReport
  /** Content of /metrics. */
  readonly metrics: Exposition
  /** Addresses of the HTTP servers. */
  readonly addresses: ServedAddresses
}
