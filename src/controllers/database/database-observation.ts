// Observation of one database on a server: its existence, identity and ownership. Pure.
//
// The identity consists of the server's system identifier, which names its data directory, and the database's oid. Name
// and address are not part of it. The comment of the owner role has the ownership token. It is valid from the start,
// because CREATE DATABASE sets the owner. The database's own comment has to agree (database-authority.ts).
import type { ExternalCall, Observation, Token } from '../../index.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { ServerObservation } from '../engines/observed-server.ts'
import { forWhom, isOfAnotherNamespace, ofAnotherNamespace, signed } from '../engines/server-access.ts'
import { characterDifference } from './character-set.ts'
import { authorityOf } from './database-authority.ts'
import type { LogicalDatabase, ObservedLogicalDatabase } from './logical-database.ts'

export type DatabaseObservation =
  /** Final result; the database's contents are not read. */
  | { readonly kind: 'decided'; readonly observation: Observation<ObservedLogicalDatabase> }
  /**
   * The database exists. At deletion, a left-over owner role is enough. If `isReadable`, the contents have to be read
   * too.
   */
  | {
      readonly kind: 'there'
      readonly providerID: string
      /** Provider ID of the replaced database. A restore sets it in the transaction that renames the new one. */
      readonly succeeds: string | undefined
      readonly owner: Token | undefined
      readonly observed: Seen
      readonly isReadable: boolean
    }

type Seen = Omit<ObservedLogicalDatabase, 'contents'>

type Call = Pick<ExternalCall<LogicalDatabase>, 'desired' | 'token' | 'providerID' | 'adopts'>

/** Returns the permanent identity of a database on its server. */
export function providerIdOf(systemIdentifier: string, oid: number): string {
  return `pg://${systemIdentifier}/${oid}`
}

/** @throws {EngineError} ServerUnreachable if the server is read only, because its data may be stale. */
export function observationOf(call: Call, { server, databases, roles }: ServerObservation): DatabaseObservation {
  const { desired, token } = call
  if (server.isReadOnly) throw readOnly(desired)
  const ownerRole = roles.find(({ name }) => name === desired.owner)
  const database = databases.find(({ name }) => name === desired.name)
  const formers = databases.filter(({ name }) => desired.formers?.includes(name) === true)
  const observed = { server, database, ownerRole, formers, token: signed(token, desired.caller) }
  const others = call.adopts && !desired.isLeaving ? notToBeAdopted(call, observed) : undefined
  if (others !== undefined) return broken('NotOwned', others)
  if (database === undefined) return observationWhenMissing(call, observed)
  if (database.isInvalid && !desired.isLeaving) return broken('DatabaseInvalid', cutOff(desired))
  const providerID = providerIdOf(server.systemIdentifier, database.oid)
  const authority = authorityOf({ token, recorded: call.providerID, providerID, database, ownerRole })
  if (authority.kind === 'disputed') return broken('NotOwned', authority.message)
  const { owner } = authority
  const isOurs = owner?.uid === token.uid || call.providerID === providerID
  const isToStay = (isOurs || call.adopts) && !desired.isLeaving
  const otherwise = isToStay ? characterDifference(desired, database) : undefined
  if (otherwise !== undefined) return broken(otherwise.reason, otherwise.message)
  return {
    kind: 'there',
    providerID,
    succeeds: database.succession?.replaced,
    owner,
    observed,
    isReadable: database.allowsConnections && isToStay,
  }
}

/**
 * Returns why no adoptionPolicy takes the database over: it belongs to another namespace, or to the operator's own
 * role. Otherwise a writer of Databases would get access to it. The comment of the database in the status does not
 * count under its own owner role, because a guest may have written it.
 */
function notToBeAdopted(
  { desired, token, providerID }: Call,
  { server, database, ownerRole }: Seen,
): string | undefined {
  const { name, owner, caller } = desired
  const isRecorded = database !== undefined && providerID === providerIdOf(server.systemIdentifier, database.oid)
  const isOurs = isRecorded && ownerRole?.token?.uid === token.uid
  const isTheirs = (mark: Token | undefined) => mark?.uid !== token.uid && isOfAnotherNamespace(mark, caller.namespace)
  if (owner === server.admin.role)
    return `role ${owner} is the one as which the operator works; choose another spec.databaseName`
  if (!isOurs && isTheirs(database?.token)) return ofAnotherNamespace(`database ${name}`, database?.token)
  return isTheirs(ownerRole?.token) ? ofAnotherNamespace(`role ${owner}`, ownerRole?.token) : undefined
}

function observationWhenMissing(call: Call, observed: Seen): DatabaseObservation {
  const { desired, token, providerID, adopts } = call
  const { server, ownerRole } = observed
  if (isOtherServer(providerID, server.systemIdentifier) && (desired.isLeaving || !desired.recreatesIfMissing)) {
    return broken('IdentityChanged', otherServer(desired))
  }
  const isRoleOurs = ownerRole?.token?.uid === token.uid
  if (desired.isLeaving && isRoleOurs) {
    const remains = providerID ?? providerIdOf(server.systemIdentifier, 0)
    return {
      kind: 'there',
      providerID: remains,
      succeeds: undefined,
      owner: ownerRole.token,
      observed,
      isReadable: false,
    }
  }
  if (ownerRole !== undefined && !isRoleOurs && !adopts && !desired.isLeaving) {
    return broken('NotOwned', foreignRole(desired, ownerRole.token))
  }
  return { kind: 'decided', observation: { kind: 'absent', proof: 'authoritative' } }
}

/** Returns whether the identity names another server. */
function isOtherServer(providerID: string | undefined, systemIdentifier: string): boolean {
  return providerID !== undefined && !providerID.startsWith(`pg://${systemIdentifier}/`)
}

function broken(reason: string, message: string): DatabaseObservation {
  return { kind: 'decided', observation: { kind: 'broken', reason, message, isTerminal: true } }
}

function placeOf({ access }: LogicalDatabase): string {
  return `${access.host}:${access.port}`
}

function readOnly(desired: LogicalDatabase): EngineError {
  return new EngineError({
    code: 'ServerUnreachable',
    message: `the server at ${placeOf(desired)} is read only, a standby perhaps; give the address of the one that takes writes`,
    remedy: 'retry',
  })
}

function cutOff({ name, access: { host, port } }: LogicalDatabase): string {
  return `a DROP DATABASE of ${name} on ${host}:${port} was cut off, and nobody can connect to what is left; drop it for good`
}

function otherServer(desired: LogicalDatabase): string {
  return (
    `the server at ${placeOf(desired)} is not the one that had database ${desired.name}, and has no such database; ` +
    'give the address of the right one, or restore the database there'
  )
}

function foreignRole({ owner, access: { host, port } }: LogicalDatabase, token: Token | undefined): string {
  return (
    `role ${owner} on ${host}:${port} was not made for this Database${forWhom(token)}; ` +
    'drop or rename it, choose another spec.databaseName, or set spec.adoptionPolicy to Adopt'
  )
}
