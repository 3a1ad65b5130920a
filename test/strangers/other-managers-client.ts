// Client that writes to children like other managers, and remembers the state that it left.
import type { JsonObject } from '../../src/base/json.ts'
import type { KubeObject, LiveObject } from '../../src/index.ts'
import { managedByLabel } from '../../src/synth/membership.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import { type ChildKind, childResource, strangerVersion, withoutExtension } from './stranger-kinds.ts'
import { type ChildName, home, keyOf, namespaceOf, type WorldEvent } from './world-plan.ts'

/** A finalizer of another manager. */
export const pin = 'strangers.test/pin'
type MarkEvent = Extract<
  WorldEvent,
  { readonly kind: 'unlabel' | 'disown' | 'pin' | 'unpin' | 'relabel' | 'reset-records' | 'hand-over' }
>

type EventOf<Kind extends WorldEvent['kind']> = Extract<WorldEvent, { readonly kind: Kind }>
export type ChildEvent =
  | MarkEvent
  | EventOf<'edit-child' | 'create-foreign' | 'delete-child' | 'delete-foreign' | 'ready-engine'>

export class OtherManagers {
  readonly #cluster: TestCluster
  /** Objects that no controller created, by uid, in the state that their creators left. */
  readonly #foreign = new Map<string, ChildName & { readonly text: string }>()
  /** Values that other managers added to children under the name `theirs`, by uid. */
  readonly #theirs = new Map<string, ChildName & { readonly value: unknown }>()
  readonly #disowned = new Set<string>()
  readonly #reset = new Set<string>()
  readonly #signal = new AbortController().signal

  constructor(cluster: TestCluster) {
    this.#cluster = cluster
  }

  /** Uids of children whose owner reference was removed. */
  get disowned(): ReadonlySet<string> {
    return this.#disowned
  }

  /** Uids of children whose managedFields were reset. */
  get reset(): ReadonlySet<string> {
    return this.#reset
  }

  /** Rejects with a KubeError if the API server rejects the request. */
  async act(event: ChildEvent): Promise<void> {
    switch (event.kind) {
      case 'edit-child':
        return this.#editChild(event)
      case 'create-foreign': {
        const { child, body } = event
        return this.#note(child, await this.#cluster.create(childResource(child.kind), bodyOf(child, body)))
      }
      case 'delete-child':
        return this.#deleteChild(event.child)
      case 'delete-foreign':
        if (this.#foreign.has((await this.#find(event.child))?.metadata.uid ?? '')) await this.#deleteChild(event.child)
        return
      case 'ready-engine':
        return this.#setReady(event)
      default:
        return this.#mark(event)
    }
  }

  /** Forgets all objects of a kind after its CRD was deleted. */
  forget(gone: ChildKind): void {
    for (const map of [this.#foreign, this.#theirs]) {
      for (const [uid, { kind }] of map) if (kind === gone) map.delete(uid)
    }
  }

  async #setReady({ name, isReady }: EventOf<'ready-engine'>): Promise<void> {
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
    const patch = { type: 'merge', body: { status: { conditions } } } as const
    const at = { namespace: home, name }
    const options = { fieldManager: 'engineer', subresource: 'status' } as const
    await this.#note(
      { kind: 'Engine', name: name },
      await this.#cluster.client.patch(childResource('Engine'), at, patch, options, this.#signal),
    )
  }

  async #editChild({ child, manager, manner, body }: EventOf<'edit-child'>): Promise<void> {
    const { client } = this.#cluster
    const resource = childResource(child.kind)
    const at = { namespace: namespaceOf(child), name: child.name }
    const write =
      manner === 'update'
        ? client.patch(resource, at, { type: 'merge', body }, { fieldManager: manager }, this.#signal)
        : client.apply(
            resource,
            wholeOf(child, body),
            { fieldManager: manager, force: manner === 'apply-forced' },
            this.#signal,
          )
    await this.#note(child, await write)
  }

