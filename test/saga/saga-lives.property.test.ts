// Sagas under random answers of the external system and crashes of the process. Invariant: an effect is started only if
// its journal entry exists and the effect does not.
// Compensation runs in reverse order and never after the pivot. Every saga ends after a bounded number of writes.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openGate } from '../../src/external/protocol-runner.ts'
import type { DesiredSaga, SagaRecord, SagaStep } from '../../src/saga/saga.ts'
import { SagaRunner } from '../../src/saga/saga-runner.ts'
import { shapeOf } from '../../src/saga/shape.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { blocked, type Operation, Road } from './road.ts'

const attempts = 3
const timeoutMs = 600_000
const names = ['A', 'B', 'C', 'D', 'E']

/** Fates of one call of a step, or of one write. */
const fates = ['fine', 'fine', 'fine', 'fails before', 'fails after', 'refuses', 'dies before', 'dies after'] as const
type Fate = (typeof fates)[number]

const lives = fc.record({
  stepCount: fc.integer({ min: 1, max: 5 }),
  /** Index of the pivot; beyond the last step: no pivot. */
  pivot: fc.integer({ min: 0, max: 5 }),
  /** By step: true if compensation keeps it. */
  kept: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  comingMs: fc.constantFrom(0, 7_000, 90_000),
  goingMs: fc.constantFrom(0, 7_000, 90_000),
  fates: fc.array(fc.constantFrom(...fates), { maxLength: 60 }),
  /** Number of passes after which the saga is no longer desired. */
  cancelledAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  /** Wrong answers of `verify`. If `isHonest` is false, only the guarantees that do not need it are checked. */
  lies: fc.array(fc.constantFrom('missing', 'pending', 'done', 'leaving', 'broken', 'throws'), { maxLength: 20 }),
  isHonest: fc.boolean(),
})

async function live(given: typeof lives extends fc.Arbitrary<infer Life> ? Life : never) {
  const clock = new SimClock()
  const road = new Road(clock, given)
  const doom = [...given.fates]
  const lies = [...given.lies]
  let stored: SagaRecord | undefined
  let writes = 0
  const unrecorded: string[] = []
  // Requests after its death have no effect, and it gets no result.
  let isDead = false
  const strike = (fate: Fate, when: 'before' | 'after') => {
    isDead ||= fate === `dies ${when}`
    if (isDead) throw blocked('the process is dead')
    if (fate === `fails ${when}`) throw blocked()
    if (fate === 'refuses' && when === 'before') throw blocked('no', 'stop')
  }
  let fate: Fate = 'fine'
  road.before = (operation: Operation, step) => {
    fate = isDead ? 'fine' : (doom.shift() ?? 'fine')
    const known = stored?.steps.find(({ name }) => name === step)
    const due = operation === 'run' ? 'Running' : 'Compensating'
    if (!isDead && operation !== 'verify' && (known?.state !== due || known.attempts === undefined))
      unrecorded.push(`${operation} ${step}`)
    strike(fate, 'before')
  }
  road.after = () => strike(fate, 'after')
  const pivot = names[given.pivot < given.stepCount ? given.pivot : 5]
  const steps = names.slice(0, given.stepCount).map((name, index): SagaStep<object> => {
    const { compensate, verify, ...step } = road.step(name, { attempts, timeoutMs })
    const isKept = given.kept[index] === true || (pivot !== undefined && index >= given.pivot)
    const lying: SagaStep<object>['verify'] = async (call) => {
      const lie = given.isHonest ? undefined : lies.shift()
      if (lie === undefined) return await verify(call)
      if (lie === 'throws') throw blocked('it is dark')
      if (lie === 'broken') return { kind: lie, reason: 'Torn', message: 'torn', isTerminal: call.attempt > 1 }
      return lie === 'pending' || lie === 'leaving' ? { kind: lie, progress: '' } : { kind: lie }
    }
    return { ...step, verify: lying, ...(isKept || compensate === undefined ? {} : { compensate }) }
  })
  const shape = shapeOf({ name: 'trip', pivot, retryAdvice: 'ask again', steps })
  const random = seededRandom(1)
  const write = async (record: SagaRecord) => {
    const end = isDead ? 'fine' : (doom.shift() ?? 'fine')
    strike(end, 'before')
    stored = record
    writes += 1
    strike(end, 'after')
  }
  let passes = 0
  for (; passes < 5_000; passes++) {
    const wish: DesiredSaga =
      passes >= (given.cancelledAfter ?? Number.POSITIVE_INFINITY)
        ? { kind: 'cancelled', message: 'enough' }
        : { kind: 'wanted', id: 'one', input: {} }
    // Every pass is a new process: it knows only the journal entry.
    const runner = new SagaRunner<object>({ shape, steps, clock, random, ...silentInstruments, gate: openGate })
    const pass = { uid: 'u', generation: 1, record: stored, wish, mayRun: true, scene: {}, store: write, logFields: {} }
    try {
      const { record, standing } = await runner.proceed({ ...pass, signal: new AbortController().signal })
      if (isDead) continue
      if (record !== stored && record !== undefined) await write(record)
      const isOver = stored?.finishedAt !== undefined || (stored === undefined && wish.kind === 'cancelled')
      if (isOver && standing.end !== 'moved') break
      await clock.advance(standing.lookAfterMs ?? 0)
    } catch (thrown) {
      // An injected failure; a bug of the runner is not one.
      if (!(thrown instanceof CodedError)) throw thrown
    } finally {
      isDead = false
      await clock.advance(1_000)
    }
  }
  return { road, record: stored, writes, passes, unrecorded, pivot, steps }
}

