// A running operator in the hands of the program that started it.
import type { OperatorClient } from '../kube/operator-client.ts'
import type { Resource } from '../object/resource.ts'
import type { Controller } from '../reconcile/definition.ts'
import type { ResourceEvent } from '../reconcile/events-runner.ts'
import type { HealthReport } from '../telemetry/health.ts'
import type { Exposition } from '../telemetry/metrics.ts'
import type { ServedAddresses } from './serving-runner.ts'

export interface OperatorHandle {
  /**
   * Resolves when the operator has stopped, within ten seconds of `stop` or the signal. Rejects when it ends by itself: with an error of code
   * `LeaseLost` when this process led and leads no more. Let the process end then.
   */
  readonly done: Promise<void>
  /** Begins no more reconciles, ends in order, and gives the leadership back; settles as `done`. */
  stop(): Promise<void>
  /**
   * Reconciles a resource, as an event of it does, where this process works its controller: as leader where replicas elect one. Elsewhere nothing
   * happens. `of` is the kind, or one of its controllers. Throws a CodedError `UnknownController` if the operator has no controller of the kind.
   */
  enqueue(of: Resource | Controller, resource: ResourceEvent): void
  /** For reads and writes of the program's own. */
  readonly client: OperatorClient
  /** Those that it serves; undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Whether only a restart would help, as /healthz says it; `healthText` writes it out. */
  healthz(): HealthReport
  /** Whether the operator works, or stands by to, as /readyz says it. */
  readyz(): HealthReport
  /** What /metrics answers. */
  readonly metrics: Exposition
  readonly addresses: ServedAddresses
}
