// Report of a worker: one line of JSON that fits into a termination message, without secrets. The exit code says
// whether another try can help. Pure.
import { findingsText } from '../engines/step-review.ts'
import { reportLimit } from '../worker/termination-message.ts'
import type { MigrationOutcome } from './migration-outcome.ts'

export interface WorkerReport {
  /** `Interrupted`: another try may succeed. `Stopped`: no try will, without a change. */
  readonly outcome: MigrationOutcome['kind'] | 'Interrupted' | 'Stopped'
  /** Reason in CamelCase that refines the outcome. */
  readonly reason?: string
  readonly step?: string
  readonly sqlState?: string
  /** Holder of the lock. */
  readonly holder?: string
  readonly message?: string
}

export function reportOf(outcome: MigrationOutcome): WorkerReport {
  switch (outcome.kind) {
    case 'Completed':
      return { outcome: outcome.kind }
    case 'Invalid': {
      const [first] = outcome.findings
      const { kind, findings } = outcome
      return { outcome: kind, ...(first && { reason: first.code }), message: findingsText(findings) }
    }
    case 'AwaitingApproval':
      return { outcome: outcome.kind, message: `the plan ${outcome.plan} is not approved` }
    case 'Refused': {
      const { kind, reason, step, message } = outcome
      return { outcome: kind, reason, step, message }
    }
    case 'RehearsalFailed':
    case 'Failed': {
      const { sqlState, message } = outcome.failure
      const reason = outcome.kind === 'Failed' ? outcome.reason : undefined
      return {
        outcome: outcome.kind,
        ...(reason && { reason }),
        step: outcome.step,
        ...(sqlState && { sqlState }),
        message,
      }
    }
    case 'Parted': {
      const { left } = outcome
      if (left.length === 0) return { outcome: 'Completed' }
      return { outcome: 'Stopped', reason: 'ReplicationLeft', message: left.join('; ') }
    }
    case 'LockedByOther':
      return { outcome: outcome.kind, holder: outcome.holder, message: `${outcome.holder} is at work on the database` }
  }
}

/** Returns 0: done; 1: another try can help; 2: a user must change something first. */
export function exitCodeOf({ outcome }: WorkerReport): 0 | 1 | 2 {
  if (outcome === 'Completed') return 0
  return outcome === 'Interrupted' || outcome === 'LockedByOther' ? 1 : 2
}

/** Parses a report. Returns undefined for text of another program, or if the worker was killed. */
export function reportIn(text: string | undefined): WorkerReport | undefined {
  if (text === undefined || text.length > reportLimit || !text.startsWith('{')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields = new Map(Object.entries(value as object).filter(([, field]) => typeof field === 'string')) // Text that starts with a brace parses to an object.
  const outcome = outcomes.find((known) => known === fields.get('outcome'))
  if (outcome === undefined) return undefined
  const optional = (['reason', 'step', 'sqlState', 'holder', 'message'] as const).flatMap((name) => {
    const field = fields.get(name)
    return field === undefined ? [] : [[name, field] as const]
  })
  return { outcome, ...Object.fromEntries(optional) }
}

const outcomes: readonly WorkerReport['outcome'][] = [
  ...(['Completed', 'Invalid', 'AwaitingApproval', 'Refused', 'RehearsalFailed', 'Failed', 'LockedByOther'] as const),
  ...(['Interrupted', 'Stopped'] as const),
]
