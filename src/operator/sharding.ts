// Division of an operator's resources among its processes. Pure.
import { CodedError } from '../base/errors.ts'
import { hasRequirement } from '../object/selector-text.ts'
import type { LeaderElectionOptions } from './leader-election.ts'

/**
 * Division of an operator's resources among its processes.
 *
 * `hash`: all replicas of one Deployment reconcile, each its own share of the resources. A share moves when a replica
 * joins or leaves, and no resource has two replicas at the same time. Each replica has a Lease, with the three times of
 * `leaderElection`. Excludes `runnables`, and controllers with `childrenIn`.
 *
 * `selection`: this process reconciles the resources that its `namespaces` and `labelSelector` select, as the shard of
 * this name. Its replicas elect a leader by the Lease `<operator>-<name>`, independent of other shards. Selections of
 * two shards must not overlap. Excludes controllers with `finalizer: false`.
 *
 * @example { kind: 'selection', name: 'eu' }
 */
export type Sharding =
  | {
      readonly kind: 'hash'
      /**
       * Time for running reconciles to end before they are aborted, when their resource moves to another replica.
       * Milliseconds; default 5,000.
       */
      readonly handOverMs?: number | undefined
    }
  | {
      readonly kind: 'selection'
      /** DNS label of at most 20 characters, e.g. `eu`. Do not change it while the shard has resources. */
      readonly name: string
    }

const namePattern = /^[a-z0-9]([-a-z0-9]{0,18}[a-z0-9])?$/
const shortestHandOverMs = 1

/** Throws a CodedError `InvalidSharding` if the options contradict each other. */
export function assertSharding(sharding: Sharding | undefined, selection: Selection): void {
  const message = shardingProblem(sharding, selection)
  if (message !== undefined) throw new CodedError({ code: 'InvalidSharding', remedy: 'stop', message })
}

/** Returns the options of leader election, with defaults that depend on the sharding. */
export function electionOptionsOf(
  operatorName: string,
  sharding: Sharding | undefined,
  given: LeaderElectionOptions,
): LeaderElectionOptions {
  if (sharding === undefined) return given
  return sharding.kind === 'hash'
    ? { ...given, enabled: true }
    : { ...given, leaseName: given.leaseName ?? `${operatorName}-${sharding.name}` }
}

interface Selection {
  readonly namespaces?: readonly string[] | undefined
  readonly labelSelector?: string | undefined
  readonly electsLeader?: boolean | undefined
  readonly runnables?: readonly unknown[] | undefined
  readonly controllers?: readonly {
    readonly name: string
    readonly childrenIn?: string | undefined
    readonly finalizer?: boolean
  }[]
}

/** Returns the problem as one sentence; undefined if the options are valid. */
function shardingProblem(
  sharding: Sharding | undefined,
  { namespaces, labelSelector, electsLeader, runnables = [], controllers = [] }: Selection,
): string | undefined {
  const remote = controllers.find(({ childrenIn }) => childrenIn !== undefined)
  const unmarked = controllers.find(({ finalizer }) => finalizer === false)
  switch (sharding?.kind) {
    case undefined:
      return undefined
    case 'hash':
      if (electsLeader === false) return "sharding by hash needs Leases: remove 'leaderElection.enabled: false'"
      if (runnables.length > 0) {
        return 'runnables run where the leader is, and replicas that share the resources by a hash have none; run them in an operator of their own, without sharding'
      }
      if (remote !== undefined) {
        return `the children of ${remote.name} are in the cluster ${remote.childrenIn}, which no hash divides; use sharding by selection, or an operator of its own for ${remote.name}`
      }
      if ((sharding.handOverMs ?? shortestHandOverMs) >= shortestHandOverMs) return undefined
      return `sharding.handOverMs is a positive number of milliseconds, and not ${sharding.handOverMs}`
    case 'selection':
      if (!namePattern.test(sharding.name)) {
        return `a shard cannot be called '${sharding.name}'; use at most 20 of a-z, 0-9 and '-', and no '-' at its ends`
      }
      if (unmarked !== undefined) {
        return `the controller ${unmarked.name} has finalizer: false, and a named shard marks its resources; leave finalizer out, or use sharding by hash`
      }
      if (namespaces !== undefined || hasRequirement(labelSelector)) return undefined
      return `the shard '${sharding.name}' selects all resources; give it namespaces or a labelSelector`
  }
}
