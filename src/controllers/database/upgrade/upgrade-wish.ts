// Is a Database to move to a server of another version? Asked for by its spec, as long as the server that serves is an older one. Pure.
import type { SagaRecord, SagaWish } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'
import type { ServerSides } from '../server-sides.ts'

export interface UpgradeAsk {
  readonly object: DatabaseObject
  readonly sides: ServerSides | undefined
  readonly record: SagaRecord | undefined
}

export function upgradeWish({ object, sides, record }: UpgradeAsk): SagaWish {
  const { metadata, spec } = object
  const { version: to, upgrade } = spec
  if (sides === undefined || to === undefined) return { kind: 'none' }
  const { version: from, statefulSet: fromServer } = sides.serving
  const isMoving = record !== undefined && record.state !== 'Completed' && record.state !== 'Compensated'
  if (from === to) {
    const isBack = isMoving && record.pivotedAt === undefined
    return isBack ? { kind: 'cancelled', message: `version ${to} is asked for again` } : { kind: 'none' }
  }
  if (upgrade === undefined || Number(to) < Number(from) || waitsFor({ object, sides, record }) !== undefined) {
    return { kind: 'none' }
  }
  const id = upgrade.retry === undefined ? `${from}-to-${to}` : `${from}-to-${to}-${upgrade.retry}`
  const { snapshot, keepPrevious, method } = upgrade
  const generation = String(metadata.generation ?? 0)
  return { kind: 'wanted', id, input: { from, fromServer, to, snapshot, keepPrevious, method, generation } }
}

/** Why one that is asked for does not begin; undefined: it does, or none is asked for. */
export function waitsFor({ object, sides, record }: UpgradeAsk): string | undefined {
  const { version } = object.spec
  if (sides === undefined || version === undefined || sides.serving.version === version) return undefined
  if (object.status?.providerID === undefined) return 'the database is not there yet'
  const { beside } = sides
  if (record?.state !== 'Completed' || beside?.role !== 'previous') return undefined
  const kept = `server ${beside.side.statefulSet} of version ${beside.side.version} is still kept`
  return `${kept}; to let it go now, set spec.upgrade.keepPrevious to 0s`
}
