// Request to the server of a generated kubeconfig, with its authority and token.
import { readFileSync } from 'node:fs'
import { type ApiAnswer, type ApiRequest, apiRequest } from '../control-plane/api-request.ts'

interface WrittenKubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

export function askBy(kubeconfigPath: string, ask: ApiRequest): Promise<ApiAnswer> {
  // Sound: konverge wrote the file.
  const config = JSON.parse(readFileSync(kubeconfigPath, 'utf8')) as WrittenKubeconfig
  const { server, 'certificate-authority-data': authority } = config.clusters[0].cluster
  const ca = Buffer.from(authority, 'base64').toString('utf8')
  return apiRequest({ url: server, ca, token: config.users[0].user.token }, ask)
}
