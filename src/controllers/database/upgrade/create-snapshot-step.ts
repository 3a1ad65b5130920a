// Step CreateSnapshot: a verified Backup of the source server, as the last resort. It is declared during this step, and
// kept.
import type { SagaStep, StepObservation } from '../../../index.ts'
import { createSnapshot } from '../../upgrade/upgrade-world.ts'
import type { UpgradeCall, UpgradeResource } from './upgrade-resource.ts'

export class CreateSnapshotStep implements SagaStep<UpgradeResource> {
  readonly name = createSnapshot
  /** Longest time of a backup and its verification. */
  readonly timeoutMs = 25 * 3_600_000

  async verify({ input, facts }: UpgradeCall): Promise<StepObservation> {
    if (input['snapshot'] === 'Skip') return { kind: 'done' }
    const standing = facts?.move?.snapshot?.standing
    if (standing === undefined) return { kind: 'pending', progress: 'the backup is about to be declared' }
    switch (standing.kind) {
      case 'verified':
        return { kind: 'done', notes: { uri: standing.uri } }
      case 'failed':
        return { kind: 'broken', reason: 'SnapshotFailed', message: standing.message, isTerminal: true }
      case 'underWay':
        return { kind: 'pending', progress: standing.message }
    }
  }
}
