// Whatever the world answers and whenever the process dies: an effect is begun only where it was recorded first and is not there, what is
// taken back is taken back in reverse, nothing is taken back after the pivot, and every saga ends, after a bounded number of writes.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openGate } from '../../src/external/protocol-runner.ts'
import type { SagaRecord, SagaStep, SagaWish } from '../../src/saga/saga.ts'
import { SagaRunner } from '../../src/saga/saga-runner.ts'
import { shapeOf } from '../../src/saga/shape.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { blocked, type Operation, Road } from './road.ts'

const attempts = 3
const timeoutMs = 600_000
const names = ['A', 'B', 'C', 'D', 'E']

/** What befalls one call of a step, or one write. */
const fates = ['fine', 'fine', 'fine', 'fails before', 'fails after', 'refuses', 'dies before', 'dies after'] as const
type Fate = (typeof fates)[number]

const lives = fc.record({
  stepCount: fc.integer({ min: 1, max: 5 }),
  /** The index of the pivot; beyond the last step: there is none. */
  pivot: fc.integer({ min: 0, max: 5 }),
  /** By step: is it kept when all goes back? */
  kept: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  comingMs: fc.constantFrom(0, 7_000, 90_000),
  goingMs: fc.constantFrom(0, 7_000, 90_000),
  fates: fc.array(fc.constantFrom(...fates), { maxLength: 60 }),
  /** After so many passes nobody wants it any more. */
  cancelledAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  /** Does a step see its effect? Where it does not tell the truth, only what holds all the same is asked. */
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
  // Whatever is asked for after its death has no effect, and what it makes of that is never heard of.
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
    const wish: SagaWish =
      passes >= (given.cancelledAfter ?? Number.POSITIVE_INFINITY)
        ? { kind: 'cancelled', message: 'enough' }
        : { kind: 'wanted', id: 'one', input: {} }
    // A life of its own for every pass: nothing is remembered but the record.
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
      // What a write came to; a bug of the runner is none.
      if (!(thrown instanceof CodedError)) throw thrown
    } finally {
      isDead = false
      await clock.advance(1_000)
    }
  }
  return { road, record: stored, writes, passes, unrecorded, pivot, steps }
}

/** Of what was done and not undone, and of what was undone, by step. */
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

it('any saga ends, as its record says it did', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (given) => {
      const life = await live(given)
      const { road, record, writes, passes, unrecorded, steps } = life
      expect(passes, 'passes').toBeLessThan(5_000)
      expect(unrecorded).toEqual([])
      // To begin, into and out of each step in both directions, each attempt and its failure; and what was written and not heard of.
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
          // Only what is kept is there, and what is kept may be there.
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
