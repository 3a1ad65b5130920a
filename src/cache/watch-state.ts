// State machine of one list/watch. `step` decides from the state and the last event; Watcher performs the decision.
// Invariants: the resourceVersion never goes back, and every cycle of the drawing contains a rest or makes progress.
//
//   resting ──rested──▶ collecting ──end mark──▶ following        one stream: the initial events, then the changes
//      ▲                    │                       ▲ │
//      │                    │ not supported         │ │ ended, broken, stalled ──▶ resting ──▶ following, same version
//      │                    ▼                       │ │ expired, CRD gone ───────▶ resting ──▶ collecting from last version
//      └────── fails ── listing ◀─next page─┐       │ ▼
//                           └───page────────┴─last──┘
//
// The phase is the current activity; effects change the store. Source: client-go's reflector, KEP-3157.
import { assert, unreachable } from '../base/assert.ts'
import type { JsonObject } from '../base/json.ts'
import type { ListPage, WatchFrame } from '../kube/client.ts'
import { kubeErrorOf } from '../kube/kube-errors.ts'
import { endlessListProblem } from '../kube/list-pages.ts'
import type { LiveObject } from '../object/object.ts'
import { compareVersions } from './resource-version.ts'
import { delayAfter, type Failure, failureOf, type Strain, unstrained } from './watch-failure.ts'

/** A stream with sendInitialEvents; frames go into the partial snapshot. `''` requests the newest state. */
type Collecting = { readonly kind: 'collecting'; readonly resourceVersion: string }
/** A stream of changes after the last seen version. */
type Following = { readonly kind: 'following' }
/** Pages go into the partial snapshot. */
type Listing = {
  readonly kind: 'listing'
  readonly limit: number
  readonly continueToken?: string
  readonly pages?: number
}
type Busy = Collecting | Following | Listing

export type WatchPhase = Busy | { readonly kind: 'resting'; readonly delayMs: number; readonly next: Busy }

export type WatchStatus =
  /** Nothing to read yet. */
  | 'starting'
  | 'synced'
  /** The API server does not serve the resource: it answers a snapshot request with 404. */
  | 'waiting'
  /** The content may be long out of date; `lastError` has the reason. */
  | 'failing'

export interface WatchState {
  /** `pods in namespace default`: the watched objects in messages. */
  readonly subject: string
  readonly phase: WatchPhase
  /** The newest version seen; empty before the first snapshot. */
  readonly resourceVersion: string
  readonly openedAtMs: number
  readonly strain: Strain
  /** Start of an unbroken row of failures; undefined without failures. */
  readonly troubledSinceMs: number | undefined
  readonly status: WatchStatus
  readonly lastError: string | undefined
  /** True if the last failure was an open stream without data. */
  readonly hasStalled: boolean
}

