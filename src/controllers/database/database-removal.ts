// Removal of the database when its Database is deleted: deletionPolicy applies once no DatabaseUser uses it. This also
// holds for Retain, because users find their roles through the Database. With the annotation for abandonment, the
// operator does not contact the server. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import { abandonAnnotation, type ExternalRemoval, isAbandoned, nameList } from '../../index.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { awaitedSentence } from './final-backup.ts'
import { databaseNameOf, type LogicalDatabase, logicalDatabase } from './logical-database.ts'
import type { DatabaseObject } from './server-connection.ts'

export function databaseRemoval(
  object: DatabaseObject,
  facts: DatabaseFacts | undefined,
): ExternalRemoval<LogicalDatabase> {
  const { spec, status } = object
  if (isAbandoned(object)) {
    return keep(`${placeOf(status)}let go of by its annotation ${abandonAnnotation}`)
  }
  if (facts === undefined) return blocked('NotLookedUp', 'who uses the database could not be looked up')
  const { users, connection, finalBackup } = facts
  if (spec.deletionPolicy === 'Retain') {
    // If the connection to the server is unknown, waiting does not help the users.
    if (users.length > 0 && connection.kind === 'known') return blocked('HasDependents', `${usedBy(users)}; ${letGo}`)
    return keep(`${placeOf(status)}a Database with spec.adoptionPolicy Adopt and this name takes it up again`)
  }
  if (users.length > 0) return blocked('HasDependents', usedBy(users))
  if (finalBackup?.kind === 'awaited') return blocked('SnapshotPending', awaitedSentence(object, finalBackup))
  if (finalBackup?.kind === 'impossible') return keep(`${placeOf(status)}${finalBackup.message}`)
  // The CRD requires a target; without one, nothing is dropped.
  if (spec.deletionPolicy === 'Snapshot' && spec.provider.rds === undefined && spec.snapshotTarget === undefined) {
    return blocked(
      'SnapshotFailed',
      'spec.snapshotTarget is missing; set it, or spec.deletionPolicy to Retain or Delete',
    )
  }
  if (spec.provider.inCluster !== undefined) return keep('on its server, which is deleted with its volume')
  if (spec.provider.rds !== undefined) return keep('on its instance, which is deleted')
  if (connection.kind === 'known') {
    const restores = restoresOf(object.status)
    const desired = {
      ...logicalDatabase(object, connection.access),
      isLeaving: true,
      ...(restores.length === 0 ? {} : { restores }),
    }
    return { kind: 'remove', externalName: databaseNameOf(object), desired }
  }
  return blocked(connection.reason, `${connection.message}; ${wayOut}`)
}

/** Returns requests whose restores may have left databases on the server. */
function restoresOf(status: DatabaseStatus | undefined): readonly string[] {
  const { requestID, previous = [] } = status?.restore ?? {}
  const kept = previous.map((one) => one.requestID)
  return [...new Set([...kept, ...(requestID === undefined ? [] : [requestID])])]
}

const letGo = `or let the Database go without them, which leaves their roles on the server, with the annotation ${abandonAnnotation}: "true"`
const wayOut = `if the server is gone for good, let go of it with the annotation ${abandonAnnotation}: "true"`

/** Most users in one message; an Event holds 1,024 characters. */
const namedUsers = 8

function usedBy(users: readonly string[]): string {
  return `DatabaseUser ${nameList(users, namedUsers)} use the database; delete them first`
}

function placeOf(status: DatabaseStatus | undefined): string {
  const { endpoint, providerID } = status ?? {}
  const at = endpoint === undefined ? [] : [`on ${endpoint.host}:${endpoint.port}`]
  const known = [...at, ...(providerID === undefined ? [] : [providerID])]
  return known.length === 0 ? '' : `${known.join(', ')}; `
}

function keep(note: string): ExternalRemoval<LogicalDatabase> {
  return { kind: 'keep', note }
}

function blocked(reason: string, message: string): ExternalRemoval<LogicalDatabase> {
  return { kind: 'blocked', reason, message }
}
