// How is the server of a Database reached, as the cluster says now? Reads what a connection is made of, for whoever may use that Database.
import { type LiveReader, Secret, Service } from '../../index.ts'
import {
  connectionSecrets,
  connectionSource,
  type DatabaseObject,
  type ServerConnection,
  serverConnection,
} from './server-connection.ts'

export async function loadConnection(database: DatabaseObject, live: LiveReader): Promise<ServerConnection> {
  const { namespace } = database.metadata
  const source = connectionSource(database)
  const names = connectionSecrets(source)
  const found = await Promise.all(names.map((name) => live.find(Secret, { namespace, name })))
  const secrets = new Map(found.flatMap((secret) => (secret === undefined ? [] : [[secret.metadata.name, secret]])))
  const serviceNamed = async (name: string | undefined) =>
    name === undefined ? undefined : await live.find(Service, { namespace, name })
  const [service, sideService] = await Promise.all([serviceNamed(source?.service), serviceNamed(source?.sideService)])
  return serverConnection({ source, secrets, service, sideService })
}
