// Kubeconfig with embedded credentials: server URL, CA certificate and token. The text is JSON, which is also YAML.
import { isJsonList, isJsonObject, own } from '../base/json.ts'

export interface KubeconfigFacts {
  readonly url: string
  /** PEM of the only trusted CA. */
  readonly certificate: string
  readonly token: string
}

const name = 'konverge'

/** Returns the text of the kubeconfig. It contains the token, so only its user may read the file. */
export function kubeconfigText({ url, certificate, token }: KubeconfigFacts): string {
  const authority = Buffer.from(certificate, 'utf8').toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

/** Returns whether konverge wrote the kubeconfig and it has a single cluster, so that it may be replaced. */
export function isOwnKubeconfig(text: string): boolean {
  const config = parsed(text)
  if (!isJsonObject(config) || own(config, 'current-context') !== name) return false
  const clusters = own(config, 'clusters')
  const [cluster, ...others] = isJsonList(clusters) ? clusters : []
  return others.length === 0 && isJsonObject(cluster) && own(cluster, 'name') === name
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not JSON, so not written by konverge.
  }
}
