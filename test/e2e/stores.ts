// Stores in one namespace of a cluster, on any server.
import { usualLimitMs } from '../control-plane/wait-until.ts'
import type { Requesting } from '../fault-lab/namespace-reader.ts'
import { flagshipDefinitions, listPath } from './definitions.ts'
import type { Place, StoryObjects } from './story-server.ts'

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

/** Applies the flagship's definitions; resolves when the server serves the kinds. */
export async function installDefinitions(cluster: Installable): Promise<void> {
  const definitions = await flagshipDefinitions()
  await cluster.apply(...definitions)
  for (const path of definitions.map(listPath)) {
    for (let look = 0; (await cluster.request({ method: 'GET', path })).status !== 200; look++) {
      if (look > 600) throw new Error(`the definition has been applied, and ${path} is not served`)
      await cluster.pass(100)
    }
  }
}

/** Server to which definitions can be applied. */
interface Installable extends Requesting {
  apply(...objects: readonly object[]): Promise<void>
  /** Lets time pass. */
  pass(ms: number): Promise<void>
}

/** The stores of one namespace. */
export class Stores {
  readonly #server: StoryObjects
  readonly namespace: string

  constructor(server: StoryObjects, namespace: string) {
    this.#server = server
    this.namespace = namespace
  }

  async createNamespace(): Promise<void> {
    await this.#server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } })
  }

  async apply(...stores: readonly { readonly name: string; readonly spec: object }[]): Promise<void> {
    await this.#server.apply(...stores.map(({ name, spec }) => this.object(name, spec)))
  }

  object(name: string, spec: object): object {
    return {
      apiVersion: 'data.konverge.dev/v1alpha1',
      kind: 'ReplicatedKVStore',
      metadata: { name, namespace: this.namespace },
      spec,
    }
  }

  async patch(kind: string, name: string, patch: object, subresource?: 'status'): Promise<void> {
    await this.#server.patch(this.#place(kind, name), patch, subresource)
  }

  /** Deletes the object; waits until it no longer exists. */
  async delete(kind: string, name: string): Promise<void> {
    await this.#server.delete(this.#place(kind, name))
  }

  async startDelete(kind: string, name: string): Promise<void> {
    await this.#server.delete(this.#place(kind, name), { waits: false })
  }

  async get<T>(kind: string, name: string): Promise<T | undefined> {
    return (await this.#server.get(this.#place(kind, name))) as T | undefined // The caller knows the kind.
  }

  async list<T>(kind: string): Promise<readonly T[]> {
    return (await this.#server.list(kind, this.namespace)) as readonly T[] // The caller knows the kind.
  }

  async store(name: string): Promise<StoreObject | undefined> {
    return await this.get<StoreObject>('replicatedkvstores', name)
  }

  /** Waits until the condition has this status and reason; returns its message. */
  async condition(name: string, type: string, status: string, reason: string, limitMs = usualLimitMs): Promise<string> {
    let message = ''
    await this.until(
      `${name} to have ${type}=${status}/${reason}`,
      async () => {
        const store = await this.store(name)
        const condition = store?.status?.conditions?.find((candidate) => candidate.type === type)
        message = condition?.message ?? ''
        return (
          condition?.status === status &&
          condition.reason === reason &&
          store?.status?.observedGeneration === store?.metadata.generation
        )
      },
      limitMs,
    )
    return message
  }

  /** Waits for an Event about the object of this name; returns its message. */
  async event(name: string, reason: string): Promise<string> {
    type EventObject = { reason: string; message?: string; involvedObject: { name: string } }
    let found: EventObject | undefined
    await this.until(`the Event ${reason} of ${name}`, async () => {
      const events = await this.list<EventObject>('events')
      found = events.find((event) => event.reason === reason && event.involvedObject.name === name)
      return found !== undefined
    })
    return found?.message ?? ''
  }

  /** Waits until every store is Ready for its newest generation. */
  async allReady(limitMs: number): Promise<void> {
    await this.#server.until(
      { what: `all stores of ${this.namespace} to be ready`, limitMs, everyMs: 2_000 },
      async () => {
        const stores = await this.list<StoreObject>('replicatedkvstores')
        return stores.length > 0 && stores.every(isReady)
      },
    )
  }

  /** Waits by the server's clock. */
  async until(what: string, isSo: () => Promise<boolean>, limitMs = usualLimitMs): Promise<void> {
    await this.#server.until({ what, limitMs, everyMs: 200 }, isSo)
  }

  #place(kind: string, name: string): Place {
    return { namespace: this.namespace, kind, name }
  }
}

export function isReady({ metadata, status }: StoreObject): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    (status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false)
  )
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

export function isWrite({ verb }: { readonly verb: string }): boolean {
  return writeVerbs.has(verb)
}
