// Decisions of a saga: every move from every state.
import { describe, expect, it } from 'vitest'
import type { Random } from '../../src/base/random.ts'
import { type ReportedObservation, type SagaInput, type SagaMove, sagaMove } from '../../src/saga/decision.ts'
import type { DesiredSaga, SagaRecord, SagaStepRecord } from '../../src/saga/saga.ts'
import { type SagaShape, shapeOf } from '../../src/saga/shape.ts'

const nowMs = Date.parse('2026-01-01T01:00:00Z')
const at = (ms: number) => `${new Date(nowMs + ms).toISOString().slice(0, 19)}Z`
const random: Random = { next: () => 0, uuid: () => '' }
const act = () => Promise.resolve()
const verify = () => Promise.resolve({ kind: 'missing' } as const)
const step = (name: string, more: object = {}) => ({
  name,
  verify,
  run: act,
  compensate: act,
  attempts: 3,
  timeoutMs: 60_000,
  ...more,
})

/** Load and Drive can be compensated, Unload is the pivot, Sign follows it. */
const shape = shapeOf({
  name: 'move',
  pivot: 'Unload',
  retryAdvice: 'ask again',
  steps: [
    step('Load'),
    step('Drive'),
    step('Unload', { compensate: undefined }),
    step('Sign', { compensate: undefined }),
  ],
})
const names = shape.steps.map(({ name }) => name)

type State = SagaStepRecord['state']
const letters: Readonly<Record<string, State>> = {
  p: 'Pending',
  r: 'Running',
  d: 'Done',
  c: 'Compensating',
  C: 'Compensated',
  f: 'Failed',
  k: 'Kept',
}

/** Builds a journal entry. `drpp`: the first step is done, the second runs. `due` is merged into the current step. */
function record(
  word: string,
  state: SagaRecord['state'],
  due: Partial<SagaStepRecord> = {},
  more: Partial<SagaRecord> = {},
): SagaRecord {
  const steps = [...word].map((letter, index): SagaStepRecord => {
    const name = names[index] ?? '?'
    const isDue = letter === 'r' || letter === 'c'
    return { name, state: letters[letter] ?? 'Pending', ...(isDue ? { startedAt: at(-10_000), ...due } : {}) }
  })
  return {
    name: 'move',
    id: 'one',
    state,
    generation: 1,
    input: { to: 'north' },
    startedAt: at(-20_000),
    steps,
    ...more,
  }
}
const running = (word: string, due?: Partial<SagaStepRecord>, more?: Partial<SagaRecord>) =>
  record(word, 'Running', due, more)
const turning = (word: string, due?: Partial<SagaStepRecord>, more?: Partial<SagaRecord>) =>
  record(word, 'Compensating', due, { reason: 'Broke', message: 'it broke', ...more })
const pivoted = { pivotedAt: at(-5_000) }

const wanted = (id = 'one'): DesiredSaga => ({ kind: 'wanted', id, input: { to: id } })
const none: DesiredSaga = { kind: 'none' }
const cancelled: DesiredSaga = { kind: 'cancelled', message: 'nobody wants it' }

const missing: ReportedObservation = { kind: 'missing' }
const done: ReportedObservation = { kind: 'done' }
const pending: ReportedObservation = { kind: 'pending', progress: '61 %' }
const leaving: ReportedObservation = { kind: 'leaving', progress: 'half gone' }
const broken: ReportedObservation = { kind: 'broken', reason: 'Torn', message: 'it is torn', isTerminal: false }
const torn: ReportedObservation = { ...broken, isTerminal: true }
const unknown: ReportedObservation = { kind: 'unknown', reason: 'Unreachable', message: 'no answer', isFinal: false }
const mayPass = { reason: 'Busy', message: 'busy', isFinal: false }
const final = { reason: 'Refused', message: 'refused', isFinal: true }

