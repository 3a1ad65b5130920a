// Does this process stand for election, for which lease and under which name? Settled once, from what the user said and where
// the process runs.
import { CodedError } from '../base/errors.ts'
import { type Candidate, defaultTiming, timingProblem } from './election.ts'
import type { LeaseLocation } from './lease.ts'

export interface LeaderElectionOptions {
  /** Default: only in a cluster, with a pod's service account. */
  readonly enabled?: boolean | undefined
  /** Processes with the same lease have one leader among them. Default: the operator's name. */
  readonly leaseName?: string | undefined
  /** Default: the pod's own namespace. */
  readonly leaseNamespace?: string | undefined
  /** How long standbys wait for a leader that is silent. Default 15 s. */
  readonly leaseDurationMs?: number | undefined
  /** How long a leader writes after its last renewal. Default 10 s. */
  readonly renewDeadlineMs?: number | undefined
  /** From one renewal to the next. Default 2 s. */
  readonly retryPeriodMs?: number | undefined
}

/** Where this process runs, and of which operator it is. */
export interface Whereabouts {
  readonly operatorName: string
  /** The namespace of the pod this is; undefined outside a cluster. */
  readonly podNamespace: string | undefined
  /** Unique among all processes there ever are. */
  readonly identity: string
}

export interface LeaderElection extends Candidate {
  readonly lease: LeaseLocation
}

/** `InvalidTiming`: the three times do not fit; `NamespaceMissing`: nobody said where the lease is. */
export class LeaderElectionError extends CodedError<'InvalidTiming' | 'NamespaceMissing'> {
  override readonly name = 'LeaderElectionError'
}

/** Undefined: this process acts alone. Throws a LeaderElectionError with one sentence. */
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
