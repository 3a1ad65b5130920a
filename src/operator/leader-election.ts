// Configuration of leader election: whether this process takes part, with which Lease and identity. Decided once, from
// the user's options and the environment of the process.
import { CodedError } from '../base/errors.ts'
import { type Candidate, defaultTiming, timingProblem } from './election.ts'
import type { LeaseLocation } from './lease.ts'

/** Options of leader election. The times must fulfil: lease duration > renew deadline > 1.2 × retry period > 0. */
export interface LeaderElectionOptions {
  /** Elects a leader. Default: true in a cluster, with a pod's service account; false elsewhere. */
  readonly enabled?: boolean | undefined
  /** Name of the Lease; of all processes with the same Lease, one leads. Default: the operator's name. */
  readonly leaseName?: string | undefined
  /** Namespace of the Lease. Default: the pod's namespace. Required outside a cluster. */
  readonly leaseNamespace?: string | undefined
  /** Time without a renewal after which a standby takes over, in milliseconds. Default: 15,000. */
  readonly leaseDurationMs?: number | undefined
  /** Time after its last renewal when the leader stops its writes, in milliseconds. Default: 10,000. */
  readonly renewDeadlineMs?: number | undefined
  /** Interval of renewals, in milliseconds. Default: 2,000. */
  readonly retryPeriodMs?: number | undefined
}

/** Environment of this process, and its operator. */
export interface Whereabouts {
  readonly operatorName: string
  /** Namespace of this pod; undefined outside a cluster. */
  readonly podNamespace: string | undefined
  /** Unique name of this process; no later process may have the same. */
  readonly identity: string
}

export interface LeaderElection extends Candidate {
  readonly lease: LeaseLocation
}

/**
 * `InvalidTiming`: the three times contradict each other. `NamespaceMissing`: no option names the Lease's namespace.
 */
export class LeaderElectionError extends CodedError<'InvalidTiming' | 'NamespaceMissing'> {
  override readonly name = 'LeaderElectionError'
}

/**
 * Returns the settings of the election; undefined: this process acts alone. Throws a LeaderElectionError with one
 * sentence.
 */
export function leaderElectionOf(
  options: LeaderElectionOptions,
  { operatorName, podNamespace, identity }: Whereabouts,
): LeaderElection | undefined {
  const { enabled = podNamespace !== undefined, leaseName = operatorName, leaseNamespace = podNamespace } = options
  if (!enabled) return undefined
  const timing = {
    durationMs: options.leaseDurationMs ?? defaultTiming.durationMs,
    renewDeadlineMs: options.renewDeadlineMs ?? defaultTiming.renewDeadlineMs,
    retryPeriodMs: options.retryPeriodMs ?? defaultTiming.retryPeriodMs,
  }
  const problem = timingProblem(timing)
  if (problem !== undefined) throw new LeaderElectionError({ code: 'InvalidTiming', remedy: 'stop', message: problem })
  if (leaseNamespace === undefined || leaseNamespace === '') {
    throw new LeaderElectionError({
      code: 'NamespaceMissing',
      remedy: 'stop',
      message:
        'leader election outside a cluster needs to know where the lease is; name its namespace with --lease-namespace',
    })
  }
  return { identity, timing, lease: { namespace: leaseNamespace, name: leaseName } }
}