function decide(given: Partial<SagaInput> & { readonly shape?: SagaShape }): SagaMove {
  const input = {
    shape,
    record: undefined,
    wish: wanted(),
    generation: 7,
    look: undefined,
    attempt: 'none',
    mayRun: true,
  } as const
  return sagaMove({ ...input, nowMs, random, ...given })
}

/** Returns `Running drpp` with the state of the saga; `look 1`, `run 1 drpp`. */
function told(move: SagaMove): string {
  const word = ({ steps }: SagaRecord) =>
    steps.map(({ state }) => Object.entries(letters).find(([, known]) => known === state)?.[0]).join('')
  if (move.kind === 'look') return `look ${move.index}`
  if (move.kind === 'attempt') {
    const { attempts, retryAt } = move.record.steps[move.index] ?? {}
    expect(retryAt).toBeUndefined()
    return `${move.operation} ${move.index}, attempt ${attempts}`
  }
  const { standing, record: next } = move
  const state =
    next === undefined ? 'nothing' : `${next.state} ${word(next)}${next.pivotedAt === undefined ? '' : ' pivoted'}`
  return `${state}: ${standing.end} ${standing.reason}`
}

describe('a saga', () => {
  it.each<readonly [string, Partial<SagaInput>, string]>([
    ['that nobody wants', { wish: none }, 'nothing: settled NotWanted'],
    ['that is cancelled before it began', { wish: cancelled }, 'nothing: settled NotWanted'],
    ['that is wanted', {}, 'Running rppp: moved Running'],
    ['that is complete', { record: record('dddd', 'Completed') }, 'Completed dddd: settled Completed'],
    [
      'that is complete, and another is wanted',
      { record: record('dddd', 'Completed', {}, pivoted), wish: wanted('two') },
      'Running rppp: moved Running',
    ],
    ['that was taken back', { record: record('CCkp', 'Compensated') }, 'Compensated CCkp: stopped Compensated'],
    [
      'that was taken back and is not wanted',
      { record: record('CCkp', 'Compensated'), wish: cancelled },
      'Compensated CCkp: settled Compensated',
    ],
    [
      'that was taken back, and another is wanted',
      { record: record('CCkp', 'Compensated'), wish: wanted('two') },
      'Running rppp: moved Running',
    ],
    [
      'that stands still',
      { record: record('ddrp', 'ManualIntervention') },
      'ManualIntervention ddrp: stopped ManualIntervention',
    ],
    [
      'that stands still and is not wanted',
      { record: record('ddrp', 'ManualIntervention'), wish: none },
      'ManualIntervention ddrp: stopped ManualIntervention',
    ],
    [
      'that stands still after the pivot, and another is wanted',
      { record: record('ddrp', 'ManualIntervention', { attempts: 3 }, pivoted), wish: wanted('two') },
      'Running ddrp pivoted: moved Running',
    ],
    [
      'that stands still with what was left behind, and another is wanted',
      { record: record('fCkp', 'ManualIntervention'), wish: wanted('two') },
      'Compensating cCkp: moved Compensating',
    ],
    [
      'that stands still for the second wish',
      { record: record('ddrp', 'ManualIntervention', {}, { retriedFor: 'two' }), wish: wanted('two') },
      'ManualIntervention ddrp: stopped ManualIntervention',
    ],
    [
      'that stands still, and is cancelled for another word',
      { record: record('fCkp', 'ManualIntervention'), wish: { ...cancelled, id: 'two' } },
      'Compensating cCkp: moved Compensating',
    ],
    [
      'that stands still, and is cancelled for the same',
      { record: record('fCkp', 'ManualIntervention', {}, { retriedFor: 'two' }), wish: { ...cancelled, id: 'two' } },
      'ManualIntervention fCkp: stopped ManualIntervention',
    ],
    [
      'that stands still, and its resource is deleted',
      { record: record('fCkp', 'ManualIntervention'), wish: cancelled, demand: 'deletion' },
      'Compensating cCkp: moved Compensating',
    ],
  ])('%s', (_, given, expected) => {
    expect(told(decide(given))).toBe(expected)
  })

  it('keeps the inputs of its start', () => {
    expect(decide({ wish: wanted('north') })).toMatchObject({
      record: { name: 'move', id: 'north', generation: 7, input: { to: 'north' }, startedAt: at(0) },
    })
  })
})

