// One request to the server that a kubeconfig of ours names, by its authority and token.
import { readFileSync } from 'node:fs'
import { type ApiAnswer, type ApiRequest, apiRequest } from '../control-plane/api-request.ts'

interface WrittenKubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

export function askBy(kubeconfigPath: string, ask: ApiRequest): Promise<ApiAnswer> {
  const config = JSON.parse(readFileSync(kubeconfigPath, 'utf8')) as WrittenKubeconfig // Of ours.
  const { server, 'certificate-authority-data': authority } = config.clusters[0].cluster
  const ca = Buffer.from(authority, 'base64').toString('utf8')
  return apiRequest({ url: server, ca, token: config.users[0].user.token }, ask)
}