export type WatchEvent =
  | { readonly kind: 'rested' }
  | { readonly kind: 'frame'; readonly frame: WatchFrame }
  | { readonly kind: 'page'; readonly page: ListPage }
  /** The server has accepted the watch, and the stream has not ended for `shortStreamMs` since. */
  | { readonly kind: 'standing' }
  /** The server ended the stream. */
  | { readonly kind: 'ended' }
  /** Nothing arrived within the limit. */
  | { readonly kind: 'stalled' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** The event, its time (monotonic milliseconds), and a random number in [0, 1) for a delay. */
export type WatchInput = WatchEvent & { readonly atMs: number; readonly chance: number }

export type DataFrame = Extract<WatchFrame, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>

export type WatchEffect =
  | { readonly kind: 'collect'; readonly objects: readonly LiveObject[] }
  | { readonly kind: 'uncollect'; readonly object: LiveObject }
  /** The partial snapshot is void. */
  | { readonly kind: 'discard' }
  /** The partial snapshot is complete: it becomes the content of the store, at once. */
  | { readonly kind: 'replace'; readonly resourceVersion: string }
  | { readonly kind: 'apply'; readonly frame: DataFrame }
  /** A bookmark: everything up to this version has been seen. */
  | { readonly kind: 'reached'; readonly resourceVersion: string }
  /** The API server does not serve the kind, so no object of it exists. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'restart'; readonly failure: Failure; readonly delayMs: number }

export interface WatchStep {
  readonly state: WatchState
  readonly effects: readonly WatchEffect[]
}

/** Small enough for a response within a request's limit, large enough for few requests; the value of kubectl. */
const pageSize = 500
const pageGrowth = 4
/** A stream that the server ended earlier is a failure: an immediate reconnect would spin. */
export const shortStreamMs = 1_000
/** A transient problem counts as failing only after this time, so that a restart of the API server does not. */
const graceMs = 30_000
const initialEventsEnd = 'k8s.io/initial-events-end'
const discard: WatchEffect = { kind: 'discard' }

/** `seen`: the newest version of an earlier watch of the same selection; no snapshot may be older. */
export function startWatch(subject: string, seen = ''): WatchState {
  return {
    subject,
    phase: { kind: 'resting', delayMs: 0, next: { kind: 'collecting', resourceVersion: '' } },
    resourceVersion: seen,
    openedAtMs: 0,
    strain: unstrained,
    troubledSinceMs: undefined,
    status: 'starting',
    lastError: undefined,
    hasStalled: false,
  }
}

/** Returns the state and effects after `input`. Constant time, whatever the number of objects. */
export function step(state: WatchState, input: WatchInput): WatchStep {
  switch (input.kind) {
    case 'rested':
      assert(state.phase.kind === 'resting', 'only a resting watch can have rested')
      return { state: { ...state, phase: state.phase.next, openedAtMs: input.atMs }, effects: [] }
    case 'frame':
      return afterFrame(state, input.frame, input)
    case 'page':
      return afterPage(state, input.page, input)
    case 'standing':
      return { state: isSynced(state) ? proven(state) : state, effects: [] }
    case 'ended':
      return afterEnd(state, input)
    case 'stalled':
      return afterFailure(state, { kind: 'stalled', message: `${attemptOf(state)}: nothing came for too long` }, input)
    case 'failed':
      return afterFailure(state, failureOf(input.error), input)
    default:
      return unreachable(input)
  }
}

function afterFrame(state: WatchState, frame: WatchFrame, input: WatchInput): WatchStep {
  if (frame.type === 'ERROR') return afterFailure(state, failureIn(frame.object, state), input)
  if (state.phase.kind === 'collecting') return afterCollected(state, frame, input)
  assert(state.phase.kind === 'following', 'frames only come while a stream is open')
  const resourceVersion = frame.object.metadata.resourceVersion ?? ''
  // Everything up to the last version has been seen, so an event that is not newer is a repetition. Or it comes from a
  // server that is behind.
  const order = compareVersions(resourceVersion, state.resourceVersion)
  if (order === 'older' || resourceVersion === '') return { state, effects: [] }
  if (order === 'equal') return { state: proven(state), effects: [] }
  const effect: WatchEffect =
    frame.type === 'BOOKMARK' ? { kind: 'reached', resourceVersion } : { kind: 'apply', frame }
  return { state: { ...proven(state), resourceVersion }, effects: [effect] }
}

function failureIn(status: JsonObject, state: WatchState): Failure {
  const httpStatus = typeof status.code === 'number' ? status.code : 500
  const failure = failureOf(kubeErrorOf({ attempt: attemptOf(state), httpStatus, body: status }))
  return failure.kind === 'overloaded' || failure.kind === 'unreachable' ? { ...failure, kind: 'lostEvent' } : failure
}

/** Initial events are unordered, so only the end mark has the version of the snapshot. */
function afterCollected(
  state: WatchState,
  frame: Exclude<WatchFrame, { type: 'ERROR' }>,
  input: WatchInput,
): WatchStep {
  switch (frame.type) {
    case 'ADDED':
    case 'MODIFIED':
      return { state, effects: [{ kind: 'collect', objects: [frame.object] }] }
    case 'DELETED':
      return { state, effects: [{ kind: 'uncollect', object: frame.object }] }
    case 'BOOKMARK': {
      const { annotations, resourceVersion = '' } = frame.object.metadata
      // A server that supports initial events sends no other bookmark before their end.
      if (annotations?.[initialEventsEnd] !== 'true' || resourceVersion === '') {
        return listInstead(state, 'sent a bookmark that does not end the initial events')
      }
      return afterSnapshot(state, resourceVersion, input)
    }
    default:
      return unreachable(frame)
  }
}

function afterPage(state: WatchState, page: ListPage, input: WatchInput): WatchStep {
  assert(state.phase.kind === 'listing', 'pages only come while listing')
  const collect: WatchEffect = { kind: 'collect', objects: page.items }
  const { continueToken } = page
  if (continueToken !== undefined && continueToken !== '') {
    const { continueToken: asked, pages: before = 0 } = state.phase
    const pages = before + 1
    const problem = endlessListProblem({ pages, asked, answered: continueToken })
    // Larger pages may need no token.
    if (problem !== undefined) {
      return afterFailure(state, { kind: 'expired', message: `${attemptOf(state)}: ${problem}` }, input)
    }
    return { state: { ...state, phase: { ...state.phase, continueToken, pages } }, effects: [collect] }
  }
  const after = afterSnapshot({ ...state, openedAtMs: input.atMs }, page.resourceVersion, input)
  return { state: after.state, effects: [collect, ...after.effects] }
}

/** Rejects a snapshot older than the seen version: it would undo later changes, or delete objects by mistake. */
function afterSnapshot(state: WatchState, resourceVersion: string, input: WatchInput): WatchStep {
  if (resourceVersion === '') {
    const message = `${attemptOf(state)}: the answer has no resourceVersion, so no watch can follow it; the API is not made to be watched`
    return afterFailure(state, { kind: 'rejected', message }, input)
  }
  if (compareVersions(resourceVersion, state.resourceVersion) === 'older') {
    const message =
      `${attemptOf(state)}: the API server answered with resourceVersion ${resourceVersion}, but ${state.resourceVersion} has been seen; ` +
      'it is behind, or its storage was restored from a backup: in that case restart this process'
    return afterFailure(state, { kind: 'behind', message }, input)
  }
  return {
    state: { ...proven(state), phase: { kind: 'following' }, resourceVersion },
    effects: [{ kind: 'replace', resourceVersion }],
  }
}

function afterEnd(state: WatchState, input: WatchInput): WatchStep {
  if (state.phase.kind === 'collecting')
    return listInstead(state, 'ended the stream before the initial events were complete')
  const livedMs = input.atMs - state.openedAtMs
  if (livedMs < shortStreamMs) {
    const message = `${attemptOf(state)}: the server ended the stream after ${Math.round(livedMs)} ms`
    return afterFailure(state, { kind: 'shortStream', message }, input)
  }
  const failure: Failure = { kind: 'ended', message: `${attemptOf(state)}: the stream came to its end` }
  const phase: WatchPhase = { kind: 'resting', delayMs: 0, next: { kind: 'following' } }
  return { state: { ...state, phase }, effects: [{ kind: 'restart', failure, delayMs: 0 }] }
}

/**
 * The fallback. Not remembered: the request at the next snapshot costs one rejection and detects an upgraded server.
 */
function listInstead(state: WatchState, why: string): WatchStep {
  const failure: Failure = {
    kind: 'noInitialEvents',
    message: `${attemptOf(state)}: the server ${why}; listing instead`,
  }
  return {
    state: { ...state, phase: { kind: 'listing', limit: pageSize } },
    effects: [discard, { kind: 'restart', failure, delayMs: 0 }],
  }
}

function afterFailure(state: WatchState, failure: Failure, { atMs, chance }: WatchInput): WatchStep {
  assert(state.phase.kind !== 'resting', 'a resting watch has nothing that could fail')
  if (state.phase.kind === 'collecting' && (failure.kind === 'rejected' || failure.kind === 'stalled')) {
    return listInstead(state, `does not send initial events (${failure.message})`)
  }
  const next = phaseAfter(state.phase, failure, state.resourceVersion)
  const { delayMs, strain } = delayAfter({ failure, strain: state.strain, atMs, chance })
  const troubledSinceMs = state.troubledSinceMs ?? atMs
  const status = statusAfter(failure, state, atMs - troubledSinceMs)
  return {
    state: {
      ...state,
      phase: { kind: 'resting', delayMs, next },
      strain,
      troubledSinceMs,
      status,
      lastError: sentenceOf(failure, state.subject),
      hasStalled: failure.kind === 'stalled',
    },
    // Only a page is retried alone; any other failure restarts the snapshot.
    effects: [
      ...(next === state.phase && next.kind === 'listing' ? [] : [discard]),
      ...(status === 'waiting' && state.status !== 'waiting' ? [{ kind: 'absent' } as const] : []),
      { kind: 'restart', failure, delayMs },
    ],
  }
}

/** Returns the phase after the rest. */
function phaseAfter(phase: Busy, { kind }: Failure, lastSeen: string): Busy {
  const isPassing = kind === 'unreachable' || kind === 'overloaded' || kind === 'stalled' || kind === 'shortStream'
  switch (phase.kind) {
    case 'collecting':
      if (kind === 'expired' || kind === 'versionTooLarge') return { kind: 'collecting', resourceVersion: '' }
      return kind === 'behind' ? { kind: 'collecting', resourceVersion: lastSeen } : phase
    case 'following':
      // An event that could not be sent, e.g. of an object that cannot be decoded, shows only in the newest state.
      if (kind === 'lostEvent') return { kind: 'collecting', resourceVersion: '' }
      // With the last version, not '': the responding server must not be older.
      return isPassing || kind === 'denied' ? phase : { kind: 'collecting', resourceVersion: lastSeen }
    case 'listing':
      if (isPassing) return phase
      // The token outlived its snapshot. With larger pages fewer are needed, finally one, which needs no token.
      if (kind === 'expired' && phase.continueToken !== undefined)
        return { kind: 'listing', limit: phase.limit * pageGrowth }
      return { kind: 'collecting', resourceVersion: kind === 'expired' ? '' : lastSeen }
    default:
      return unreachable(phase)
  }
}

function statusAfter({ kind }: Failure, { phase, status }: WatchState, troubledMs: number): WatchStatus {
  // A second 404, to the snapshot request, confirms the one that ended a watch: one of several servers may be behind.
  if (kind === 'notServed') return phase.kind === 'following' ? status : 'waiting'
  if (kind === 'denied' || kind === 'rejected') return 'failing'
  return troubledMs >= graceMs ? 'failing' : status
}

function sentenceOf(failure: Failure, subject: string): string {
  switch (failure.kind) {
    case 'notServed':
      return `waiting for ${subject}: the API server does not serve it; install its CRD (${failure.message})`
    case 'denied':
      return `may not list and watch ${subject}: grant both verbs to this service account (${failure.message})`
    default:
      return failure.message
  }
}

/** The server responds with nothing older than the seen version: the content is as new as can be known. */
function proven(state: WatchState): WatchState {
  return { ...state, status: 'synced', troubledSinceMs: undefined, lastError: undefined, hasStalled: false }
}

/**
 * True if a stream continues from the last version and stays open: it is as good as one that was never interrupted. It
 * delivers all missed events, so it need not wait for a bookmark, which a quiet kind has once a minute. Neither this
 * nor a list shows whether the server itself is behind. The version of a list is that of the whole storage. It is newer
 * than that of a quiet kind even if nothing was missed. Reconciles depend on their own writes instead (see Freshness).
 * After a stall only a frame counts: on a connection that withholds all data, streams stay open and deliver nothing.
 */
function isSynced({ phase, hasStalled }: WatchState): boolean {
  return phase.kind === 'following' && !hasStalled
}

function attemptOf(state: WatchState): string {
  return `${state.phase.kind === 'listing' ? 'list' : 'watch'} ${state.subject}`
}
