// Reads the connection to a Database's server, for every controller that uses the Database.
import { type LiveObject, type LiveReader, Secret, Service } from '../../index.ts'
import type { ReferencePolicy } from '../references/reference-policy.ts'
import {
  connectionSecrets,
  connectionSource,
  type DatabaseObject,
  type ServerConnection,
  serverConnection,
} from './server-connection.ts'

export interface ConnectionReader {
  readonly live: LiveReader
  readonly policy: ReferencePolicy
  /** A Secret that is already in memory. */
  readonly known?: LiveObject | undefined
}

export async function loadConnection(
  database: DatabaseObject,
  { live, policy, known }: ConnectionReader,
): Promise<ServerConnection> {
  const { namespace } = database.metadata
  const source = connectionSource(database)
  const names = connectionSecrets(source)
  const find = (name: string) => (name === known?.metadata.name ? known : live.find(Secret, { namespace, name }))
  const found = await Promise.all(names.map(find))
  const secrets = new Map(found.flatMap((secret) => (secret === undefined ? [] : [[secret.metadata.name, secret]])))
  const serviceNamed = async (name: string | undefined) =>
    name === undefined ? undefined : await live.find(Service, { namespace, name })
  const [service, sideService] = await Promise.all([serviceNamed(source?.service), serviceNamed(source?.sideService)])
  return serverConnection({ source, secrets, service, sideService, policy })
}