describe('forward', () => {
  const first = running('rppp')
  const again = running('rppp', { attempts: 1 })
  const pivot = running('ddrp', { attempts: 1 })
  const late = { startedAt: at(-61_000) }
  it.each<readonly [string, Partial<SagaInput>, string]>([
    ['looks first', { record: first }, 'look 0'],
    ['looks at the step that is due', { record: running('ddrp') }, 'look 2'],
    ['goes on whatever is wanted now', { record: first, look: missing, wish: none }, 'run 0, attempt 1'],
    ['runs what is not there', { record: first, look: missing }, 'run 0, attempt 1'],
    ['runs again what was cut off', { record: again, look: missing }, 'run 0, attempt 2'],
    ['runs over what is broken', { record: first, look: broken }, 'run 0, attempt 1'],
    ['waits for the children', { record: first, look: missing, mayRun: false }, 'Running rppp: waiting Running'],
    ['takes what is there for done', { record: first, look: done }, 'Running drpp: moved Running'],
    [
      'takes what is there for done although the attempt failed',
      { record: again, look: done, attempt: final },
      'Running drpp: moved Running',
    ],
    ['waits for what is coming about', { record: again, look: pending }, 'Running rppp: waiting Running'],
    [
      'waits for what is coming about although the answer was lost',
      { record: again, look: pending, attempt: mayPass },
      'Running rppp: waiting Running',
    ],
    ['waits for what is going away', { record: again, look: leaving }, 'Running rppp: waiting Running'],
    ['waits when it cannot look', { record: again, look: unknown }, 'Running rppp: retry Unreachable'],
    ['backs off after a failure', { record: again, look: missing, attempt: mayPass }, 'Running rppp: retry Busy'],
    ['backs off after no effect', { record: again, look: missing, attempt: 'ran' }, 'Running rppp: retry NoEffect'],
    ['backs off once from what is broken', { record: again, look: broken }, 'Running rppp: retry Torn'],
    [
      'waits for the next attempt',
      {
        record: running('rppp', { attempts: 1, retryAt: at(4_000), reason: 'StepFailed', message: 'it failed' }),
        look: missing,
      },
      'Running rppp: retry StepFailed',
    ],
    [
      'waits for the next attempt at what is broken',
      {
        record: running('rppp', { attempts: 1, retryAt: at(4_000), reason: 'StepFailed', message: 'it failed' }),
        look: broken,
      },
      'Running rppp: retry StepFailed',
    ],
    [
      'begins it when it is time',
      { record: running('rppp', { attempts: 1, retryAt: at(0) }), look: broken },
      'run 0, attempt 2',
    ],
    [
      'begins it when the clock was set back',
      { record: running('rppp', { attempts: 1, retryAt: at(90_000_000) }), look: missing },
      'run 0, attempt 2',
    ],
    [
      'turns back after the last failure',
      { record: running('drpp', { attempts: 3 }), look: missing, attempt: mayPass },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back when the last attempt was cut off',
      { record: running('drpp', { attempts: 3 }), look: missing },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back from a failure that stays',
      { record: running('drpp', { attempts: 1 }), look: missing, attempt: final },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back from one that it cannot see the end of',
      { record: running('drpp', { attempts: 1 }), look: unknown, attempt: final },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back from what stays broken',
      { record: running('drpp'), look: torn },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back from what comes too late',
      { record: running('drpp', late), look: pending },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back from what was not begun in time',
      { record: running('drpp', late), look: missing },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back from what cannot be seen in time',
      { record: running('drpp', late), look: unknown },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'takes what is there for done, even late',
      { record: running('drpp', late), look: done },
      'Running ddrp: moved Running',
    ],
    [
      'turns back when cancelled',
      { record: running('drpp'), look: pending, wish: cancelled },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back when cancelled although it cannot look',
      { record: running('drpp'), look: unknown, wish: cancelled },
      'Compensating dcpp: moved Compensating',
    ],
    [
      'turns back when cancelled at a pivot that is not there',
      { record: pivot, look: missing, wish: cancelled },
      'Compensating dckp: moved Compensating',
    ],
    [
      'goes on when cancelled at a pivot that is there',
      { record: pivot, look: pending, wish: cancelled },
      'Running ddrp pivoted: waiting Running',
    ],
    [
      'waits when cancelled at a pivot that it cannot see',
      { record: pivot, look: unknown, wish: cancelled },
      'Running ddrp: retry Unreachable',
    ],
    [
      'turns back from a pivot that is not there',
      { record: pivot, look: missing, attempt: final },
      'Compensating dckp: moved Compensating',
    ],
    [
      'stands still at a pivot that it cannot see',
      { record: running('ddrp', late), look: unknown },
      'ManualIntervention ddrp: moved ManualIntervention',
    ],
    [
      'waits until it can see whether a pivot is there that has failed for good',
      { record: pivot, look: unknown, attempt: final },
      'Running ddrp: retry Unreachable',
    ],
    [
      'stands still at a pivot that is broken for good',
      { record: pivot, look: torn },
      'ManualIntervention ddrp pivoted: moved ManualIntervention',
    ],
    [
      'waits for what comes about at the pivot, however late it was seen',
      { record: running('ddrp', late), look: pending },
      'Running ddrp pivoted: waiting Running',
    ],
    [
      'waits for what comes about after the pivot',
      { record: running('dddr', late, pivoted), look: pending },
      'Running dddr pivoted: waiting Running',
    ],
    ['passes the pivot', { record: pivot, look: done }, 'Running dddr pivoted: moved Running'],
    [
      'tries again after the pivot',
      { record: running('dddr', { attempts: 1 }, pivoted), look: missing },
      'run 3, attempt 2',
    ],
    [
      'goes on after the pivot when cancelled',
      { record: running('dddr', {}, pivoted), look: missing, wish: cancelled },
      'run 3, attempt 1',
    ],
    [
      'stands still when the last attempt after the pivot fails',
      { record: running('dddr', { attempts: 3 }, pivoted), look: missing, attempt: mayPass },
      'ManualIntervention dddr pivoted: moved ManualIntervention',
    ],
    [
      'ends',
      { record: running('dddr', { attempts: 1 }, pivoted), look: done },
      'Completed dddd pivoted: moved Completed',
    ],
  ])('%s', (_, given, expected) => {
    expect(told(decide(given))).toBe(expected)
  })

  it('spaces its attempts by their number, with jitter, and as the step requests', () => {
    const waitOf = (attempts: number, retryAfterMs?: number, chance = 0) => {
      const attempt = { ...mayPass, retryAfterMs }
      const move = decide({
        record: running('rppp', { attempts }),
        look: missing,
        attempt,
        random: { ...random, next: () => chance },
      })
      return move.kind === 'end' ? move.standing.lookAfterMs : undefined
    }
    expect([waitOf(1), waitOf(2), waitOf(1, undefined, 1)]).toEqual([5_000, 10_000, 10_000])
    expect([waitOf(1, 60_000), waitOf(1, 3_600_000)]).toEqual([60_000, 300_000])
  })

  it('reports its progress and the time of its next observation', () => {
    expect(decide({ record: running('drpp'), look: { ...pending, lookAfterMs: 2_000 } })).toMatchObject({
      standing: { state: 'running', message: 'Drive 2/4: 61 %', lookAfterMs: 2_000 },
    })
  })

  it('keeps the notes of a step, without its failures', () => {
    const due = { attempts: 2, message: 'it failed', notes: { lamps: '3' } }
    expect(decide({ record: running('rppp', due), look: { kind: 'done', notes: { crate: 'c1' } } })).toMatchObject({
      record: {
        steps: [
          { name: 'Load', state: 'Done', startedAt: at(-10_000), attempts: 2, notes: { lamps: '3', crate: 'c1' } },
          {},
          {},
          {},
        ],
      },
    })
  })

  it('gives a step the time limit that was set at its start', () => {
    const limit = ({ to }: Readonly<Record<string, string>>) => (to === 'north' ? 5_000 : 3_600_000)
    const asked = shapeOf({ ...shape, steps: [step('Load', { timeoutMs: limit }), step('Drive')], pivot: undefined })
    const steps = [
      { name: 'Load', state: 'Running', startedAt: at(-10_000) },
      { name: 'Drive', state: 'Pending' },
    ] as const
    const begun = { ...running(''), steps }
    expect(told(decide({ shape: asked, record: begun, look: pending }))).toBe('Compensating cp: moved Compensating')
    const patient = { ...begun, input: { to: 'south' } }
    expect(told(decide({ shape: asked, record: patient, look: pending }))).toBe('Running rp: waiting Running')
  })

  it('waits for an effect that completes by itself, within its time limit', () => {
    const passive = shapeOf({ ...shape, steps: [step('Load', { run: undefined }), step('Drive')], pivot: undefined })
    const steps = [
      { name: 'Load', state: 'Running', startedAt: at(-10_000) },
      { name: 'Drive', state: 'Pending' },
    ] as const
    const begun = { ...running(''), steps }
    expect(told(decide({ shape: passive, record: begun, look: missing }))).toBe('Running rp: waiting Running')
    expect(told(decide({ shape: passive, record: begun, look: missing, nowMs: nowMs + 60_000 }))).toBe(
      'Compensating cp: moved Compensating',
    )
  })
})

