// What does one list/watch do next? `step` decides from the state and what just happened; Watcher carries it out. A
// resourceVersion once seen is never gone back on, and every way round the drawing passes a rest or makes progress.
//
//   resting ──rested──▶ collecting ──end mark──▶ following        one stream: the initial events, then the changes
//      ▲                    │                       ▲ │
//      │                    │ no such thing here    │ │ ended, broken, stalled ──▶ resting ──▶ following, same version
//      │                    ▼                       │ │ expired, CRD gone ───────▶ resting ──▶ collecting from the last version
//      └────── fails ── listing ◀─next page─┐       │ ▼
//                           └───page────────┴─last──┘
//
// The phase says what to be doing now; effects say what to do to the store. Source: client-go's reflector, KEP-3157.
import { assert, unreachable } from '../base/assert.ts'
import type { JsonObject } from '../base/json.ts'
import type { ListPage, WatchFrame } from '../kube/client.ts'
import { kubeErrorOf } from '../kube/kube-errors.ts'
import { endlessListProblem } from '../kube/list-pages.ts'
import type { LiveObject } from '../object/object.ts'
import { compareVersions } from './resource-version.ts'
import { delayAfter, type Failure, failureOf, type Strain, unstrained } from './watch-failure.ts'

/** A stream with sendInitialEvents; frames go into the partial snapshot. `''` asks for the newest state. */
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
  /** The API server does not serve the resource: its answer to a snapshot request is a 404. */
  | 'waiting'
  /** What is read may be long out of date; `lastError` says why. */
  | 'failing'

export interface WatchState {
  /** `pods in namespace default`: what messages call the thing watched. */
  readonly subject: string
  readonly phase: WatchPhase
  /** The newest version seen; empty before the first snapshot. */
  readonly resourceVersion: string
  readonly openedAtMs: number
  readonly strain: Strain
  /** Since when nothing has gone well; undefined while all is well. */
  readonly troubledSinceMs: number | undefined
  readonly status: WatchStatus
  readonly lastError: string | undefined
  /** Was the last failure a stream that was open and brought nothing? */
  readonly hasStalled: boolean
}

export type WatchEvent =
  | { readonly kind: 'rested' }
  | { readonly kind: 'frame'; readonly frame: WatchFrame }
  | { readonly kind: 'page'; readonly page: ListPage }
  /** The server has taken the watch up, and for `shortStreamMs` since then the stream has not ended. */
  | { readonly kind: 'standing' }
  /** The server ended the stream. */
  | { readonly kind: 'ended' }
  /** Nothing came within the limit of the wait. */
  | { readonly kind: 'stalled' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** What happened, when (monotonic milliseconds), and a random number in [0, 1) to draw a delay from. */
export type WatchInput = WatchEvent & { readonly atMs: number; readonly chance: number }

export type DataFrame = Extract<WatchFrame, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>

export type WatchEffect =
  | { readonly kind: 'collect'; readonly objects: readonly LiveObject[] }
  | { readonly kind: 'uncollect'; readonly object: LiveObject }
  /** The partial snapshot is void. */
  | { readonly kind: 'discard' }
  /** The partial snapshot is whole: it becomes the content of the store, at once. */
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

/** Small enough to be answered within a request's limit, large enough to need few requests; the value of kubectl. */
const pageSize = 500
const pageGrowth = 4
/** A stream that the server ended sooner than this is a failure: to reconnect at once would be to spin. */
export const shortStreamMs = 1_000
/** Trouble that may pass by itself is not called failing for this long, so that a restart of the API server is not. */
const graceMs = 30_000
const initialEventsEnd = 'k8s.io/initial-events-end'
const discard: WatchEffect = { kind: 'discard' }

/** `seen`: the newest version that an earlier watch of the same selection reached; no snapshot may be older. */
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

/** What to do after `input`. Constant time, whatever the number of objects. */
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
      return { state: isInStepStanding(state) ? proven(state) : state, effects: [] }
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
  // Everything up to the last version has been seen, so what is not newer is a repetition, or a server behind the last one.
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

/** Initial events come in no order, so only the end mark says which version the snapshot has. */
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
      // A server that knows initial events holds other bookmarks back until it has sent them.
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

/** Refuses a snapshot older than what was seen: acting on it would undo, or delete by mistake, what came since. */
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

/** The fallback. Not remembered: asking again at the next snapshot costs one refusal and notices an upgraded server. */
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
    // Only a page is tried again by itself; any other beginning starts the snapshot anew.
    effects: [
      ...(next === state.phase && next.kind === 'listing' ? [] : [discard]),
      ...(status === 'waiting' && state.status !== 'waiting' ? [{ kind: 'absent' } as const] : []),
      { kind: 'restart', failure, delayMs },
    ],
  }
}

/** Where to go on after the rest. */
function phaseAfter(phase: Busy, { kind }: Failure, lastSeen: string): Busy {
  const isPassing = kind === 'unreachable' || kind === 'overloaded' || kind === 'stalled' || kind === 'shortStream'
  switch (phase.kind) {
    case 'collecting':
      if (kind === 'expired' || kind === 'versionTooLarge') return { kind: 'collecting', resourceVersion: '' }
      return kind === 'behind' ? { kind: 'collecting', resourceVersion: lastSeen } : phase
    case 'following':
      // An event that could not be sent, e.g. of an object that cannot be decoded, shows only in the newest state.
      if (kind === 'lostEvent') return { kind: 'collecting', resourceVersion: '' }
      // With the last version, not '': whoever answers must not be older than what was seen.
      return isPassing || kind === 'denied' ? phase : { kind: 'collecting', resourceVersion: lastSeen }
    case 'listing':
      if (isPassing) return phase
      // The token outlived its snapshot. With larger pages fewer are needed, in the end one, which needs no token.
      if (kind === 'expired' && phase.continueToken !== undefined)
        return { kind: 'listing', limit: phase.limit * pageGrowth }
      return { kind: 'collecting', resourceVersion: kind === 'expired' ? '' : lastSeen }
    default:
      return unreachable(phase)
  }
}

function statusAfter({ kind }: Failure, { phase, status }: WatchState, troubledMs: number): WatchStatus {
  // A second 404, to the request for a snapshot, confirms the one that ended a watch: one server of several may be behind.
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

/** The server speaks, and of nothing older than what was seen: what is read is as new as can be known. */
function proven(state: WatchState): WatchState {
  return { ...state, status: 'synced', troubledSinceMs: undefined, lastError: undefined, hasStalled: false }
}

/**
 * Is a stream that goes on from the last version, and stands, as good as one that was never cut? Whatever came since then will come on
 * it, so it need not wait for a bookmark, of which a quiet kind has one a minute. That the server is not itself behind is shown by
 * neither, nor by a list: its version is that of the whole storage, so it is newer than that of a quiet kind also when nothing was
 * missed. Turns do not go by this but by their own writes (see Freshness). After a silence only a frame will do: on a way
 * that keeps everything back, streams stand and bring nothing.
 */
function isInStepStanding({ phase, hasStalled }: WatchState): boolean {
  return phase.kind === 'following' && !hasStalled
}

function attemptOf(state: WatchState): string {
  return `${state.phase.kind === 'listing' ? 'list' : 'watch'} ${state.subject}`
}
