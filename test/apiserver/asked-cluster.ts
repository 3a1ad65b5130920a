// Complete control plane on its own clock, queried through its handler. `root` may do everything, `ann` what roles
// allow.
import { Cluster, type ClusterOptions } from '../../src/apiserver/cluster.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { seededRandom } from '../../src/base/random.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

export interface Asked {
  readonly as?: string
  readonly type?: string
}

export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into.
  readonly body: any
}

export class AskedCluster {
  readonly clock = new SimClock()
  readonly cluster: Cluster

  constructor(options: Partial<ClusterOptions> = {}) {
    const tokens = new Map([
      ['root', { name: 'root', groups: ['system:masters'] }],
      ['ann', { name: 'ann', groups: ['system:authenticated'] }],
    ])
    this.cluster = new Cluster({ clock: this.clock, random: seededRandom(1), tokens, ...options })
  }

  async send(method: string, path: string, body?: unknown, { as = 'root', type }: Asked = {}): Promise<Answered> {
    const headers = { authorization: `Bearer ${as}`, 'content-type': type ?? 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await handleFetch(this.cluster.server, new Request(`http://server${path}`, init))
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }

  create(path: string, body: unknown, asked?: Asked): Promise<Answered> {
    return this.send('POST', path, body, asked)
  }

  /** Grants `ann` rules in the whole cluster. */
  async allow(...rules: readonly object[]): Promise<void> {
    const at = '/apis/rbac.authorization.k8s.io/v1'
    await this.create(`${at}/clusterroles`, { metadata: { name: 'of-ann' }, rules })
    await this.create(`${at}/clusterrolebindings`, bindingOf('of-ann'))
  }

  stop(): void {
    this.cluster.stop()
  }
}

export function bindingOf(role: string): object {
  const apiGroup = 'rbac.authorization.k8s.io'
  const subjects = [{ apiGroup, kind: 'User', name: 'ann' }]
  return { metadata: { name: role }, roleRef: { apiGroup, kind: 'ClusterRole', name: role }, subjects }
}
