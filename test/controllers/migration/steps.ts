// Fixture: steps as values, with defaults for unimportant fields.
import type { AssertStep, CopyStep, SqlStep } from '../../../src/controllers/engines/migration-step.ts'

const limits = { timeoutMs: 20_000, lockTimeoutMs: 2_000 }

export function sqlStep(sql: string, changes: Partial<SqlStep> = {}): SqlStep {
  return { kind: 'SQL', name: 'step', sql, isTransactional: true, ...limits, ...changes }
}

export function assertStep(sql: string, changes: Partial<AssertStep> = {}): AssertStep {
  return { kind: 'Assert', name: 'step', verify: { sql, expect: '1' }, ...limits, ...changes }
}

export function copyStep(tables: readonly string[], changes: Partial<CopyStep> = {}): CopyStep {
  const names = tables.map((name) => ({ schema: 'public', name }))
  const rest = { source: 'default/old', tables: names, batchRows: 5, ...limits, ...changes }
  return { kind: 'Copy', mode: 'Snapshot', name: 'step', ...rest }
}
