// Steps of a spec, as the runner takes them. Texts in ConfigMaps are included if they match their checksums. Pure.
import { createHash } from 'node:crypto'
import type { MigrationSpecSteps } from '../../../imports/wire/migration.ts'
import { durationMs } from '../../index.ts'
import type { MigrationStep, TableName } from '../engines/migration-step.ts'
import type { Problem } from './migration-place.ts'

export interface StepsInput {
  readonly steps: readonly MigrationSpecSteps[]
  /** Texts in ConfigMaps, by `name/key`. */
  readonly texts: ReadonlyMap<string, string>
  readonly home: string
}

export function specSteps({ steps, texts, home }: StepsInput): readonly MigrationStep[] | Problem {
  const made: MigrationStep[] = []
  for (const step of steps) {
    const text = sqlOf(step, texts)
    if (typeof text !== 'string') return text
    made.push(stepOf(step, text, home))
  }
  return made
}

function stepOf(step: MigrationSpecSteps, sql: string, home: string): MigrationStep {
  const { name, type, verify, down, transaction: isTransactional, copy } = step
  const limits = { timeoutMs: limitMs(step.timeout, 300_000), lockTimeoutMs: limitMs(step.lockTimeout, 5_000) }
  if (type === 'Assert') {
    // The CRD rejects an Assert step without a query.
    return { kind: 'Assert', name, ...limits, verify: verify ?? { sql: 'SELECT 0', expect: '1' } }
  }
  const rest = { name, ...limits, ...(verify && { verify }), ...(down !== undefined && { down }) }
  if (type === 'SQL' || copy === undefined) return { kind: 'SQL', sql, isTransactional, ...rest }
  const { from, tables, batchRows, mode } = copy
  const source = `${home}/${from.name}`
  return { kind: 'Copy', mode, source, tables: tables.map(tableOf), batchRows, ...rest }
}

function sqlOf({ name, sql = '', configMapKeyRef }: MigrationSpecSteps, texts: StepsInput['texts']): string | Problem {
  if (configMapKeyRef === undefined) return sql
  const { name: configMap, key, sha256 } = configMapKeyRef
  const text = texts.get(`${configMap}/${key}`)
  const place = `key ${key} of ConfigMap ${configMap}, which step ${name} names,`
  if (text === undefined) return { kind: 'waiting', reason: 'SourceMissing', message: `${place} is missing` }
  const found = createHash('sha256').update(text).digest('hex')
  if (found === sha256) return text
  return { kind: 'waiting', reason: 'SourceChanged', message: `${place} has the sha256 ${found}, not ${sha256}` }
}

function tableOf(text: string): TableName {
  const [first = '', second] = text.split('.')
  return second === undefined ? { schema: 'public', name: first } : { schema: first, name: second }
}

/** The CRD rejects invalid durations. */
function limitMs(text: string, otherwise: number): number {
  return durationMs(text) ?? otherwise
}
