import { describe, expect, it } from 'vitest'
import {
  type WatchEvent as Event,
  startWatch,
  step,
  type WatchEffect,
  type WatchPhase,
  type WatchState,
} from '../../src/cache/watch-state.ts'
import type { ListPage, WatchFrame } from '../../src/kube/client.ts'
import { KubeError, type KubeErrorCode, type KubeErrorOptions } from '../../src/kube/kube-errors.ts'
import { configMap } from './objects.ts'

/** An event, or the time before the next one in milliseconds. */
type Script = readonly (Event | number)[]

const rested: Event = { kind: 'rested' }
const ended: Event = { kind: 'ended' }
const stalled: Event = { kind: 'stalled' }
const standing: Event = { kind: 'standing' }
const frame = (value: WatchFrame): Event => ({ kind: 'frame', frame: value })
const added = (name: string, version: number) => frame({ type: 'ADDED', object: configMap(name, { version }) })
const modified = (name: string, version: number | string) =>
  frame({ type: 'MODIFIED', object: configMap(name, { version }) })
const deleted = (name: string, version: number) => frame({ type: 'DELETED', object: configMap(name, { version }) })
const bookmark = (resourceVersion: string | undefined, annotations?: Record<string, string>) =>
  frame({
    type: 'BOOKMARK',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: '',
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(annotations === undefined ? {} : { annotations }),
      },
    },
  })
const endMark = (version: string) => bookmark(version, { 'k8s.io/initial-events-end': 'true' })
const errorFrame = (code: number, reason: string, message = reason) =>
  frame({ type: 'ERROR', object: { kind: 'Status', code, reason, message } })
const failed = (code: KubeErrorCode, more: Partial<KubeErrorOptions> = {}): Event => ({
  kind: 'failed',
  error: new KubeError({ code, message: `watch configmaps: ${code}`, ...more }),
})
const tooLarge = failed('Timeout', {
  causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
})
const page = (resourceVersion: string, names: readonly string[], continueToken?: string): Event => {
  const items = names.map((name) => configMap(name, { version: resourceVersion }))
  const value: ListPage = { resourceVersion, items, ...(continueToken === undefined ? {} : { continueToken }) }
  return { kind: 'page', page: value }
}

interface Run {
  readonly state: WatchState
  /** Effects of the last step. */
  readonly effects: readonly WatchEffect[]
  readonly atMs: number
}

/** Uses half of every delay. */
function play(script: Script, from: WatchState = startWatch('configmaps in all namespaces'), startMs = 0): Run {
  let run: Run = { state: from, effects: [], atMs: startMs }
  for (const entry of script) {
    run =
      typeof entry === 'number'
        ? { state: run.state, effects: run.effects, atMs: run.atMs + entry }
        : { ...step(run.state, { ...entry, atMs: run.atMs, chance: 0.5 }), atMs: run.atMs }
  }
  return run
}

const synced: Script = [rested, added('a', 3), endMark('10'), 5_000]
const listing: Script = [rested, failed('Invalid')]
const kinds = (run: Run) => run.effects.map((effect) => effect.kind)

describe('the first snapshot', () => {
  it('requests the newest state', () => {
    expect(play([rested]).state.phase).toEqual({ kind: 'collecting', resourceVersion: '' })
  })

  it('shows nothing before the end mark, and everything at once after it', () => {
    const collecting = play([rested, added('a', 3)])
    expect(collecting.effects).toEqual([{ kind: 'collect', objects: [configMap('a', { version: 3 })] }])
    expect(collecting.state.status).toBe('starting')
    const whole = play([endMark('10')], collecting.state)
    expect(whole.effects).toEqual([{ kind: 'replace', resourceVersion: '10' }])
    expect(whole.state).toMatchObject({ phase: { kind: 'following' }, resourceVersion: '10', status: 'synced' })
  })

  it('applies changes to the partial snapshot while it is collected', () => {
    expect(kinds(play([rested, added('a', 3), modified('a', 4)]))).toEqual(['collect'])
    expect(kinds(play([rested, added('a', 3), deleted('a', 5)]))).toEqual(['uncollect'])
  })

  it('does not treat the version of an initial event as seen', () => {
    expect(play([rested, added('a', 7), failed('Unreachable')]).state.resourceVersion).toBe('')
  })

  const first: WatchPhase = { kind: 'collecting', resourceVersion: '' }
  const fallback: WatchPhase = { kind: 'listing', limit: 500 }
  it.each<[string, Event, WatchPhase, boolean]>([
    ['the server does not know initial events (Invalid)', failed('Invalid'), fallback, false],
    ['the server does not know initial events (BadRequest)', failed('BadRequest'), fallback, false],
    ['the server refuses inside the stream', errorFrame(422, 'Invalid'), fallback, false],
    ['a bookmark comes without the mark', bookmark('9'), fallback, false],
    [
      'an end mark comes without a version',
      bookmark(undefined, { 'k8s.io/initial-events-end': 'true' }),
      fallback,
      false,
    ],
    ['the stream ends before the mark', ended, fallback, false],
    ['nothing more comes', stalled, fallback, false],
    ['the connection breaks', failed('Unreachable'), first, true],
    ['the server is overloaded', failed('TooManyRequests'), first, true],
    ['the server fails', failed('ServerError'), first, true],
    ['the version is too old', errorFrame(410, 'Expired'), first, true],
    ['the version is too large', tooLarge, first, true],
    ['the watch is forbidden', failed('Forbidden'), first, true],
    ['the credentials are refused', failed('Unauthorized'), first, true],
    ['the CRD is missing', failed('ResourceNotFound'), first, true],
    ['something else is thrown', { kind: 'failed', error: new TypeError('boom') }, first, true],
  ])('drops the partial snapshot when %s', (_, event, next, rests) => {
    const run = play([rested, added('a', 3), event])
    expect(kinds(run).filter((kind) => kind !== 'absent')).toEqual(['discard', 'restart'])
    expect(rests && run.state.phase.kind === 'resting' ? run.state.phase.next : run.state.phase).toEqual(next)
  })
})

