// What does a story of the operator need of a cluster? What a person does with kubectl, an operator with the rights that `konverge
// install` prints, and a witness of what the operator asked for. A story that is written against this port plays on both servers.

import type { BackoffPolicy } from '../../src/base/backoff.ts'
import type { Controller } from '../../src/index.ts'
import type { LeaderElectionOptions } from '../../src/operator/leader-election.ts'
import type { ApiAnswer, ApiRequest } from '../control-plane/api-request.ts'
import type { FaultyWay } from '../fault-lab/faulty-way.ts'
import type { Requesting } from '../fault-lab/namespace-reader.ts'
import type { LogLine } from './operator-process.ts'

/** Where an object is, as kubectl says it: `kv`, `statefulset`. For a cluster-scoped kind the namespace does not matter. */
export interface Place {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

export interface Awaited {
  /** Completes the sentence "Waited 30 s for …". */
  readonly what: string
  /** By the clock of the server; default: what nothing needs. */
  readonly limitMs?: number
  readonly everyMs?: number
  /** What it throws ends the wait at once. */
  readonly giveUp?: () => void
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
  /** A page of the operator's own HTTP server: `/readyz`, `/readyz?verbose`, `/healthz`, `/metrics`. */
  get(path: string): Promise<{ readonly status: number; readonly text: string }>
  /** What it has logged since its start. */
  readonly lines: readonly LogLine[]
  stop(): Promise<unknown>
}

export interface OperatorEnd {
  /** 0: in order. */
  readonly code: number | null
  /** What it said to it. */
  readonly message: string
}

/** An operator that dies and is born again; its way to the server, with the faults on it and its record, stays. */
export interface MortalOperator extends StoryOperator {
  readonly way: FaultyWay
  /** A new life. */
  start(): this
  /** Resolves when /readyz answers 200. */
  ready(limitMs?: number): Promise<this>
  /** Lets time pass until it is so while the operator runs. */
  until(what: string, isSo: () => boolean | Promise<boolean>, limitMs?: number): Promise<void>
  /** Throws if it has ended by itself. */
  throwIfEnded(): void
  /** Resolves when it has ended by itself. */
  exit(): Promise<OperatorEnd>
  /** Ends the life with -9. What it had under way is lost, and the next life finds the line up. */
  kill(): Promise<void>
  /** SIGSTOP and SIGCONT. */
  sleep(): void
  wake(): void
  stop(): Promise<OperatorEnd>
}

export interface OperatorAsk {
  /** Confines it to these; absent: the whole cluster. */
  readonly namespaces?: readonly string[]
  /** Delays between the retries of one resource. */
  readonly backoff?: BackoffPolicy
  /** What it runs. Default: the flagship's, as it ships. */
  readonly controllers?: readonly Controller[]
  readonly userAgent?: string
  readonly election?: LeaderElectionOptions
  /** Who it is. Default: the account that `konverge install` makes. */
  readonly account?: Account
}

export interface Account {
  readonly namespace: string
  readonly name: string
}

/** A request, and what became of it. */
export interface StoryRequest {
  readonly verb: string
  readonly group: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** With its query. */
  readonly path: string
  readonly userAgent: string
  readonly code: number
  /** When it came, by the wall clock. */
  readonly atMs: number
}

/** How often objects of each kind were made, and deleted by the operator, by a title for each (story-counts.ts). */
export type Counts = Readonly<Record<string, number>>

export interface StoryServer extends StoryObjects, Requesting {
  /** One request with the token of a service account, under its rights alone. */
  requestAs(account: Account, ask: ApiRequest): Promise<ApiAnswer>
  /** The wall clock of operators and requests. */
  nowMs(): number
  /** Starts the flagship for one namespace, or for all, under its printed rights; resolves when it works. */
  startOperator(namespace?: string): Promise<StoryOperator>
  /**
   * The flagship under its printed rights, not yet running. One that takes part in an election is that of the lease's namespace, as
   * `konverge install` makes it there.
   */
  mortalOperator(ask: OperatorAsk): Promise<MortalOperator>
  /** Starts controllers of the test's own, for an administrator; resolves when they work. Their turns are in its log. */
  startControllers(ask: OperatorAsk & { readonly controllers: readonly Controller[] }): Promise<StoryOperator>
  /** What operators have asked for, in its order, those that were refused included. */
  requests(): Promise<readonly StoryRequest[]>
  /** What operators have written in the namespace. */
  operatorWrites(namespace: string): Promise<readonly StoryRequest[]>
  /** What the operator had no right to. */
  refusals(): Promise<readonly string[]>
  /** By namespace. */
  counts(): Promise<ReadonlyMap<string, Counts>>
  stop(): Promise<void>
}

/** A server that a story has for itself, and may do anything to. */
export interface OwnServer extends StoryServer {
  /** Is the server out of reach for operators? What was under way is lost. */
  setAway(isAway: boolean): Promise<void>
  /** Forgets all history: who wants to go on from an earlier version has to begin anew. */
  forgetHistory(): Promise<void>
}

/** Gives a server on which the flagship's definition is installed. */
export type StartStoryServer = () => Promise<StoryServer>