/** Checks the order of effects and compensations; returns the steps whose effects exist. */
function check({ road, pivot, steps }: Awaited<ReturnType<typeof live>>) {
  const there = new Set<string>()
  let isPivoted = false
  let lastUndone = Number.POSITIVE_INFINITY
  for (const deed of road.deeds) {
    const [operation, , name = ''] = deed.split(' ')
    const index = steps.findIndex((step) => step.name === name)
    if (operation === 'run') {
      expect(there.has(name), `${deed} twice`).toBe(false)
      expect(lastUndone, `${deed} after something was taken back`).toBe(Number.POSITIVE_INFINITY)
      there.add(name)
      if (name === pivot) isPivoted = true
    } else {
      expect(isPivoted, `${deed} after the pivot`).toBe(false)
      expect(index, `${deed} out of order`).toBeLessThan(lastUndone)
      lastUndone = index
      there.delete(name)
    }
  }
  return there
}

it('any saga ends, and the external system matches its journal entry', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (given) => {
      const life = await live(given)
      const { road, record, writes, passes, unrecorded, steps } = life
      expect(passes, 'passes').toBeLessThan(5_000)
      expect(unrecorded).toEqual([])
      // Writes: the start, both transitions of each step in both directions, each attempt and its failure; and lost
      // answers.
      expect(writes).toBeLessThanOrEqual(2 + steps.length * 2 * (2 + 2 * attempts) + given.fates.length)
      if (!given.isHonest) return
      expect(road.repeats).toEqual([])
      const there = check(life)
      if (record === undefined) return
      const stateOf = (name: string) => record.steps.find((step) => step.name === name)?.state
      switch (record.state) {
        case 'Completed':
          expect([...there]).toEqual(steps.map(({ name }) => name))
          break
        case 'Compensated':
          // Only kept effects exist, and a kept effect may exist.
          expect([...there].filter((name) => stateOf(name) !== 'Kept')).toEqual([])
          break
        case 'ManualIntervention':
          expect(
            record.pivotedAt !== undefined ||
              record.reason === 'PivotUnknown' ||
              record.reason === 'CompensationFailed',
          ).toBe(true)
          expect(record.message).toMatch(/by hand, then ask again$/)
          break
        default:
          expect.unreachable(`it ended as ${record.state}`)
      }
      expect(road.deeds.length).toBeLessThanOrEqual(steps.length * 2)
    }),
    { numRuns: 500 },
  )
})
