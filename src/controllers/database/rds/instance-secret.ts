// Where does the master password stand? In a Secret of the Database, with the keys of every connection Secret, so that whoever speaks
// to the instance finds it as he would find any server.
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
