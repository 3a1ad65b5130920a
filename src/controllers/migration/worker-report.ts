// What does a worker leave behind when it ends? One line of JSON that fits into a termination message, without secrets, and an exit code
// that says whether another try is worth it. Pure.
import { findingsText } from '../engines/step-review.ts'
import { reportLimit } from '../worker/termination-message.ts'
import type { MigrationOutcome } from './migration-outcome.ts'

export interface WorkerReport {
  /** `Interrupted`: it may go better the next time. `Stopped`: it will not. */
  readonly outcome: MigrationOutcome['kind'] | 'Interrupted' | 'Stopped'
  /** One CamelCase word, where the outcome is not all there is to say. */
  readonly reason?: string
  readonly step?: string
  readonly sqlState?: string
  /** Who has the lock. */
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

/** 0: done. 1: another try is worth it. 2: somebody has to change something. */
export function exitCodeOf({ outcome }: WorkerReport): 0 | 1 | 2 {
  if (outcome === 'Completed') return 0
  return outcome === 'Interrupted' || outcome === 'LockedByOther' ? 1 : 2
}

/** Undefined for what no worker wrote: it was killed, or somebody else spoke. */
export function reportIn(text: string | undefined): WorkerReport | undefined {
  if (text === undefined || text.length > reportLimit || !text.startsWith('{')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields = new Map(Object.entries(value as object).filter(([, field]) => typeof field === 'string')) // It begins with a brace.
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
