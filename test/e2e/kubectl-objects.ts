// StoryObjects on a real control plane: each call runs one kubectl command as administrator.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import type { Awaited, Place, StoryObjects } from './story-server.ts'

export class KubectlObjects implements StoryObjects {
  readonly #cluster: ControlPlaneClient

  constructor(cluster: ControlPlaneClient) {
    this.#cluster = cluster
  }

  async apply(...objects: readonly object[]): Promise<void> {
    await this.#cluster.apply(...objects)
  }

  async patch({ namespace, kind, name }: Place, patch: object, subresource?: 'status'): Promise<void> {
    const more = subresource === undefined ? [] : [`--subresource=${subresource}`]
    await this.#kubectl(namespace, 'patch', kind, name, '--type=merge', '-p', JSON.stringify(patch), ...more)
  }

  async delete({ namespace, kind, name }: Place, { waits } = { waits: true }): Promise<void> {
    await this.#kubectl(namespace, 'delete', kind, name, `--wait=${waits}`)
  }

  async get({ namespace, kind, name }: Place): Promise<unknown> {
    const text = await this.#kubectl(namespace, 'get', kind, name, '-o', 'json', '--ignore-not-found')
    return text === '' ? undefined : JSON.parse(text)
  }

  async list(kind: string, namespace: string): Promise<readonly unknown[]> {
    const { items }: { readonly items: readonly unknown[] } = JSON.parse(
      await this.#kubectl(namespace, 'get', kind, '-o', 'json'),
    )
    return items
  }

  until(wait: Awaited, isSo: () => Promise<boolean>): Promise<void> {
    return waitUntil(wait, isSo)
  }

  pass(ms: number): Promise<void> {
    return sleep(ms)
  }

  async #kubectl(namespace: string, ...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.#cluster.kubectl('-n', namespace, ...args)
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
}
