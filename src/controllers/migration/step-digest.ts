// Digests in markers: of a step's effect, and of all desired steps.
import { createHash } from 'node:crypto'
import type { MigrationStep } from '../engines/migration-step.ts'

/** Digest of the effect. It ignores surrounding blanks and the line endings. */
export function stepChecksum(step: MigrationStep): string {
  switch (step.kind) {
    case 'SQL':
      return digest(['SQL', step.isTransactional, plain(step.sql)])
    case 'Assert':
      return digest(['Assert', plain(step.verify.sql), step.verify.expect])
    case 'Copy':
      return digest([
        ...['Copy', step.source, step.tables.map(({ schema, name }) => [schema, name])],
        // Markers of Snapshot copies are older than modes.
        ...(step.mode === 'Logical' ? [step.mode] : []),
      ])
  }
}

/** Digest of everything that can affect the success of an attempt. */
function desiredStep(step: MigrationStep): string {
  const verify = step.verify === undefined ? null : [plain(step.verify.sql), step.verify.expect]
  const down = 'down' in step && step.down !== undefined ? plain(step.down) : null
  const rows = step.kind === 'Copy' ? step.batchRows : null
  return digest([stepChecksum(step), verify, down, rows, step.timeoutMs, step.lockTimeoutMs])
}

/** Hash of a plan, for its approval: all steps in order, with their limits and down texts. */
export function planHash(steps: readonly MigrationStep[]): string {
  return digest(steps.map((step) => [step.name, desiredStep(step)])).slice(0, 16)
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