describe('compensation', () => {
  const first = turning('dcpp')
  const again = turning('dcpp', { attempts: 1 })
  const late = { startedAt: at(-61_000) }
  it.each<readonly [string, Partial<SagaInput>, string]>([
    ['looks first', { record: first }, 'look 1'],
    ['takes back what is there', { record: first, look: done }, 'compensate 1, attempt 1'],
    ['takes back what is coming about', { record: first, look: pending }, 'compensate 1, attempt 1'],
    ['takes back what is broken', { record: first, look: torn }, 'compensate 1, attempt 1'],
    [
      'takes back although the children are not applied',
      { record: first, look: done, mayRun: false },
      'compensate 1, attempt 1',
    ],
    ['takes back again what was cut off', { record: again, look: done }, 'compensate 1, attempt 2'],
    ['takes nothing back that is gone', { record: first, look: missing }, 'Compensating cCpp: moved Compensating'],
    ['waits for what is going away', { record: again, look: leaving }, 'Compensating dcpp: waiting Compensating'],
    ['waits when it cannot look', { record: again, look: unknown }, 'Compensating dcpp: retry Unreachable'],
    ['backs off after a failure', { record: again, look: done, attempt: mayPass }, 'Compensating dcpp: retry Busy'],
    ['backs off after no effect', { record: again, look: done, attempt: 'ran' }, 'Compensating dcpp: retry NoEffect'],
    [
      'goes on with the others after the last failure',
      { record: turning('dcpp', { attempts: 3 }), look: done, attempt: mayPass },
      'Compensating cfpp: moved Compensating',
    ],
    [
      'goes on with the others after a failure that stays',
      { record: again, look: done, attempt: final },
      'Compensating cfpp: moved Compensating',
    ],
    [
      'goes on with the others when it is too late',
      { record: turning('dcpp', { ...late, attempts: 1 }), look: leaving },
      'Compensating cfpp: moved Compensating',
    ],
    [
      'goes on with the others when it cannot look in time',
      { record: turning('dcpp', { ...late, attempts: 1 }), look: unknown },
      'Compensating cfpp: moved Compensating',
    ],
    [
      'leaves nothing behind that was not tried, however late it is',
      { record: turning('dcpp', late), look: done },
      'compensate 1, attempt 1',
    ],
    [
      'tries what is going away for another reason, however late it is',
      { record: turning('dcpp', late), look: leaving },
      'compensate 1, attempt 1',
    ],
    [
      'takes back blindly what it could not look at in time',
      { record: turning('dcpp', late), look: unknown },
      'compensate 1, attempt 1',
    ],
    [
      'is too late some time after it was tried',
      { record: turning('dcpp', { ...late, attempts: 1 }), look: done },
      'Compensating cfpp: moved Compensating',
    ],
    ['goes on whatever is wanted', { record: first, look: done, wish: wanted('two') }, 'compensate 1, attempt 1'],
    ['ends', { record: turning('cCpp'), look: missing }, 'Compensated CCpp: moved Compensated'],
    [
      'stands still in the end if something was left behind',
      { record: turning('cfpp'), look: missing },
      'ManualIntervention Cfpp: moved ManualIntervention',
    ],
  ])('%s', (_, given, expected) => {
    expect(told(decide(given))).toBe(expected)
  })

  const forever = { backTimeoutMs: Number.POSITIVE_INFINITY, backAttempts: Number.POSITIVE_INFINITY }
  const own = shapeOf({
    ...shape,
    steps: [
      step('Load'),
      step('Drive', forever),
      step('Unload', { compensate: undefined }),
      step('Sign', { compensate: undefined }),
    ],
  })

  it('has its own limits, and its time starts with the first attempt', () => {
    const old = turning('dcpp', { startedAt: at(-86_400_000), attempts: 5_000 })
    expect(told(decide({ shape: own, record: old, look: unknown }))).toBe('Compensating dcpp: retry Unreachable')
    expect(told(decide({ shape: own, record: old, look: leaving }))).toBe('Compensating dcpp: waiting Compensating')
    expect(told(decide({ shape: own, record: old, look: done, attempt: mayPass }))).toBe(
      'Compensating dcpp: retry Busy',
    )
    expect(told(decide({ shape: own, record: running('drpp', late), look: pending }))).toBe(
      'Compensating dcpp: moved Compensating',
    )
    const first = decide({ record: turning('dcpp', late), look: done })
    expect(first).toMatchObject({ record: { steps: [{}, { attempts: 1, startedAt: at(0) }, {}, {}] } })
  })

  it.each<readonly [string, ReportedObservation, string]>([
    ['is still there', done, 'Compensating dcpp: retry Refused'],
    ['cannot be seen', unknown, 'Compensating dcpp: retry Unreachable'],
    ['is going away', leaving, 'Compensating dcpp: waiting Compensating'],
  ])(
    'retries a step with unlimited attempts indefinitely, even after a permanent failure, when it %s',
    (_, look, expected) => {
      const refused = decide({ shape: own, record: again, look, attempt: final })
      expect(told(refused)).toBe(expected)
      const { record: known } = refused as Extract<SagaMove, { kind: 'end' }>
      const later = { shape: own, record: known, nowMs: nowMs + 600_000 }
      expect(told(decide({ ...later, look: done }))).toBe('compensate 1, attempt 2')
      expect(told(decide({ ...later, look: missing }))).toBe('Compensating cCpp: moved Compensating')
    },
  )

  it('reports why it has to retry', () => {
    expect(decide({ shape: own, record: again, look: done, attempt: final })).toMatchObject({
      standing: { message: 'taking back Drive 2/4: refused' },
    })
  })

  it('fails permanently while it moves forward, although its compensation has unlimited attempts', () => {
    expect(told(decide({ shape: own, record: running('drpp', { attempts: 1 }), look: missing, attempt: final }))).toBe(
      'Compensating dcpp: moved Compensating',
    )
  })

  it('ends immediately when no step can be compensated', () => {
    const keeping = shapeOf({ ...shape, steps: [step('Load', { compensate: undefined })], pivot: undefined })
    const only = { ...running('r'), steps: [{ name: 'Load', state: 'Running' }] } as const
    expect(told(decide({ shape: keeping, record: only, look: torn }))).toBe('Compensated k: moved Compensated')
  })
})

