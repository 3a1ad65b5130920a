// How does a client learn where the server is, whom to trust and who it is? By a kubeconfig with all of it inside. JSON, which is
// YAML too. Pure.
import { isJsonList, isJsonObject, own } from '../base/json.ts'

export interface KubeconfigFacts {
  readonly url: string
  /** PEM of the only authority to trust. */
  readonly certificate: string
  readonly token: string
}

const name = 'konverge'

/** Holds the token: write it where only its user reads it. */
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

/** Is this a text of ours, that nobody has added a cluster to? Then another may take its place. */
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
    return undefined // YAML of somebody else, or nothing.
  }
}
