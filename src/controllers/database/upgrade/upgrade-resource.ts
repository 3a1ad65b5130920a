// Access to both servers of an upgrade, and names of the objects that it creates, from the facts of the Database. Pure.
import { createHash, hkdfSync } from 'node:crypto'
import type { DatabaseSide } from '../../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import {
  CodedError,
  childNamed,
  type LiveObject,
  parseQuantity,
  type SagaCall,
  type SagaResource,
  type SecretSource,
  Service,
  type Token,
} from '../../../index.ts'
import { scramVerifier } from '../../engines/postgres/scram.ts'
import type { PublisherAddress } from '../../engines/replication.ts'
import type { Caller, ServerAccess } from '../../engines/server-access.ts'
import type { SideOrder } from '../../upgrade/new-side.ts'
import type { MoveMethod } from '../../upgrade/upgrade-world.ts'
import type { DatabaseFacts } from '../database-facts.ts'
import { databaseNameOf } from '../logical-database.ts'
import { dialOf, leadsToPods, type ServerConnection } from '../server-connection.ts'
import { movingSides } from '../server-sides.ts'

export type UpgradeResource = SagaResource<DatabaseSpec, DatabaseStatus, DatabaseFacts>
export type UpgradeCall = SagaCall<UpgradeResource>

/**
 * Returns the access to one server. Both have the same administrator and the same certificate, which names the clients'
 * address. Throws ServerUnreachable if the access is unknown.
 */
export function sideAccess(call: UpgradeCall, which: 'old' | 'next'): ServerAccess {
  const { facts } = call
  const side = sidesOf(call)[which]
  const access = facts && accessIn(facts.connection, childNamed(call, Service, side.sideService)?.object)
  if (access !== undefined) return access
  const message =
    facts?.connection.kind === 'unknown' ? facts.connection.message : `Service ${side.sideService} is not there`
  throw new CodedError({ code: 'ServerUnreachable', message, remedy: 'retry' })
}

/** `service`: Service of that server. Returns undefined if the access is not known yet. */
export function accessIn(connection: ServerConnection, service: LiveObject | undefined): ServerAccess | undefined {
  if (connection.kind === 'unknown') return undefined
  if (service === undefined || !leadsToPods(service)) return undefined
  const dial = dialOf({ sideService: service, dialsLocalAddresses: connection.dialsLocalAddresses === true })
  return dial && { ...connection.access, dial }
}

export function sidesOf({ object, input }: UpgradeCall): Readonly<Record<'old' | 'next', DatabaseSide>> {
  return movingSides(object.metadata.name, { input })
}

export function databaseOf({ object }: Pick<UpgradeCall, 'object'>): string {
  return databaseNameOf(object)
}

/** Returns a quarter of the source server's volume, in bytes. */
export function lagLimit({ spec }: Pick<UpgradeCall['object'], 'spec'>): bigint | undefined {
  const size = parseQuantity(spec.provider.inCluster?.storage.size ?? '')
  if (size === undefined || size.exponent < 0) return undefined
  return (size.coefficient * 10n ** BigInt(size.exponent)) / 4n
}

export function callerOf({ object: { metadata } }: Pick<UpgradeCall, 'object'>): Caller {
  return { kind: 'Database', namespace: metadata.namespace ?? '', name: metadata.name }
}

/** Returns the id in the names of objects on both servers. `token`: token of the saga. */
export function upgradeIdOf({ token }: Pick<UpgradeCall, 'token'>): string {
  return `up_${createHash('sha256').update(token).digest('hex').slice(0, 12)}`
}

/** Returns the method with which the upgrade started. */
export function methodOf({ input }: Pick<UpgradeCall, 'input'>): MoveMethod {
  return input['method'] === 'Dump' ? 'Dump' : 'Replication'
}

/** Returns the token in the ownership markers of objects that the upgrade creates. */
export function tokenOf({ object: { metadata }, input }: Pick<UpgradeCall, 'object' | 'input'>): Token {
  return { uid: metadata.uid, generation: Number(input['generation']) }
}

export function orderOf(call: Pick<UpgradeCall, 'object' | 'input' | 'token'>): SideOrder {
  return { id: upgradeIdOf(call), token: tokenOf(call), caller: callerOf(call), database: databaseOf(call) }
}

/**
 * Returns the address and the password with which the target server connects to the source server. The password needs
 * no storage, because it is derived from a stored one.
 */
export function addressOf(call: UpgradeCall): { readonly address: PublisherAddress; readonly verifier: string } {
  const { dial, port, host } = sideAccess(call, 'old')
  const secrets = secretsOf(call, 'replication')
  const password = Buffer.from(secrets.bytes(32)).toString('base64url')
  const place = dial ?? { host, port }
  return {
    // The certificate is for the clients' address, and from an authority that the target server does not know.
    address: { ...place, tls: 'require', password },
    verifier: scramVerifier({ password, salt: secrets.bytes(16) }),
  }
}

/**
 * Returns secrets that are equal for the same upgrade and purpose. Without the administrator's password they are
 * unknown.
 */
export function secretsOf(call: UpgradeCall, purpose: string): SecretSource {
  const { password } = sideAccess(call, 'old')
  let drawn = 0
  const bytes = (count: number) => {
    drawn += 1
    return new Uint8Array(hkdfSync('sha256', password, '', `${call.token} ${purpose} ${drawn}`, count))
  }
  return { bytes }
}
