// What does a story of the operator need of a cluster? What a person does with kubectl, an operator with the rights that `konverge
// install` prints, and a witness of what the operator asked for. A story that is written against this port plays on both servers.

/** Where an object is, as kubectl says it: `kv`, `statefulset`. For a cluster-scoped kind the namespace does not matter. */
export interface Place {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

export interface Awaited {
  /** Completes the sentence "Waited 30 s for …". */
  readonly what: string
  /** By the clock of the server. */
  readonly limitMs: number
  readonly everyMs?: number
}

/** Objects, as they come from the wire. Everything rejects with what the server says where it refuses. */
export interface StoryObjects {
  /** As `kubectl apply --server-side`. */
  apply(...objects: readonly object[]): Promise<void>
  /** A merge patch. */
  patch(place: Place, patch: object, subresource?: 'status'): Promise<void>
  /** Resolves when the object is gone, or with `waits: false` at once. */
  delete(place: Place, options?: { readonly waits: boolean }): Promise<void>
  get(place: Place): Promise<unknown>
  list(kind: string, namespace: string): Promise<readonly unknown[]>
  /** Lets time pass until it is so; throws when it is not within the limit. What `isSo` throws means "not yet". */
  until(wait: Awaited, isSo: () => Promise<boolean>): Promise<void>
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>
}

export interface StoryOperator {
  /** The sum of a metric's series whose labels contain `labels`. */
  metric(name: string, labels?: string): Promise<number>
  stop(): Promise<unknown>
}

/** A request of the operator that asked for a change. */
export interface OperatorWrite {
  readonly verb: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

export interface StoryServer extends StoryObjects {
  /** Starts the flagship for one namespace under its printed rights; resolves when it works. */
  startOperator(namespace: string): Promise<StoryOperator>
  /** In their order, those that were refused included. */
  operatorWrites(namespace: string): Promise<readonly OperatorWrite[]>
  /** What the operator had no right to. */
  refusals(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Gives a server on which the flagship's definition is installed. */
export type StartStoryServer = () => Promise<StoryServer>
