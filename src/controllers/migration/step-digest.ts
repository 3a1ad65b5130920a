// Is this step still the one that was applied? Digests that a mark keeps: of what runs in it, and of all the steps as they are wished.
import { createHash } from 'node:crypto'
import type { MigrationStep } from '../engines/migration-step.ts'

/** Of what runs. Blanks around a text and the machine's way of ending lines say nothing. */
export function stepChecksum(step: MigrationStep): string {
  switch (step.kind) {
    case 'SQL':
      return digest(['SQL', step.isTransactional, plain(step.sql)])
    case 'Assert':
      return digest(['Assert', plain(step.verify.sql), step.verify.expect])
    case 'Copy':
      return digest([
        ...['Copy', step.source, step.tables.map(({ schema, name }) => [schema, name])],
        // Marks of Snapshot are older than modes.
        ...(step.mode === 'Logical' ? [step.mode] : []),
      ])
  }
}

/** Of all that can decide whether an attempt succeeds. */
function stepWish(step: MigrationStep): string {
  const verify = step.verify === undefined ? null : [plain(step.verify.sql), step.verify.expect]
  const down = 'down' in step && step.down !== undefined ? plain(step.down) : null
  const rows = step.kind === 'Copy' ? step.batchRows : null
  return digest([stepChecksum(step), verify, down, rows, step.timeoutMs, step.lockTimeoutMs])
}

/** What an approval is given for: all the steps, in their order, with their limits and their ways back. */
export function planHash(steps: readonly MigrationStep[]): string {
  return digest(steps.map((step) => [step.name, stepWish(step)])).slice(0, 16)
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
