// Which servers does a Database in the cluster have now, and to which of them are applications led? Decided from its status and from the
// record of its upgrade, so that every life of the operator sees the same. Pure.
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

/** The saga, by its name in `status.sagas`. */
export const upgradeName = 'upgrade'

export interface ServerSides {
  /** Whom applications are led to. */
  readonly serving: DatabaseSide
  /** While an upgrade has frozen it, nobody is led anywhere. */
  readonly takesClients: boolean
  readonly beside?: Omit<DatabaseBeside, 'image' | 'volumeSize'> & { readonly role: 'next' | 'previous' }
  /** Until when the volume of the server before this one is kept at least; there may be none any more. */
  readonly keptUntilMs?: number
}

export interface SidesInput {
  readonly object: DatabaseObject
  /** Of its upgrade, as stored. */
  readonly record: SagaRecord | undefined
  /** Of the side that served before the last upgrade. */
  readonly previousClaim: SideClaim
  /** Whom a Database begins with that was made again, where there is a volume of one that it has moved to. */
  readonly begunWith?: DatabaseSide | undefined
  readonly nowMs: number
}

/** `owned`: it goes with its StatefulSet. */
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
    // Only of a server that runs the claim is given to its StatefulSet.
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

/** Its volume goes with it, as soon as it is kept no longer. */
function previousSide(side: DatabaseSide) {
  return { side, role: 'previous', volumeWhenDeleted: 'Delete' } as const
}

/** The server that the status names; of a Database that has never been upgraded the first one. */
export function servedSide({ metadata: { name }, spec, status }: DatabaseObject): DatabaseSide {
  const { server, serverVersion } = status ?? {}
  if (server !== undefined) return sideNamed(name, server)
  // Status of an operator that did not write it yet.
  return firstDatabaseSide(name, serverVersion?.split('.', 1)[0] ?? spec.version ?? '')
}

export interface MovingSides {
  readonly old: DatabaseSide
  readonly next: DatabaseSide
}

/** By what was pinned when it began. */
export function movingSides(name: string, { input }: Pick<SagaRecord, 'input'>): MovingSides {
  const { from = '', fromServer = '', to = '' } = input
  return { old: sideNamed(name, { name: fromServer, version: from }), next: laterDatabaseSide(name, to) }
}

function sideNamed(name: string, server: { readonly name: string; readonly version: string }): DatabaseSide {
  const isFirst = server.name === databaseServerNames(name).statefulSet
  return isFirst ? firstDatabaseSide(name, server.version) : laterDatabaseSide(name, server.version)
}

/** Has the step had its effect, or may it have had, and is it not being taken back yet? */
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