it('does not start a pivot again after a permanent failure, whatever is observed later', () => {
  const after = decide({ record: running('ddrp', { attempts: 1 }), look: unknown, attempt: final })
  const { record: known } = after as Extract<SagaMove, { kind: 'end' }>
  expect(told(decide({ record: known, look: unknown }))).toBe('Running ddrp: retry Unreachable')
  expect(told(decide({ record: known, look: done }))).toBe('Running dddr pivoted: moved Running')
  const back = decide({ record: known, look: missing })
  expect(told(back)).toBe('Compensating dckp: moved Compensating')
  expect((back as Extract<SagaMove, { kind: 'end' }>).record).toMatchObject({
    reason: 'Refused',
    message: 'Unload failed: refused',
  })
})

describe('a stalled saga reports the remedy', () => {
  const messageOf = (given: Partial<SagaInput>) => {
    const move = decide(given)
    return move.kind === 'end' ? move.standing.message : undefined
  }
  it.each<readonly [string, Partial<SagaInput>, string]>([
    [
      'after the pivot',
      { record: running('dddr', { attempts: 3 }, pivoted), look: missing, attempt: mayPass },
      'move cannot go on and has passed the point of no return; Sign 4/4: busy; put that right by hand, then ask again',
    ],
    [
      'at the pivot',
      { record: running('ddrp', { startedAt: at(-61_000) }), look: unknown },
      'move stands at the point of no return, and whether it has passed it cannot be told; Unload 3/4: not over after 60 s: no answer; put that right by hand, then ask again',
    ],
    [
      'after a compensation that failed',
      { record: turning('cCpp', { attempts: 1 }), look: done, attempt: final },
      'move was taken back (it broke) but for Load (refused); put that right by hand, then ask again',
    ],
    [
      'with steps of another operator',
      {
        record: {
          ...running('rp'),
          steps: [
            { name: 'Load', state: 'Done' },
            { name: 'Fly', state: 'Running' },
          ],
        },
      },
      'move was begun with the steps Load, Fly by another version of the operator, and of this one it knows no step Fly; run that version to its end, or put right by hand what it has begun, then ask again',
    ],
    [
      'with steps in another order',
      { record: { ...running('rp'), steps: [...running('rppp').steps].reverse() } },
      'move was begun with the steps Sign, Unload, Drive, Load by another version of the operator, and of this one its steps are Load, Drive, Unload, Sign; run that version to its end, or put right by hand what it has begun, then ask again',
    ],
  ])('%s', (_, given, expected) => {
    expect(messageOf(given)).toBe(expected)
  })

  it('even when it was compensated and is still desired', () => {
    expect(messageOf({ record: record('CCkp', 'Compensated', {}, { message: 'Drive failed: it broke' }) })).toBe(
      'move was taken back: Drive failed: it broke; to try it again, ask again',
    )
  })
})

describe('a shape', () => {
  it.each([
    ['without steps', { steps: [] }, /has steps/],
    ['with two steps of a name', { steps: [step('Load'), step('Load')] }, /names of their own/],
    ['with a step that is no word', { steps: [step('load it')] }, /named by one word/],
    ['with a step without an attempt', { steps: [step('Load', { attempts: 0 })] }, /at least one/],
    ['with a pivot that is none of its steps', { steps: [step('Load')], pivot: 'Unload' }, /is one of its steps/],
    ['that takes its pivot back', { steps: [step('Load')], pivot: 'Load' }, /Load of move is never taken back/],
    [
      'that takes back what comes after its pivot',
      { steps: [step('Load', { compensate: undefined }), step('Drive')], pivot: 'Load' },
      /Drive of move is never taken back/,
    ],
  ])('%s is rejected', (_, given, message) => {
    expect(() => shapeOf({ name: 'move', retryAdvice: 'ask again', ...given })).toThrow(message)
  })
})
