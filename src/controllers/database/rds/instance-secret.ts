// Secret of the Database with the master password. It has the keys of a connection Secret, so that all controllers read
// it like that of any server.
import { ApiObject, type Chart } from 'cdk8s'
import { databaseSelectorLabels, databaseServerNames } from '../../../../constructs/index.ts'
import { passwordIDKey, type RdsFacts } from './instance-facts.ts'

export function instanceSecret(chart: Chart, name: string, { admin, endpoint }: RdsFacts): ApiObject {
  const values = {
    ...(endpoint === undefined ? {} : { host: endpoint.host, port: String(endpoint.port) }),
    username: admin.username,
    password: admin.password,
    [passwordIDKey]: admin.passwordID,
  }
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
  return new ApiObject(chart, 'instance-secret', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: databaseServerNames(name).adminSecret, labels: { ...databaseSelectorLabels(name) } },
    type: 'Opaque',
    data: Object.fromEntries(encoded),
  })
}
