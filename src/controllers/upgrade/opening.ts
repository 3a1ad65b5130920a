// Decides whether applications may log in to the target, from its state and the roles that the freeze disabled. Pure.
import type { StepObservation } from '../../index.ts'
import type { ObservedRole } from '../engines/observed-server.ts'
import type { FreezeRecord } from '../engines/write-freeze.ts'
import type { SideState } from './new-side.ts'
import { stopped, type UpgradeError } from './upgrade-error.ts'

type Login = Pick<ObservedRole, 'name' | 'canLogin'>

/**
 * Observes the opening, which enables all logins and drops the ledger in one transaction. A login that works while the
 * ledger exists was therefore enabled by another actor.
 */
export function openingObservation(
  standing: SideState,
  { logins }: FreezeRecord,
  seen: readonly Login[],
): StepObservation {
  switch (standing.kind) {
    case 'opened':
      return { kind: 'done' }
    case 'missing':
    case 'partial':
      return { kind: 'missing' }
    case 'refused': {
      const { code: reason, message } = standing.error
      return { kind: 'broken', reason, message, isTerminal: true }
    }
    case 'prepared': {
      const frozen = new Set(logins)
      const open = seen.filter(({ name, canLogin }) => canLogin && frozen.has(name)).map(({ name }) => name)
      if (open.length === 0) return { kind: 'missing' }
      const message = `${open.join(', ')} may log in at the new side already, and others not yet`
      return { kind: 'broken', reason: 'Incomplete', message, isTerminal: false }
    }
  }
}

/** Returns an error if a frozen role is missing on the target, because it was created after the target. */
export function rehearsalFailure({ logins }: FreezeRecord, seen: readonly Login[]): UpgradeError | undefined {
  const there = new Set(seen.map(({ name }) => name))
  const missing = logins.filter((name) => !there.has(name))
  if (missing.length === 0) return undefined
  const message = `${missing.join(', ')} could log in to the old side, and came after the new one was made; begin again`
  return stopped('NotMovable', message)
}
