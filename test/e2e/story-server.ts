// Port between a story and its cluster: actions of a kubectl user, an operator with the printed rights, and a record
// of the operator's requests. A story against this port runs on both servers.

import type { BackoffPolicy } from '../../src/base/backoff.ts'
import type { Controller } from '../../src/index.ts'
import type { LeaderElectionOptions } from '../../src/operator/leader-election.ts'
import type { ApiAnswer, ApiRequest } from '../control-plane/api-request.ts'
import type { FaultyWay } from '../fault-lab/faulty-way.ts'
import type { Requesting } from '../fault-lab/namespace-reader.ts'
import type { LogLine } from './operator-process.ts'

/**
 * Location of an object in kubectl's names: `kv`, `statefulset`. For a cluster-scoped kind the namespace is ignored.
 */
export interface Place {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

export interface Awaited {
  /** Completes the sentence "Waited 30 s for …". */
  readonly what: string
  /** By the server's clock. Default: longer than any wait needs. */
  readonly limitMs?: number
  readonly everyMs?: number
  /** An error that it throws ends the wait at once. */
  readonly giveUp?: () => void
}

/** Objects as on the wire. Every method rejects with the server's message when the server rejects the request. */
export interface StoryObjects {
  /** Applies like `kubectl apply --server-side`. */
  apply(...objects: readonly object[]): Promise<void>
  /** Sends a merge patch. */
  patch(place: Place, patch: object, subresource?: 'status'): Promise<void>
  /** Resolves when the object no longer exists; with `waits: false` at once. */
  delete(place: Place, options?: { readonly waits: boolean }): Promise<void>
  get(place: Place): Promise<unknown>
  list(kind: string, namespace: string): Promise<readonly unknown[]>
  /** Lets time pass until `isSo` is true; throws at the limit. An error of `isSo` means "not yet". */
  until(wait: Awaited, isSo: () => Promise<boolean>): Promise<void>
  /** Lets this time pass. */
  pass(ms: number): Promise<void>
}

export interface StoryOperator {
  /** Sums the series of a metric whose labels contain `labels`. */
  metric(name: string, labels?: string): Promise<number>
  /** Returns a page of the operator's HTTP server: `/readyz`, `/readyz?verbose`, `/healthz`, `/metrics`. */
  get(path: string): Promise<{ readonly status: number; readonly text: string }>
  /** Log lines since its start. */
  readonly lines: readonly LogLine[]
  stop(): Promise<unknown>
}

export interface OperatorEnd {
  /** Exit code; 0: stopped gracefully. */
  readonly code: number | null
  /** Error output at the end. */
  readonly message: string
}

/** Operator that a test kills and starts again. Its path to the server keeps its faults and its record. */
export interface MortalOperator extends StoryOperator {
  readonly way: FaultyWay
  /** Starts a new process. */
  start(): this
  /** Resolves when /readyz answers 200. */
  ready(limitMs?: number): Promise<this>
  /** Lets time pass until `isSo` is true while the operator runs. */
  until(what: string, isSo: () => boolean | Promise<boolean>, limitMs?: number): Promise<void>
  /** Throws if the operator exited by itself. */
  throwIfEnded(): void
  /** Resolves when the operator has exited by itself. */
  exit(): Promise<OperatorEnd>
  /** Ends the process like SIGKILL. Its pending requests are lost, and the next process finds the line up. */
  kill(): Promise<void>
  /** `sleep` and `wake` act like SIGSTOP and SIGCONT. */
  sleep(): void
  wake(): void
  stop(): Promise<OperatorEnd>
}

export interface OperatorAsk {
  /** Confines the operator to these. Default: the whole cluster. */
  readonly namespaces?: readonly string[]
  /** Delays between the retries of one resource. */
  readonly backoff?: BackoffPolicy
  /** Controllers of the operator. Default: those of the flagship. */
  readonly controllers?: readonly Controller[]
  readonly userAgent?: string
  readonly election?: LeaderElectionOptions
  /** Identity of the operator. Default: the account that `konverge install` creates. */
  readonly account?: Account
}

export interface Account {
  readonly namespace: string
  readonly name: string
}

/** A request and its response code. */
export interface StoryRequest {
  readonly verb: string
  readonly group: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Path with its query. */
  readonly path: string
  readonly userAgent: string
  readonly code: number
  /** Arrival by the wall clock, in milliseconds. */
  readonly atMs: number
}

/** Objects of each kind that were created, or deleted by the operator, by a title for each (story-counts.ts). */
export type Counts = Readonly<Record<string, number>>

export interface StoryServer extends StoryObjects, Requesting {
  /** Sends one request with the token of a ServiceAccount, under its rights only. */
  requestAs(account: Account, ask: ApiRequest): Promise<ApiAnswer>
  /** Wall clock of operators and requests. */
  nowMs(): number
  /** Starts the flagship for one namespace, or for all, under its printed rights; resolves when it works. */
  startOperator(namespace?: string): Promise<StoryOperator>
  /**
   * Creates the flagship under its printed rights, without starting it. An operator with leader election belongs to the
   * namespace of the Lease, as `konverge install` creates it there.
   */
  mortalOperator(ask: OperatorAsk): Promise<MortalOperator>
  /** Starts controllers of the test as administrator; resolves when they work. The log has their reconciles. */
  startControllers(ask: OperatorAsk & { readonly controllers: readonly Controller[] }): Promise<StoryOperator>
  /** Requests of operators in order, including rejected ones. */
  requests(): Promise<readonly StoryRequest[]>
  /** Writes of operators in the namespace. */
  operatorWrites(namespace: string): Promise<readonly StoryRequest[]>
  /** Requests of the operator that the server answered with 403. */
  refusals(): Promise<readonly string[]>
  /** Counts by namespace. */
  counts(): Promise<ReadonlyMap<string, Counts>>
  stop(): Promise<void>
}

/** Server that a story does not share and may break. */
export interface OwnServer extends StoryServer {
  /** Makes the server unreachable for operators, or reachable again. Pending requests are lost. */
  setAway(isAway: boolean): Promise<void>
  /** Forgets all history: a client that resumes from an earlier version must list again. */
  forgetHistory(): Promise<void>
}

/** Returns a server with the flagship's definitions. */
export type StartStoryServer = () => Promise<StoryServer>
