// What does a look at a server say about one database? Whether it is there, which one it is, and whose. Pure.
//
// The system identifier names the server's data folder and the oid the database in it: together they are its identity, which
// neither its name nor its address is. The comment of its owner role says whose it is from the first moment on, as CREATE DATABASE sets
// the owner; the database's own comment has to agree (database-authority.ts).
import type { ExternalCall, Observation, Token } from '../../index.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { ServerObservation } from '../engines/observed-server.ts'
import { forWhom, isOfAnotherNamespace, ofAnotherNamespace, signed } from '../engines/server-access.ts'
import { characterDifference } from './character-set.ts'
import { authorityOf } from './database-authority.ts'
import type { LogicalDatabase, ObservedLogicalDatabase } from './logical-database.ts'

export type DatabaseObservation =
  /** There is nothing to look into. */
  | { readonly kind: 'decided'; readonly observation: Observation<ObservedLogicalDatabase> }
  /** It is there; its contents have to be looked at too where `isReadable`. */
  | {
      readonly kind: 'there'
      readonly providerID: string
      /** Set by a restore, in the transaction that gave it its name. */
      readonly succeeds: string | undefined
      readonly owner: Token | undefined
      readonly observed: Seen
      readonly isReadable: boolean
    }

type Seen = Omit<ObservedLogicalDatabase, 'contents'>

type Call = Pick<ExternalCall<LogicalDatabase>, 'desired' | 'token' | 'providerID' | 'adopts'>

/** Which database of which server, for good. */
export function providerIdOf(systemIdentifier: string, oid: number): string {
  return `pg://${systemIdentifier}/${oid}`
}

/** @throws {EngineError} ServerUnreachable, from a server where nothing can be changed: what it shows may be old. */
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
 * What no adoptionPolicy takes over: who may write a Database may not so get at another namespace's, or at the operator's own role. The
 * comment of the very database that the status has, under its own owner role, says nothing: a guest may have written it.
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

/** The server's own part of an identity. */
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
