// Servers of a Database in the cluster, and which of them serves applications. Derived from its status and its
// upgrade's journal entry, so that every operator process decides the same. Pure.
import {
  type DatabaseBeside,
  type DatabaseSide,
  databaseServerNames,
  firstDatabaseSide,
  laterDatabaseSide,
} from '../../../constructs/index.ts'
import { durationMs, type SagaRecord } from '../../index.ts'
import { scaleDownOld } from '../upgrade/scale-down-old-step.ts'
import { provisionNew } from '../upgrade/upgrade-world.ts'
import type { DatabaseObject } from './server-connection.ts'

/** Name of the saga in `status.sagas`. */
export const upgradeName = 'upgrade'

export interface ServerSides {
  /** The server that applications use. */
  readonly serving: DatabaseSide
  /** False during the write freeze of an upgrade: the Service selects no server. */
  readonly takesClients: boolean
  readonly beside?: Omit<DatabaseBeside, 'image' | 'volumeSize'> & { readonly role: 'next' | 'previous' }
  /** Earliest end of the previous server's volume, which may already be deleted. */
  readonly keptUntilMs?: number
}

export interface SidesInput {
  readonly object: DatabaseObject
  /** Stored journal entry of its upgrade. */
  readonly record: SagaRecord | undefined
  /** Claim of the server before the last upgrade. */
  readonly previousClaim: SideClaim
  /** Server of a recreated Database, if the volume of a moved server exists. */
  readonly begunWith?: DatabaseSide | undefined
  readonly nowMs: number
}

/** `owned`: deleted with its StatefulSet. */
export type SideClaim = 'gone' | 'kept' | 'owned'

export function serverSides({ object, record, previousClaim, begunWith, nowMs }: SidesInput): ServerSides {
  const { name } = object.metadata
  if (record === undefined || record.state === 'Compensated') {
    return { serving: begunWith ?? servedSide(object), takesClients: true }
  }
  const { old, next } = movingSides(name, record)
  if (record.state === 'Completed') {
    const keptUntilMs = keptUntil(object, record)
    const kept = { serving: next, takesClients: true, keptUntilMs }
    if (previousClaim === 'gone' || (previousClaim === 'owned' && nowMs >= keptUntilMs)) return kept
    // A claim is assigned to its StatefulSet only while the server runs.
    return { ...kept, beside: { ...previousSide(old), isRunning: previousClaim === 'kept' } }
  }
  if (record.pivotedAt !== undefined) {
    return { serving: next, takesClients: true, beside: { ...previousSide(old), isRunning: true } }
  }
  const isFrozen = isInEffect(record, scaleDownOld) || stepState(record, scaleDownOld) === 'Compensating'
  const beside = { side: next, role: 'next', isRunning: true, volumeWhenDeleted: 'Delete' } as const
  return {
    serving: old,
    takesClients: !isFrozen,
    ...(isInEffect(record, provisionNew) ? { beside } : {}),
  }
}

export function isOver({ state }: SagaRecord): boolean {
  return state === 'Completed' || state === 'Compensated'
}

/** The volume is deleted with it when the retention time ends. */
function previousSide(side: DatabaseSide) {
  return { side, role: 'previous', volumeWhenDeleted: 'Delete' } as const
}

/** Returns the server in the status. For a Database without an upgrade: the first one. */
export function servedSide({ metadata: { name }, spec, status }: DatabaseObject): DatabaseSide {
  const { server, serverVersion } = status ?? {}
  if (server !== undefined) return sideNamed(name, server)
  // Status of an older operator, which did not write the server.
  return firstDatabaseSide(name, serverVersion?.split('.', 1)[0] ?? spec.version ?? '')
}

export interface MovingSides {
  readonly old: DatabaseSide
  readonly next: DatabaseSide
}

/** From the input that was fixed at its start. */
export function movingSides(name: string, { input }: Pick<SagaRecord, 'input'>): MovingSides {
  const { from = '', fromServer = '', to = '' } = input
  return { old: sideNamed(name, { name: fromServer, version: from }), next: laterDatabaseSide(name, to) }
}

function sideNamed(name: string, server: { readonly name: string; readonly version: string }): DatabaseSide {
  const isFirst = server.name === databaseServerNames(name).statefulSet
  return isFirst ? firstDatabaseSide(name, server.version) : laterDatabaseSide(name, server.version)
}

/** Returns whether the step has had its effect, or may have had, and is not being rolled back. */
function isInEffect(record: SagaRecord, step: string): boolean {
  const state = stepState(record, step)
  return state === 'Running' || state === 'Done'
}

function stepState({ steps }: SagaRecord, step: string): SagaRecord['steps'][number]['state'] | undefined {
  return steps.find(({ name }) => name === step)?.state
}

function keptUntil({ spec }: DatabaseObject, { finishedAt = '', input }: SagaRecord): number {
  const text = spec.upgrade?.keepPrevious ?? input['keepPrevious'] ?? ''
  return Date.parse(finishedAt) + (durationMs(text) ?? 0)
}