  /** Changes metadata as another manager. */
  async #mark(event: MarkEvent): Promise<void> {
    const { child, kind } = event
    const found = await this.#find(child)
    if (found === undefined) return
    const { uid } = found.metadata
    const patch = { type: 'merge', body: { metadata: markOf(event, found) } } as const
    const at = { namespace: namespaceOf(child), name: child.name }
    const live = await this.#cluster.client.patch(
      childResource(child.kind),
      at,
      patch,
      { fieldManager: 'marker' },
      this.#signal,
    )
    if (kind === 'disown') this.#disowned.add(uid)
    // Without managedFields nothing shows whether a controller created the object: its record stays.
    if (kind === 'reset-records') {
      this.#reset.add(uid)
      return
    }
    if (kind === 'hand-over') this.#foreign.delete(uid)
    else if (kind !== 'unpin' || live.metadata.deletionTimestamp === undefined) this.#note(child, live)
    else this.#foreign.delete(uid)
  }

  async #deleteChild(child: ChildName): Promise<void> {
    const found = await this.#find(child)
    if (found === undefined) return
    await this.#cluster.delete(childResource(child.kind), keyOf(child))
    this.#foreign.delete(found.metadata.uid)
    this.#theirs.delete(found.metadata.uid)
  }

  /** Remembers the state that another manager has just left. */
  #note(child: ChildName, live: LiveObject): void {
    const { uid } = live.metadata
    // After a reset, managedFields no longer shows that a controller created the object.
    const isForeign = this.#foreign.has(uid) || (isUnmanaged(live) && !this.#reset.has(uid))
    if (isForeign) this.#foreign.set(uid, { ...child, text: contentOf(live) })
    this.#theirs.set(uid, { ...child, value: theirsOf(live) })
  }

  /** Returns a fault for each object and field of other managers that changed. */
  faultsIn(children: readonly LiveObject[]): readonly string[] {
    const byUid = new Map(children.map((child) => [child.metadata.uid, child]))
    const touched = [...this.#foreign].filter(([uid, { text }]) => contentOf(byUid.get(uid)) !== text)
    const lost = [...this.#theirs].filter(([uid, { value }]) => {
      const live = byUid.get(uid)
      return live !== undefined && theirsOf(live) !== value
    })
    return [
      ...touched.map(([, { kind, name }]) => `${kind} ${name} is of others, and was touched`),
      ...lost.map(([, { kind, name }]) => `${kind} ${name} lost what another manager had added`),
    ]
  }

  #find(child: ChildName): Promise<LiveObject | undefined> {
    return this.#cluster.find(childResource(child.kind), keyOf(child))
  }
}

function bodyOf(child: ChildName, body: JsonObject) {
  const namespace = namespaceOf(child)
  const place = { name: child.name, ...(namespace && { namespace }) }
  return { ...body, metadata: { ...(body['metadata'] as object | undefined), ...place } } // A body of the plan.
}

export function wholeOf(child: ChildName, body: JsonObject): KubeObject {
  const { metadata, ...rest } = bodyOf(child, body)
  const apiVersion = child.kind === 'ConfigMap' ? 'v1' : strangerVersion
  return { ...rest, apiVersion, kind: child.kind, metadata }
}

function theirsOf(live: LiveObject): unknown {
  const { data, spec } = live as unknown as {
    data?: Record<string, unknown>
    spec?: { options?: Record<string, unknown> }
  } // A child kind.
  return data?.['theirs'] ?? spec?.options?.['theirs']
}

/** True if no controller has written the object. */
function isUnmanaged({ metadata: { managedFields = [] } }: LiveObject): boolean {
  return !managedFields.some(({ manager }) => manager.includes('/'))
}

/** Returns an object as text without its version, its managers and contributions. */
function contentOf(live: LiveObject | undefined): string {
  if (live === undefined) return ''
  const { kind: _, apiVersion: __, metadata, data = {}, spec = {}, ...rest } = live
  const { managedFields: ___, resourceVersion: ____, ...named } = metadata
  const kept = Object.entries(data as object).filter(([key]) => !key.startsWith('from-')) // A ConfigMap.
  return JSON.stringify([named, kept, withoutExtension(spec as JsonObject), rest]) // A child kind.
}

function markOf(event: MarkEvent, { metadata }: LiveObject): JsonObject {
  const { finalizers = [], labels = {} } = metadata
  switch (event.kind) {
    case 'unlabel':
      return { labels: Object.fromEntries(Object.keys(labels).map((key) => [key, null])) }
    case 'relabel':
      return { labels: { [managedByLabel]: 'other' } }
    case 'reset-records':
      return { managedFields: [{}] }
    case 'disown':
      return { ownerReferences: null }
    case 'pin':
      return { finalizers: [...new Set([...finalizers, pin])] }
    case 'unpin':
      return { finalizers: finalizers.filter((one) => one !== pin) }
    case 'hand-over':
      return { annotations: { 'konverge.dev/adopt': `${event.of}/${event.name}` } }
  }
}