describe('the fallback to a list', () => {
  it('requests page by page and replaces after the last', () => {
    const middle = play([...listing, page('20', ['a'], 'more')])
    expect(middle.state.phase).toEqual({ kind: 'listing', limit: 500, continueToken: 'more', pages: 1 })
    expect(kinds(middle)).toEqual(['collect'])
    const last = play([page('20', ['b'])], middle.state)
    expect(kinds(last)).toEqual(['collect', 'replace'])
    expect(last.state).toMatchObject({ phase: { kind: 'following' }, resourceVersion: '20', status: 'synced' })
  })

  it('lists from the start in larger pages when a continue token is repeated', () => {
    const run = play([...listing, page('20', ['a'], 'more'), page('20', ['a'], 'more')])
    expect(run.state.phase).toMatchObject({ kind: 'resting', next: { kind: 'listing', limit: 2_000 } })
    expect(run.state.lastError).toContain('the API server repeats a continue token')
  })

  it('gives up a list of more than 100,000 pages', () => {
    const { state } = play([...listing])
    expect(state.phase.kind).toBe('listing')
    if (state.phase.kind !== 'listing') return
    const run = play([page('20', ['a'], 'next')], { ...state, phase: { ...state.phase, pages: 99_999 } })
    expect(run.state.lastError).toContain('the list has more than 100000 pages')
  })

  it('treats an empty continue token as none', () => {
    expect(play([...listing, page('20', [], '')]).state.phase.kind).toBe('following')
  })

  it('rejects a list without a version, which no watch could follow', () => {
    const run = play([...listing, page('', ['a'])])
    expect(kinds(run)).toEqual(['collect', 'discard', 'restart'])
    expect(run.state.lastError).toContain('no resourceVersion')
  })

  const second: Script = [...listing, page('20', ['a'], 'more')]
  it.each(['Unreachable', 'TooManyRequests', 'ServiceUnavailable'] as const)(
    'requests the same page again after %s',
    (code) => {
      const run = play([...second, failed(code)])
      expect(run.state.phase).toMatchObject({ kind: 'resting', next: { limit: 500, continueToken: 'more' } })
      expect(kinds(run)).toEqual(['restart'])
    },
  )

  it('lists from the start in larger pages when the continue token has expired', () => {
    const run = play([...second, failed('Expired')])
    expect(run.state.phase).toMatchObject({ kind: 'resting', next: { kind: 'listing', limit: 2_000 } })
    expect(run.state.phase).not.toHaveProperty('next.continueToken')
    expect(kinds(run)).toEqual(['discard', 'restart'])
  })

  it('starts again when even that has expired', () => {
    const run = play([...second, failed('Expired'), rested, failed('Expired')])
    expect(run.state.phase).toMatchObject({ kind: 'resting', next: { kind: 'collecting', resourceVersion: '' } })
  })

  it('tries initial events again at the next snapshot, because the server may have been upgraded', () => {
    const run = play([...listing, page('20', []), 5_000, errorFrame(410, 'Expired'), rested])
    expect(run.state.phase).toEqual({ kind: 'collecting', resourceVersion: '20' })
  })
})

