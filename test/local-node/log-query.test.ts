import { describe, expect, it } from 'vitest'
import { loggedRunOf, logOptionsOf } from '../../src/local-node/log-query.ts'
import type { ContainerStateStatus } from '../../src/local-node/pod.ts'

const nowMs = Date.UTC(2026, 0, 1)
const none = {
  follow: false,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  since: undefined,
}

describe('a request for logs', () => {
  it.each([
    ['', none],
    ['follow=true&previous=false&timestamps=true', { ...none, follow: true, timestamps: true }],
    ['tailLines=0&limitBytes=9', { ...none, tailLines: 0, limitBytes: 9 }],
    ['tail=3', { ...none, tailLines: 3 }],
    ['tail=all&tailLines=3', none],
    ['sinceSeconds=60', { ...none, since: '2025-12-31T23:59:00.000000000Z' }],
    ['sinceTime=2026-01-01T01:00:00%2B01:00', { ...none, since: '2026-01-01T00:00:00.000000000Z' }],
  ])('%s is parsed', (query, options) => {
    expect(logOptionsOf(new URLSearchParams(query), nowMs)).toEqual(options)
  })

  it.each([
    'tailLines=-1',
    'tailLines=x',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceTime=soon',
    'sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
  ])('%s is refused', (query) =>
    expect(logOptionsOf(new URLSearchParams(query), nowMs)).toMatchObject({ kind: 'refused', status: 422 }),
  )

  const running: ContainerStateStatus = { running: { startedAt: '' } }
  const ended = (containerID?: string): ContainerStateStatus => ({
    terminated: { exitCode: 1, ...(containerID === undefined ? {} : { containerID }) },
  })
  const waiting: ContainerStateStatus = { waiting: { reason: 'CrashLoopBackOff' } }
  const c = 'container "c" in pod "p"'
  it.each<[string, ContainerStateStatus, ContainerStateStatus, boolean, string]>([
    ['the run that runs', running, {}, false, 'now'],
    ['the run that ended', ended('konverge://then'), {}, false, 'then'],
    ['the last run while the next waits', waiting, ended('konverge://last'), false, 'last'],
    ['the run before', running, ended('konverge://last'), true, 'last'],
    ['no run before the first', running, {}, true, `previous terminated ${c} not found`],
    ['no run that never began', waiting, {}, false, `${c} is waiting to start: CrashLoopBackOff`],
    ['no run that nobody saw', ended(), {}, false, `${c} is terminated`],
  ])('selects %s', (_, state, lastState, previous, meant) => {
    const base = { name: 'c', ready: false, started: false, restartCount: 0, image: '', imageID: '' }
    const status = { ...base, state, lastState, containerID: 'konverge://now' }
    const run = loggedRunOf('p', 'c', { status, previous })
    expect('containerId' in run ? run.containerId : run.message).toBe(meant)
  })

  it('rejects an unknown container', () => {
    const refusal = { kind: 'refused', status: 400, message: `${c} is not available` }
    expect(loggedRunOf('p', 'c', { status: undefined, previous: false })).toEqual(refusal)
  })
})
