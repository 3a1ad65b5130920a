// Stores in a namespace of a real cluster, and what the audit log says was done for them.
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'

export interface StoreObject {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly generation: number
    readonly resourceVersion: string
    readonly finalizers?: readonly string[]
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: {
    readonly readyReplicas?: number
    readonly observedGeneration?: number
    readonly lastHandledReconcileAt?: string
    readonly retainedPVCs?: readonly string[]
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
      readonly message: string
      readonly observedGeneration?: number
    }[]
  }
}

export async function installDefinitions(cluster: ControlPlaneClient): Promise<void> {
  const definition: object = parse(
    await readFile(new URL('../../crds/replicated-kv-store.yaml', import.meta.url), 'utf8'),
  )
  await cluster.apply(definition)
  const outcome = await cluster.kubectl(
    'wait',
    '--for=condition=Established',
    '--timeout=60s',
    'crd/replicatedkvstores.data.konverge.dev',
  )
  if (outcome.exitCode !== 0) throw new Error(outcome.stderr)
}

/** The stores of one namespace. */
export class Stores {
  readonly #cluster: ControlPlaneClient
  readonly namespace: string

  constructor(cluster: ControlPlaneClient, namespace: string) {
    this.#cluster = cluster
    this.namespace = namespace
  }

  async createNamespace(): Promise<void> {
    await this.#cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } })
  }

  async apply(...stores: readonly { readonly name: string; readonly spec: object }[]): Promise<void> {
    await this.#cluster.apply(...stores.map(({ name, spec }) => this.object(name, spec)))
  }

  object(name: string, spec: object): object {
    return {
      apiVersion: 'data.konverge.dev/v1alpha1',
      kind: 'ReplicatedKVStore',
      metadata: { name, namespace: this.namespace },
      spec,
    }
  }

  async patch(kind: string, name: string, patch: object, ...more: readonly string[]): Promise<void> {
    await this.#kubectl('patch', kind, name, '--type=merge', '-p', JSON.stringify(patch), ...more)
  }

  async delete(kind: string, name: string, ...more: readonly string[]): Promise<void> {
    await this.#kubectl('delete', kind, name, ...more)
  }

  async get<T>(kind: string, name: string): Promise<T | undefined> {
    const { stdout } = await this.#cluster.kubectl(
      '-n',
      this.namespace,
      'get',
      kind,
      name,
      '-o',
      'json',
      '--ignore-not-found',
    )
    return stdout === '' ? undefined : (JSON.parse(stdout) as T)
  }

  async list<T>(kind: string): Promise<readonly T[]> {
    return (JSON.parse(await this.#kubectl('get', kind, '-o', 'json')) as { items: readonly T[] }).items
  }

  async store(name: string): Promise<StoreObject | undefined> {
    return await this.get<StoreObject>('replicatedkvstores', name)
  }

  /** Waits until the condition has this status and reason; then gives its message. */
  async condition(name: string, type: string, status: string, reason: string, limitMs = 60_000): Promise<string> {
    let message = ''
    await waitUntil({ what: `${name} to have ${type}=${status}/${reason}`, limitMs, everyMs: 200 }, async () => {
      const store = await this.store(name)
      const condition = store?.status?.conditions?.find((candidate) => candidate.type === type)
      message = condition?.message ?? ''
      return (
        condition?.status === status &&
        condition.reason === reason &&
        store?.status?.observedGeneration === store?.metadata.generation
      )
    })
    return message
  }

  /** Waits until every store is ready for its newest spec. */
  async allReady(limitMs: number): Promise<void> {
    await waitUntil({ what: `all stores of ${this.namespace} to be ready`, limitMs, everyMs: 2_000 }, async () => {
      const stores = await this.list<StoreObject>('replicatedkvstores')
      return stores.length > 0 && stores.every(isReady)
    })
  }

  async #kubectl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.#cluster.kubectl('-n', this.namespace, ...args)
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
}

export function isReady({ metadata, status }: StoreObject): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    (status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false)
  )
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** The requests of the operator that ask for a change, refused ones included. */
export function operatorWrites(events: readonly AuditEvent[]): readonly AuditEvent[] {
  return events.filter((event) => event.userAgent?.startsWith('konverge/') === true && isWrite(event))
}

export function isWrite({ verb }: AuditEvent): boolean {
  return writeVerbs.has(verb)
}
