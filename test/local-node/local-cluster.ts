// Cluster with real pods, in this process: the embedded API server and a local node. It stops with the test, also after
// a failure.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { Json } from '../../src/base/json.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { loadConnection } from '../../src/kube/kube-config-loader.ts'
import { loadIfPresent } from '../../src/kube/object-loader.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { type KubeObject, type LiveObject, valueAt } from '../../src/object/object.ts'
import { apiRequest } from '../control-plane/api-request.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { kindOf } from '../e2e/story-kinds.ts'
import { NodeHere } from './node-here.ts'

export class LocalCluster {
  readonly namespace = 'shop'
  /** Path of its administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly #server: EmbeddedServer
  readonly #node: NodeHere
  readonly #client: RestClient
  readonly #end: AsyncDisposableStack

  private constructor(parts: Parts) {
    this.kubeconfig = parts.kubeconfig
    this.#server = parts.server
    this.#node = parts.node
    this.#client = parts.client
    this.#end = parts.end
  }

  static async start(): Promise<LocalCluster> {
    await using undo = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'konverge-local-'))
    undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const kubeconfig = join(folder, 'kubeconfig')
    const server = await startEmbeddedServer({
      host: '127.0.0.1',
      port: 0,
      kubeconfig,
      onFault: (thrown) => process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`),
    })
    undo.defer(() => server.stop())
    const source = { kind: 'files', paths: [kubeconfig] } as const
    const ask = { clock: systemClock, source, environment: {} }
    const connection = await loadConnection(ask, AbortSignal.timeout(120_000))
    const clock = systemClock
    const client = new RestClient({ connection, clock, instruments: silentInstruments, userAgent: 'konverge-test' })
    undo.defer(() => client.close(AbortSignal.timeout(5_000)))
    const node = await NodeHere.start({ kubeconfigPath: kubeconfig, name: 'local', logReader: server.kubeletReader })
    undo.defer(() => node.stop())
    const cluster = new LocalCluster({ kubeconfig, server, node, client, end: undo.move() })
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: cluster.namespace } })
    return cluster
  }

  async stop(): Promise<void> {
    await this.#end.disposeAsync()
  }

  /** Folder of all files of the node. */
  get nodeFolder(): string {
    return this.#node.folder
  }

  /** Log lines of the node. */
  get nodeLines(): readonly string[] {
    return this.#node.lines
  }

  async apply(...objects: readonly KubeObject[]): Promise<void> {
    const options = { fieldManager: 'test', force: true }
    for (const object of objects)
      await this.#client.apply(kindOf(object.kind), object, options, AbortSignal.timeout(120_000))
  }

  /** Writes a status in place of a controller that does not run. */
  async tell(kind: string, name: string, status: Json): Promise<void> {
    const options = { fieldManager: 'test', subresource: 'status' } as const
    const patch = { type: 'merge', body: { status } } as const
    const location = { namespace: this.namespace, name }
    await this.#client.patch(kindOf(kind), location, patch, options, AbortSignal.timeout(120_000))
  }

  get(kind: string, name: string): Promise<LiveObject | undefined> {
    const resource = kindOf(kind)
    const location = resource.scope === 'Cluster' ? { name } : { namespace: this.namespace, name }
    return loadIfPresent(this.#client, resource, location, AbortSignal.timeout(120_000))
  }

  async delete(kind: string, name: string): Promise<void> {
    const { uid } = (await this.objectThat({ kind, name }, 'there', () => true)).metadata
    const location = { namespace: this.namespace, name }
    await this.#client.delete(kindOf(kind), location, { preconditions: { uid } }, AbortSignal.timeout(120_000))
  }

  /** Returns the log of the pod's container, of its current or previous run. */
  async log(pod: string, which: 'current' | 'previous' = 'current'): Promise<string> {
    const query = which === 'previous' ? '?previous=true' : ''
    const path = `/api/v1/namespaces/${this.namespace}/pods/${pod}/log${query}`
    const { url, token, identity } = this.#server
    return (await apiRequest({ url, token, ca: identity.certificate }, { method: 'GET', path })).text
  }

  /** Waits until the object fulfils the condition, and returns it. */
  async objectThat(
    { kind, name }: { readonly kind: string; readonly name: string },
    what: string,
    isSo: (object: LiveObject) => boolean,
  ): Promise<LiveObject> {
    let found: LiveObject | undefined
    const isFound = async () => {
      found = await this.get(kind, name)
      return found !== undefined && isSo(found)
    }
    await waitUntil({ what: `${kind} ${name} to be ${what}`, everyMs: 100 }, isFound).catch((thrown: unknown) => {
      const seen = JSON.stringify(found === undefined ? undefined : valueAt(found, 'status'))
      throw new Error(`${kind} ${name} is not ${what}: ${seen}\n${this.nodeLines.slice(-10).join('\n')}`, {
        cause: thrown,
      })
    })
    if (found === undefined) throw new Error(`${kind} ${name} is gone`)
    return found
  }
}

interface Parts {
  readonly kubeconfig: string
  readonly server: EmbeddedServer
  readonly node: NodeHere
  readonly client: RestClient
  readonly end: AsyncDisposableStack
}
