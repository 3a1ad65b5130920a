// Desired upgrade of a Database. The spec requests it as long as the serving server has an older version. Pure.
import type { DesiredSaga, SagaRecord } from '../../../index.ts'
import type { RestoreRecord } from '../restore/restore-request.ts'
import { isUnderWay, isUnseen } from '../restore/restore-state.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { isOver, type ServerSides } from '../server-sides.ts'

export interface UpgradeAsk {
  readonly object: DatabaseObject
  readonly sides: ServerSides | undefined
  readonly record: SagaRecord | undefined
  /** Restore as this reconcile leaves it. */
  readonly restore?: RestoreRecord | undefined
  /** Work in progress in the database, e.g. `Migration v1`. */
  readonly others?: readonly string[] | undefined
  /** Users who have no rights yet in a restored database, e.g. `web`. */
  readonly unserved?: readonly string[] | undefined
}

export function desiredUpgrade(ask: UpgradeAsk): DesiredSaga {
  const { object, sides, record } = ask
  const { metadata, spec } = object
  const { version: to, upgrade } = spec
  if (sides === undefined || to === undefined) return { kind: 'none' }
  const { version: from, statefulSet: fromServer } = sides.serving
  const isMoving = record !== undefined && record.state !== 'Completed' && record.state !== 'Compensated'
  if (from === to) return isMoving ? desiredWhileRunning(record, upgrade, to) : { kind: 'none' }
  if (upgrade === undefined || Number(to) < Number(from) || waitsFor(ask) !== undefined) {
    return { kind: 'none' }
  }
  const id = undertakingId({ from, to, retry: upgrade.retry })
  const { snapshot, keepPrevious, method, maxWait } = upgrade
  const generation = String(metadata.generation ?? 0)
  return { kind: 'wanted', id, input: { from, fromServer, to, snapshot, keepPrevious, method, maxWait, generation } }
}

/**
 * Applies if the serving server has the desired version: the source server, or since the pivot the target server. If
 * the upgrade is stalled, `retry` tries it again.
 */
function desiredWhileRunning(
  { state, input, pivotedAt }: SagaRecord,
  upgrade: DatabaseObject['spec']['upgrade'],
  version: string,
): DesiredSaga {
  const { from = '', to = '' } = input
  const id = upgrade === undefined ? undefined : undertakingId({ from, to, retry: upgrade.retry })
  if (pivotedAt === undefined) return { kind: 'cancelled', message: `version ${version} is asked for again`, id }
  return state === 'ManualIntervention' && id !== undefined ? { kind: 'wanted', id, input } : { kind: 'none' }
}

interface Undertaking {
  readonly from: string
  readonly to: string
  readonly retry: string | undefined
}

function undertakingId({ from, to, retry }: Undertaking): string {
  return `${from}-to-${to}${retry === undefined ? '' : `-${retry}`}`
}

/** Returns why a requested upgrade does not start; undefined if it starts, or if none is requested. */
export function waitsFor({
  object,
  sides,
  record,
  restore,
  others = [],
  unserved = [],
}: UpgradeAsk): string | undefined {
  const { version } = object.spec
  if (sides === undefined || version === undefined || sides.serving.version === version) return undefined
  if (object.status?.providerID === undefined) return 'the database is not there yet'
  if (isUnderWay(restore)) return `restore ${restore.requestID} is under way`
  if (isUnseen(restore, object.status.identity)) return 'what was restored is being looked at'
  if (unserved.length > 0) return `DatabaseUser ${unserved.join(', ')} gets the rights in what was restored first`
  if (others.length > 0) return atWork(others)
  const { beside } = sides
  if (record?.state !== 'Completed' || beside?.role !== 'previous') return undefined
  const kept = `server ${beside.side.statefulSet} of version ${beside.side.version} is still kept`
  return `${kept}; to let it go now, set spec.upgrade.keepPrevious to 0s`
}

/** Returns whether an upgrade could start now, apart from other users of the database. If not, they need no lookup. */
export function mayBegin(ask: UpgradeAsk): boolean {
  const { record } = ask
  const wish = desiredUpgrade({ ...ask, others: [], unserved: [] })
  return wish.kind === 'wanted' && wish.id !== record?.id && (record === undefined || isOver(record))
}

/** Returns a phrase for messages. */
export function atWork(others: readonly string[]): string {
  return `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} at work in the database`
}
