// Fixture of the local node's tests: pods of the test image on the test's node, and waits for effects of a kubelet.
import type { PodObject } from '../../src/local-node/pod.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'

/** Returns a pod with one Node.js program, bound to this node. */
export function nodePod(nodeName: string, script: string, more: object = {}, pod: object = {}) {
  const container = { name: 'main', image: 'konverge-test/node:1', args: ['-e', script], ...more }
  return {
    nodeSelector: { 'kubernetes.io/hostname': nodeName },
    terminationGracePeriodSeconds: 3,
    containers: [container],
    ...pod,
  }
}

export class NodeStage {
  readonly namespace: string
  readonly #plane: ControlPlaneClient

  constructor(plane: ControlPlaneClient, namespace: string) {
    this.#plane = plane
    this.namespace = namespace
  }

  async open(): Promise<void> {
    await this.#plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } })
    await this.until('the service account', async () => {
      const path = `/api/v1/namespaces/${this.namespace}/serviceaccounts/default`
      return (await this.#plane.request({ method: 'GET', path })).status === 200
    })
  }

  apply(object: { readonly metadata: object; readonly [field: string]: unknown }): Promise<void> {
    return this.#plane.apply({ ...object, metadata: { ...object.metadata, namespace: this.namespace } })
  }

  applyPod(name: string, spec: object, metadata: object = {}): Promise<void> {
    return this.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec })
  }

  async pod(name: string): Promise<PodObject | undefined> {
    const path = `/api/v1/namespaces/${this.namespace}/pods/${name}`
    const { status, text } = await this.#plane.request({ method: 'GET', path })
    return status === 200 ? JSON.parse(text) : undefined
  }

  async pods(): Promise<readonly PodObject[]> {
    const path = `/api/v1/namespaces/${this.namespace}/pods`
    return JSON.parse((await this.#plane.request({ method: 'GET', path })).text).items
  }

  /** Waits until the pod fulfils the condition, and returns it. */
  async podThat(name: string, what: string, isSo: (pod: PodObject) => boolean, limitMs = 60_000): Promise<PodObject> {
    let found: PodObject | undefined
    try {
      await this.until(
        `pod ${name} ${what}`,
        async () => {
          found = await this.pod(name)
          return found !== undefined && isSo(found)
        },
        limitMs,
      )
    } catch (thrown) {
      throw new Error(`pod ${name} is not ${what}: ${JSON.stringify(found?.status)}`, { cause: thrown })
    }
    if (found === undefined) throw new Error(`pod ${name} is gone`)
    return found
  }

  async gone(name: string): Promise<void> {
    await this.until(`pod ${name} to be gone`, async () => (await this.pod(name)) === undefined)
  }

  async close(): Promise<void> {
    await this.#plane.kubectl('delete', 'namespace', this.namespace, '--timeout=180s')
  }

  until(what: string, isSo: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
    return waitUntil({ what, limitMs, everyMs: 100 }, isSo)
  }
}

export const isReady = ({ status }: PodObject): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