describe('following', () => {
  it('passes on changes and advances with each', () => {
    const run = play([...synced, modified('a', 11)])
    expect(run.effects).toEqual([
      { kind: 'apply', frame: { type: 'MODIFIED', object: configMap('a', { version: 11 }) } },
    ])
    expect(run.state.resourceVersion).toBe('11')
  })

  it('advances with bookmarks', () => {
    const run = play([...synced, bookmark('30')])
    expect(run.effects).toEqual([{ kind: 'reached', resourceVersion: '30' }])
    expect(run.state.resourceVersion).toBe('30')
  })

  it.each<[string, Event]>([
    ['an event seen before', added('a', 3)],
    ['the last event again', modified('a', 10)],
    ['an old bookmark', bookmark('9')],
    ['a bookmark without a version', bookmark(undefined)],
  ])('never goes back: ignores %s', (_, event) => {
    const run = play([...synced, event])
    expect(run.effects).toEqual([])
    expect(run.state.resourceVersion).toBe('10')
  })

  it('passes on every event if versions cannot be ordered', () => {
    const run = play([...synced, modified('a', 'x9'), modified('a', 'x8')])
    expect(kinds(run)).toEqual(['apply'])
    expect(run.state.resourceVersion).toBe('x8')
  })

  it('reconnects at once when a stream ends', () => {
    const run = play([...synced, 400_000, ended])
    expect(run.state.phase).toEqual({ kind: 'resting', delayMs: 0, next: { kind: 'following' } })
    expect(run.state).toMatchObject({ status: 'synced', lastError: undefined })
  })

  it('rests for growing times when streams end as soon as they begin', () => {
    const delays: number[] = []
    let run = play(synced)
    run = play([ended], run.state, run.atMs)
    for (let turn = 0; turn < 8; turn++) {
      run = play([rested, 10, ended], run.state, run.atMs)
      if (run.state.phase.kind === 'resting') delays.push(run.state.phase.delayMs)
    }
    expect(delays).toEqual([400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000])
  })

  const same: WatchPhase = { kind: 'following' }
  const fromLast: WatchPhase = { kind: 'collecting', resourceVersion: '10' }
  const fromNewest: WatchPhase = { kind: 'collecting', resourceVersion: '' }
  it.each<[string, Event, WatchPhase]>([
    ['a broken connection', failed('Unreachable'), same],
    ['a time-out', failed('Timeout'), same],
    ['an overloaded server', failed('TooManyRequests'), same],
    ['a failing server', failed('ServerError'), same],
    ['a silent stream', stalled, same],
    ['a lost permission', failed('Forbidden'), same],
    ['410 as an error inside the stream', errorFrame(410, 'Expired', 'too old resource version: 10 (99)'), fromLast],
    ['410 as the answer', failed('Expired'), fromLast],
    ['a version that the server has not reached', tooLarge, fromLast],
    ['a CRD that went away', failed('ResourceNotFound'), fromLast],
    ['a request that is refused', failed('BadRequest'), fromLast],
    ['an error in place of an event', errorFrame(500, 'StoreReadError'), fromNewest],
    ['an error without a code', frame({ type: 'ERROR', object: {} }), fromNewest],
  ])('after %s continues from the last seen version', (_, event, next) => {
    const { state } = play([...synced, event])
    expect(state.phase).toMatchObject({ kind: 'resting', next })
    expect(state.resourceVersion).toBe('10')
  })
})

describe('an older state', () => {
  const again: Script = [...synced, failed('Expired'), rested]

  it('is rejected as a snapshot, and the next request excludes it', () => {
    const run = play([...again, endMark('9')])
    expect(kinds(run)).toEqual(['discard', 'restart'])
    expect(run.state.phase).toMatchObject({ kind: 'resting', next: { kind: 'collecting', resourceVersion: '10' } })
    expect(run.state).toMatchObject({ resourceVersion: '10' })
    expect(run.state.lastError).toContain('resourceVersion 9, but 10 has been seen')
  })

  it('is rejected as a list too', () => {
    const run = play([...again, failed('Invalid'), page('9', ['a'])])
    expect(kinds(run)).toEqual(['collect', 'discard', 'restart'])
    expect(run.state.resourceVersion).toBe('10')
  })

  it('is rejected even as the newest state of a stale server', () => {
    const run = play([...again, tooLarge, rested, endMark('9')])
    expect(kinds(run)).toEqual(['discard', 'restart'])
    expect(run.state.resourceVersion).toBe('10')
  })

  it('leads to a request for the newest state if the server has not reached the version', () => {
    expect(play([...again, tooLarge, rested]).state.phase).toEqual({ kind: 'collecting', resourceVersion: '' })
    const message = 'watch configmaps: Too large resource version: 10, current: 9'
    expect(play([...again, failed('Timeout', { message }), rested]).state.phase).toEqual({
      kind: 'collecting',
      resourceVersion: '',
    })
  })

  it('does not include a snapshot of exactly the seen version', () => {
    expect(kinds(play([...again, endMark('10')]))).toEqual(['replace'])
  })
})

