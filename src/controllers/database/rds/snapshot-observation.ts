// Observation of a snapshot from RDS's description: its state, owner and content. Pure.
import type { DBSnapshot } from '@aws-sdk/client-rds'
import { type Observation, timestampAt } from '../../../index.ts'
import type { ObservedSnapshot } from './snapshot.ts'
import { snapshotOwner, snapshotSource } from './snapshot-tags.ts'

/** Treats an unknown state as work in progress, like that of an instance. */
export function snapshotObservation(described: DBSnapshot): Observation<ObservedSnapshot> {
  const { Status: word = 'unknown', DBSnapshotArn: providerID = '', PercentProgress: percent = 0 } = described
  const owner = snapshotOwner(described.TagList)
  switch (word) {
    case 'available':
      return { kind: 'available', providerID, owner, observed: observedSnapshot(described) }
    case 'deleting':
    case 'deleted':
      return { kind: 'deleting', detail: `RDS says ${word}` }
    case 'failed': {
      const message = 'RDS says failed: nothing can be restored from it; make another Backup, and delete this one'
      return { kind: 'broken', owner, reason: 'SnapshotFailed', message, isTerminal: true }
    }
    default:
      return { kind: 'pending', providerID, owner, detail: `RDS says ${word}, ${percent} %` }
  }
}

const gibibyte = 2 ** 30

function observedSnapshot(described: DBSnapshot): ObservedSnapshot {
  const { DBSnapshotArn: arn = '', AllocatedStorage: sizeGiB = 0, EngineVersion: engineVersion = '' } = described
  const { SnapshotCreateTime: takenAt, TagList: tags } = described
  return {
    ...{ arn, engineVersion, owner: snapshotOwner(tags), source: snapshotSource(tags) },
    sizeBytes: sizeGiB * gibibyte,
    takenAt: timestampAt(takenAt?.getTime() ?? 0),
  }
}
