// Invalid responses of the API server or the network, each injected once for every kind of object that the operator
// writes or watches. The story must end as without faults, and no object is created twice. Runs on every server.
import { expect, it } from 'vitest'
import type { Effect, Fault, FaultMatch, FrameType } from '../../fault-lab/fault.ts'
import { type Ending, expectSameEnd, StoryStage, type StoryStageOptions } from '../story-stage.ts'

interface Trial {
  readonly title: string
  readonly faults: readonly Fault[]
}

const writes = ['apply', 'patch', 'delete'] as const
const children = ['serviceaccounts', 'services', 'statefulsets', 'poddisruptionbudgets']
const watched = ['replicatedkvstores', ...children, 'pods', 'persistentvolumeclaims', 'storageclasses']
/** Writes of the parent, of its status, and of each kind of child. */
const written: readonly FaultMatch[] = [
  { verb: 'patch', resource: 'replicatedkvstores', subresource: '' },
  { verb: 'patch', resource: 'replicatedkvstores', subresource: 'status' },
  ...children.map((resource) => ({ verb: writes, resource })),
]
const refuse = (status: number, reason: string, more: object = {}): Effect => ({
  kind: 'refuse',
  status,
  reason,
  ...more,
})

type BadAnswer = readonly [title: string, effect: Effect, when?: 'before' | 'after']

const badAnswers = (
  [
    ['409 before', refuse(409, 'Conflict')],
    ['409 after', refuse(409, 'Conflict'), 'after'],
    ['429 with Retry-After', refuse(429, 'TooManyRequests', { retryAfterSeconds: 3 })],
    ['500 before', refuse(500, 'InternalError')],
    ['500 after', refuse(500, 'InternalError'), 'after'],
    ['503', refuse(503, 'ServiceUnavailable')],
    ['504 after', refuse(504, 'Timeout'), 'after'],
    ['a connection that breaks', { kind: 'break' }],
    ['an answer that is lost', { kind: 'break' }, 'after'],
    ['an answer that is cut', { kind: 'break', afterBytes: 100 }, 'after'],
  ] as readonly BadAnswer[]
).map(
  ([title, effect, when = 'before']): Trial => ({ title, faults: written.map((match) => ({ match, when, effect })) }),
)

/** Each takes half a minute, until the request times out, so only one kind is tested. */
const silences: readonly Trial[] = (['before', 'after'] as const).map((when) => ({
  title: `no answer, ${when}`,
  faults: [{ match: { verb: 'apply', resource: 'statefulsets' }, when, effect: { kind: 'silence' } }],
}))

const badWatches: readonly Trial[] = [
  ...(
    [
      ['410 for a watch', refuse(410, 'Expired')],
      ['500 for a watch', refuse(500, 'InternalError')],
      ['429 for a watch', refuse(429, 'TooManyRequests', { retryAfterSeconds: 2 })],
    ] as readonly BadAnswer[]
  ).map(([title, effect]) => ({
    title,
    faults: watched.map((resource): Fault => ({ match: { verb: 'watch', resource }, effect })),
  })),
  ...(
    [
      ['410 as an ERROR event', refuse(410, 'Expired')],
      ['500 as an ERROR event', refuse(500, 'InternalError')],
      ['a stream cut in a frame', { kind: 'break', afterBytes: 40 }],
    ] as readonly BadAnswer[]
  ).map(([title, effect]) => ({
    title,
    faults: watched.flatMap((resource): readonly Fault[] => [
      { match: { resource, frame: 'ADDED' }, effect },
      { match: { resource, frame: 'MODIFIED' }, nth: 2, effect },
    ]),
  })),
  // The server ends streams, and the client resumes from a version that the server has forgotten.
  {
    title: '410 for a watch that is taken up again',
    faults: watched.flatMap((resource): readonly Fault[] => [
      { match: { resource, frame: 'ADDED' }, effect: { kind: 'break' } },
      { match: { verb: 'watch', resource }, nth: 2, effect: refuse(410, 'Expired') },
    ]),
  },
]

const lost = (resource: string, frame: FrameType): Fault => ({ match: { resource, frame }, effect: { kind: 'lose' } })

/** One kind at a time, so that its cache is older than the caches of the other kinds. */
const stale: readonly Trial[] = watched
  .filter((resource) => resource !== 'storageclasses')
  .flatMap((resource): readonly Trial[] => [
    {
      title: `late events of ${resource}`,
      faults: [
        { match: { resource, frame: 'any' }, times: Number.MAX_SAFE_INTEGER, effect: { kind: 'delay', delayMs: 400 } },
      ],
    },
    {
      title: `lost events of ${resource}`,
      faults: [
        // Nothing reveals the single lost event of a resource on a stream that continues. The operator knows its own
        // children.
        ...(resource === 'replicatedkvstores' ? [] : [lost(resource, 'ADDED')]),
        lost(resource, 'MODIFIED'),
      ],
    },
  ])

export function describeAnswerFaults(options: () => StoryStageOptions): void {
  it('ends as if every response had been valid', { timeout: 1_200_000 }, async () => {
    const stage = new StoryStage(options())
    const undisturbed = await stage.undisturbed()
    const endings = new Map<string, Ending>()
    await stage.tellAll(
      [...badAnswers, ...silences, ...badWatches, ...stale],
      undisturbed,
      ({ title, faults }, ending) => {
        expectSameEnd(title, ending, undisturbed)
        expect(ending.struck.length, `${title}: faults that struck`).toBeGreaterThanOrEqual(
          Math.ceil(faults.length / 2),
        )
        endings.set(title, ending)
      },
    )
    const counts = await undisturbed.counts()
    for (const [title, ending] of endings) expect(await ending.counts(), title).toEqual(counts)
    const asked = endings.get('429 with Retry-After')
    expect(asked === undefined ? [] : tooSoon(asked), 'writes within the time that the server asked for').toEqual([])
  })
}

/** Returns the calls that were repeated before the Retry-After of the rejection had passed. */
function tooSoon({ writes }: Ending): readonly string[] {
  return writes.flatMap((refused) => {
    if (refused.fault === undefined) return []
    const next = writes.find(
      ({ call, atMs }) => atMs > refused.atMs && JSON.stringify(call) === JSON.stringify(refused.call),
    )
    return next !== undefined && next.atMs - refused.atMs < 3_000 ? [JSON.stringify(next.call)] : []
  })
}