describe('the reported status', () => {
  it.each<[string, Event, string, string]>([
    [
      'Forbidden',
      failed('Forbidden'),
      'failing',
      'may not list and watch configmaps in all namespaces: grant both verbs',
    ],
    ['Unauthorized', failed('Unauthorized'), 'failing', 'may not list and watch configmaps in all namespaces'],
    ['a missing CRD', failed('ResourceNotFound'), 'waiting', 'waiting for configmaps in all namespaces'],
  ])('names the remedy for %s at once', (_, event, status, sentence) => {
    const { state } = play([rested, event])
    expect(state.status).toBe(status)
    expect(state.lastError).toContain(sentence)
  })

  it('is failing for an impossible request once the list is rejected too', () => {
    expect(play([...listing, failed('BadRequest')]).state.status).toBe('failing')
  })

  it('is not failing during a short interruption, but during a long one', () => {
    const short = play([...synced, failed('Unreachable'), 9_000, rested, 10_000, failed('Unreachable')])
    expect(short.state).toMatchObject({ status: 'synced', lastError: 'watch configmaps: Unreachable' })
    const long = play([10_000, rested, 10_000, failed('Unreachable')], short.state, short.atMs)
    expect(long.state.status).toBe('failing')
    expect(play([rested, bookmark('11')], long.state, long.atMs).state).toMatchObject({
      status: 'synced',
      lastError: undefined,
    })
  })

  it('does not recover by an old bookmark', () => {
    const failing = play([...synced, failed('Forbidden'), rested])
    expect(play([bookmark('9')], failing.state).state.status).toBe('failing')
    expect(play([bookmark('10')], failing.state).state.status).toBe('synced')
  })

  const notServed: Script = [failed('ResourceNotFound')]
  const away: Script = [...synced, failed('Unreachable'), 31_000, rested, failed('Unreachable'), rested]
  it.each<[string, Script, string]>([
    ['a network that was away', [...away, standing], 'synced'],
    ['a permission that was lost', [...synced, failed('Forbidden'), rested, standing], 'synced'],
    ['an API that was not served', [...synced, ...notServed, rested, ...notServed, rested, standing], 'waiting'],
    ['a stream that was silent', [...synced, stalled, 31_000, rested, stalled, rested, standing], 'failing'],
    [
      'a silence and then no network',
      [...synced, stalled, 31_000, rested, failed('Timeout'), rested, standing],
      'synced',
    ],
    ['a stream that broke before it stood', [...away, failed('Unreachable')], 'failing'],
  ])('after %s depends on an open stream that continues from the last seen version', (_, script, status) => {
    const { state, effects } = play(script)
    expect(state).toMatchObject({ status, resourceVersion: '10' })
    if (status === 'synced') expect(state).toMatchObject({ lastError: undefined, troubledSinceMs: undefined })
    if (script.at(-1) === standing) expect(effects).toEqual([])
  })

  it('is absent once, when a snapshot request is answered with 404', () => {
    const missing = failed('ResourceNotFound')
    expect(kinds(play([rested, missing]))).toContain('absent')
    const cut = play([...synced, missing])
    expect(kinds(cut)).not.toContain('absent')
    expect(cut.state.status).toBe('synced')
    const confirmed = play([rested, missing], cut.state)
    expect(kinds(confirmed)).toContain('absent')
    expect(confirmed.state.status).toBe('waiting')
    expect(kinds(play([rested, missing], confirmed.state))).not.toContain('absent')
    expect(kinds(play([rested, failed('ServiceUnavailable')], cut.state))).not.toContain('absent')
  })

  it('recovers by a frame after a stall', () => {
    const silent = play([...synced, stalled, 31_000, rested, stalled, rested, standing])
    expect(play([bookmark('10')], silent.state).state.status).toBe('synced')
  })

  it('never recovers by a stream that stays open and stalls repeatedly', () => {
    const run = play([...synced, stalled, 1, rested, 1_000, standing, 120_000, stalled, 1, rested, 1_000, standing])
    expect(run.state.status).toBe('failing')
  })

  it('stays failing while a new snapshot is collected, until it is complete', () => {
    const failing = play([...synced, failed('Forbidden'), rested, failed('Expired'), rested, added('a', 3)])
    expect(failing.state.status).toBe('failing')
    expect(play([standing], failing.state).state.status).toBe('failing')
    expect(play([endMark('12')], failing.state).state.status).toBe('synced')
  })
})
