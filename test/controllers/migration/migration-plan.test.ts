// Next decision of a Migration for every state of its database. Invariant: every step is applied once, whatever fails
// on the way.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MigrationStep } from '../../../src/controllers/engines/migration-step.ts'
import type { MarkState, StepMark } from '../../../src/controllers/engines/migration-target.ts'
import { type Decision, decide, type MigrationOrder } from '../../../src/controllers/migration/migration-plan.ts'
import { planHash, stepChecksum } from '../../../src/controllers/migration/step-digest.ts'
import { assertStep, copyStep, sqlStep } from './steps.ts'

const verify = { sql: 'SELECT 1', expect: '1' }
const a = sqlStep('A', { name: 'a', down: 'undo A' })
const b = sqlStep('B', { name: 'b', down: 'undo B', verify })
const c = sqlStep('C', { name: 'c', isTransactional: false, verify })
const check = assertStep('SELECT 2', { name: 'check' })
const copied = copyStep(['things'], { name: 'copied', verify })
const followed = copyStep(['things'], { name: 'followed', mode: 'Logical' })
const steps = [a, b, c]

function orderOf(changes: Partial<MigrationOrder> = {}): MigrationOrder {
  return {
    ...{ steps, onFailure: 'Stop', adoptsBaseline: false, retryToken: '', maxAttempts: 3 },
    ...{ approval: { kind: 'Auto' }, ...changes },
  }
}

function mark(step: MigrationStep, state: MarkState = 'Applied', changes: Partial<StepMark> = {}): StepMark {
  const failure = state.endsWith('Failed') ? { sqlState: '23505', message: 'duplicate' } : undefined
  const at = steps.findIndex(({ name }) => name === step.name)
  return {
    ...{ name: step.name, ordinal: at + 1, state, checksum: stepChecksum(step), attempts: 1 },
    ...{ plan: planHash(steps), token: '', supersededBy: undefined, failure, ...changes },
  }
}

/** Returns e.g. `run b 2`: kind, step, and the number of an attempt. */
function short(decision: Decision): string {
  switch (decision.kind) {
    case 'run':
      return `run ${decision.attempt.step.name} ${decision.attempt.attempt}`
    case 'adopt':
      return `adopt ${decision.attempt.step.name} as ${decision.as}`
    case 'verify':
    case 'undo':
      return `${decision.kind} ${decision.step.name}`
    case 'refuse':
      return `${decision.reason} ${decision.step}`
    case 'failed':
      return `failed ${decision.step}: ${decision.failure.message}`
    case 'awaitApproval':
    case 'done':
      return decision.kind
  }
}

interface Row {
  readonly title: string
  readonly order?: Partial<MigrationOrder>
  readonly marks?: readonly StepMark[]
  readonly verified?: Readonly<Record<string, boolean>>
  readonly next: string
}

const all = [mark(a), mark(b), mark(c)]
const holding = { b: true, c: true }
const runDown = { onFailure: 'RunDown' } as const
const otherPlan = { plan: 'before' }

const rows: readonly Row[] = [
  { title: 'begins with the first step', next: 'run a 1' },
  { title: 'goes on with the next', marks: [mark(a)], next: 'run b 1' },
  { title: 'asks whether what is recorded still holds', marks: [mark(a), mark(b)], next: 'verify b' },
  { title: 'goes on if it does', marks: [mark(a), mark(b)], verified: holding, next: 'run c 1' },
  { title: 'ends', marks: all, verified: holding, next: 'done' },
  { title: 'ends without steps', order: { steps: [] }, next: 'done' },
  // Changed text of an applied step.
  { title: 'refuses another text', marks: [mark(a, 'Applied', { checksum: 'x' })], next: 'ChecksumChanged a' },
  {
    title: 'refuses that of a baseline too',
    marks: [mark(a, 'Adopted', { checksum: 'x' })],
    next: 'ChecksumChanged a',
  },
  { title: 'takes another way back', marks: [mark(a, 'Applied', { plan: 'x' })], next: 'run b 1' },
  {
    title: 'refuses a new step before an applied one',
    marks: [mark(b, 'Applied', { ordinal: 1 })],
    next: 'OrderChanged a',
  },
  {
    title: 'refuses another order',
    marks: [mark(a, 'Applied', { ordinal: 2 }), mark(b, 'Applied', { ordinal: 1 })],
    next: 'OrderChanged a',
  },
  {
    title: 'refuses a step that is gone',
    marks: [mark(sqlStep('Z', { name: 'z' }), 'Applied', { ordinal: 1 })],
    next: 'OrderChanged z',
  },
  {
    title: 'lets go of a step that failed and is gone',
    marks: [mark(sqlStep('Z', { name: 'z' }), 'Failed')],
    next: 'run a 1',
  },
  {
    title: 'says what is recorded and absent',
    marks: [mark(a), mark(b)],
    verified: { b: false },
    next: 'RecordedButAbsent b',
  },
  {
    title: 'holds no step to its word that another has overtaken',
    marks: [mark(a), mark(b, 'Applied', { supersededBy: 'c' }), mark(c)],
    verified: { c: true },
    next: 'done',
  },
  { title: 'asks no assertion twice', order: { steps: [check] }, marks: [mark(check)], next: 'done' },
  // Attempts.
  { title: 'tries again what was interrupted', marks: [mark(a, 'Running')], next: 'run a 2' },
  {
    title: 'asks of a step outside a transaction whether it was done',
    marks: [mark(a), mark(b), mark(c, 'Running')],
    verified: { b: true },
    next: 'verify c',
  },
  {
    title: 'and only marks it then',
    marks: [mark(a), mark(b), mark(c, 'Running')],
    verified: holding,
    next: 'adopt c as Applied',
  },
  {
    title: 'or tries again',
    marks: [mark(a), mark(b), mark(c, 'Running')],
    verified: { b: true, c: false },
    next: 'run c 2',
  },
  {
    title: 'asks so too of one that failed, as its effect may be there',
    order: { retryToken: 'again' },
    marks: [mark(a), mark(b), mark(c, 'Failed')],
    verified: { b: true },
    next: 'verify c',
  },
  {
    title: 'and does not repeat what is done',
    order: { retryToken: 'again' },
    marks: [mark(a), mark(b), mark(c, 'Failed')],
    verified: holding,
    next: 'adopt c as Adopted',
  },
  {
    title: 'nor what an earlier plan was interrupted over, which stays as what that has applied does',
    marks: [mark(a), mark(b), mark(c, 'Running', otherPlan)],
    verified: holding,
    next: 'adopt c as Adopted',
  },
  {
    title: 'runs another text over what the one before has left half done',
    order: { steps: [c], adoptsBaseline: true },
    marks: [mark(c, 'Failed', { checksum: 'x', plan: 'x' })],
    verified: holding,
    next: 'run c 1',
  },
  {
    title: 'does not take the effect of another text for its own',
    marks: [mark(a), mark(b), mark(c, 'Running', { checksum: 'x', plan: 'x' })],
    verified: holding,
    next: 'run c 1',
  },
  {
    title: 'brings to its end what may have ended the word of an earlier one, before that is asked',
    marks: [mark(a), mark(b), mark(c, 'Running')],
    verified: { b: false },
    next: 'verify c',
  },
  {
    title: 'and marks it, though the earlier one holds no more',
    marks: [mark(a), mark(b), mark(c, 'Running')],
    verified: { b: false, c: true },
    next: 'adopt c as Applied',
  },
  {
    title: 'gives up in the end',
    marks: [mark(a, 'Running', { attempts: 3 })],
    next: 'failed a: interrupted 3 times, and not tried again',
  },
  {
    title: 'but not on servers that go on by themselves',
    order: { steps: [followed] },
    marks: [mark(followed, 'Running', { attempts: 30, plan: planHash([followed]) })],
    next: 'run followed 31',
  },
  {
    title: 'begins anew with an edited step',
    marks: [mark(a, 'Running', { attempts: 3, plan: 'x' })],
    next: 'run a 1',
  },
  { title: 'does not repeat what failed', marks: [mark(a, 'Failed')], next: 'failed a: duplicate' },
  { title: 'unless it was edited', marks: [mark(a, 'Failed', { plan: 'x' })], next: 'run a 1' },
  { title: 'or somebody asks for it', order: { retryToken: 'again' }, marks: [mark(a, 'Failed')], next: 'run a 1' },
  // Compensation.
  {
    title: 'takes back what was applied',
    order: runDown,
    marks: [mark(a), mark(b), mark(c, 'Failed')],
    next: 'undo b',
  },
  {
    title: 'one after the other',
    order: runDown,
    marks: [mark(a), mark(b, 'Undone'), mark(c, 'Failed')],
    next: 'undo a',
  },
  { title: 'in its order', order: runDown, marks: [mark(a), mark(b, 'Failed')], next: 'undo a' },
  {
    title: 'until nothing is left',
    order: runDown,
    marks: [mark(a, 'Undone'), mark(b, 'Failed')],
    next: 'failed b: duplicate',
  },
  {
    title: 'not what an earlier plan applied',
    order: runDown,
    marks: [mark(a, 'Applied', otherPlan), mark(b, 'Failed')],
    next: 'failed b: duplicate',
  },
  {
    title: 'not what was found',
    order: runDown,
    marks: [mark(a, 'Adopted'), mark(b, 'Failed')],
    next: 'failed b: duplicate',
  },
  {
    title: 'not what has no way back',
    order: { ...runDown, steps: [c, b] },
    marks: [mark(c, 'Applied', { ordinal: 1, plan: planHash([c, b]) }), mark(b, 'Failed', { plan: planHash([c, b]) })],
    next: 'failed b: duplicate; step c has no way back, so what was applied up to it stays',
  },
  {
    title: 'stops where the way back fails',
    order: runDown,
    marks: [mark(a, 'UndoFailed'), mark(b, 'Failed')],
    next: 'failed a: duplicate',
  },
  {
    title: 'goes forward again if somebody asks for it',
    order: { ...runDown, retryToken: 'again' },
    marks: [mark(a, 'UndoFailed'), mark(b, 'Failed')],
    next: 'run b 1',
  },
  {
    title: 'and back again from there',
    order: { ...runDown, retryToken: 'again' },
    marks: [mark(a, 'UndoFailed'), mark(b, 'Failed', { token: 'again' })],
    next: 'undo a',
  },
  {
    title: 'takes nothing back of what went forward again, though the first word comes again',
    order: { ...runDown, steps: [a, b] },
    marks: [
      mark(a, 'UndoFailed', { plan: planHash([a, b]) }),
      mark(b, 'Applied', { plan: planHash([a, b]), token: 'again' }),
    ],
    verified: holding,
    next: 'done',
  },
  // A baseline.
  { title: 'asks what is there already', order: { steps: [b], adoptsBaseline: true }, next: 'verify b' },
  {
    title: 'takes it as done',
    order: { steps: [b], adoptsBaseline: true },
    verified: holding,
    next: 'adopt b as Adopted',
  },
  { title: 'or does it', order: { steps: [b], adoptsBaseline: true }, verified: { b: false }, next: 'run b 1' },
  { title: 'does not ask without a baseline', order: { steps: [b] }, verified: holding, next: 'run b 1' },
  {
    title: 'nor once a step has run',
    order: { adoptsBaseline: true },
    marks: [mark(a)],
    verified: holding,
    next: 'run b 1',
  },
  {
    title: 'asks again where a step failed over what was there, as it had no effect',
    order: { steps: [b], adoptsBaseline: true, retryToken: 'again' },
    marks: [mark(b, 'Failed', { ordinal: 1 })],
    next: 'verify b',
  },
  {
    title: 'and where one was interrupted in a transaction',
    order: { steps: [b], adoptsBaseline: true },
    marks: [mark(b, 'Running', { ordinal: 1 })],
    next: 'verify b',
  },
  {
    title: 'goes on behind a step outside a transaction that was found where it failed',
    order: { steps: [c, b], adoptsBaseline: true },
    marks: [mark(c, 'Adopted', { ordinal: 1 })],
    verified: { c: true },
    next: 'verify b',
  },
  {
    title: 'and takes nothing back of that',
    order: { ...runDown, steps: [c, b], adoptsBaseline: true },
    marks: [
      mark(c, 'Adopted', { ordinal: 1, plan: planHash([c, b]) }),
      mark(b, 'Failed', { plan: planHash([c, b]), ordinal: 2 }),
    ],
    next: 'failed b: duplicate',
  },
  {
    title: 'ends where a text has failed that is no step any more, as nobody knows what it left',
    order: { steps: [b], adoptsBaseline: true },
    marks: [mark(c, 'Failed', otherPlan)],
    next: 'run b 1',
  },
  {
    title: 'ends where something was taken back, as that was applied',
    order: { steps: [a, b], adoptsBaseline: true },
    marks: [mark(a, 'Adopted'), mark(b, 'Undone')],
    next: 'run b 1',
  },
  {
    title: 'takes no rows for copied because a query says so',
    order: { steps: [a, copied], adoptsBaseline: true },
    marks: [mark(a, 'Adopted')],
    verified: { copied: true },
    next: 'run copied 1',
  },
  {
    title: 'also not because some of them came before the copy failed',
    order: { steps: [a, copied], adoptsBaseline: true, retryToken: 'again' },
    marks: [mark(a, 'Adopted'), mark(copied, 'Failed', { ordinal: 2 })],
    verified: { copied: true },
    next: 'run copied 1',
  },
  {
    title: 'adopts no assertion',
    order: { steps: [check], adoptsBaseline: true },
    verified: { check: true },
    next: 'run check 1',
  },
  // Approval.
  {
    title: 'waits to be approved',
    order: { approval: { kind: 'Manual', approvedPlan: undefined } },
    next: 'awaitApproval',
  },
  {
    title: 'waits for another approval of another plan',
    order: { approval: { kind: 'Manual', approvedPlan: 'x' } },
    marks: [mark(a)],
    next: 'awaitApproval',
  },
  {
    title: 'goes on once it is',
    order: { approval: { kind: 'Manual', approvedPlan: planHash(steps) } },
    next: 'run a 1',
  },
  {
    title: 'needs none when there is nothing to do',
    order: { approval: { kind: 'Manual', approvedPlan: undefined } },
    marks: all,
    verified: holding,
    next: 'done',
  },
]

describe('a migration', () => {
  it.each(rows)('$title', ({ order, marks = [], verified = {}, next }) => {
    expect(short(decide(orderOf(order), { marks, verified: new Map(Object.entries(verified)) }))).toBe(next)
  })
})

describe('the digests of a step', () => {
  it('do not depend on line endings', () => {
    expect(stepChecksum(sqlStep('SELECT 1;\r\nSELECT 2;\n'))).toBe(stepChecksum(sqlStep('SELECT 1;\nSELECT 2;')))
  })

  it('distinguish the executed text from the retry options', () => {
    const longer = sqlStep('A', { timeoutMs: 1 })
    expect(stepChecksum(longer)).toBe(stepChecksum(sqlStep('A')))
    expect(planHash([longer])).not.toBe(planHash([sqlStep('A')]))
    expect(planHash([longer])).not.toBe(planHash([sqlStep('A')]))
    expect(planHash([a, b])).not.toBe(planHash([b, a]))
  })
})

/** Database as the port presents it. Its sessions and steps fail by a given list. */
class ModelDatabase {
  readonly marks = new Map<string, StepMark>()
  /** Number of times that each step took effect, minus the number of its compensations. */
  readonly effects = new Map<string, number>()

  /** Runs one process: decides and acts until it ends or one fate ends it. Returns the end. */
  live(order: MigrationOrder, fates: Iterator<Fate>): string {
    const verified = new Map<string, boolean>()
    for (let acts = 0; acts < 200; acts += 1) {
      const decision = decide(order, { marks: [...this.marks.values()], verified })
      if (decision.kind === 'verify') {
        verified.set(decision.step.name, this.effects.get(decision.step.name) === 1)
        continue
      }
      if (decision.kind !== 'run' && decision.kind !== 'undo' && decision.kind !== 'adopt') return short(decision)
      const fate: Fate = fates.next().value ?? 'passes'
      if (fate === 'lostBefore') return 'lost'
      this.act(decision, fate)
      if (fate === 'lostAfter' || fate === 'lostBetween') return 'lost'
      if (decision.kind !== 'undo') verified.set(decision.attempt.step.name, true)
    }
    return 'never ends'
  }

  act(decision: Extract<Decision, { kind: 'run' | 'undo' | 'adopt' }>, fate: Fate): void {
    if (decision.kind === 'undo') {
      const known = this.marks.get(decision.step.name)
      if (known === undefined || fate === 'lostBetween') return
      const hasFailed = fate === 'fails' || fate === 'failsAfter'
      if (!hasFailed) this.effect(decision.step.name, -1)
      this.marks.set(known.name, { ...known, state: hasFailed ? 'UndoFailed' : 'Undone' })
      return
    }
    const { attempt } = decision
    const isOutside = attempt.step.kind === 'SQL' && !attempt.step.isTransactional
    const found = { ...mark(attempt.step), ...attempt, name: attempt.step.name, attempts: attempt.attempt }
    const write = (state: MarkState) => this.marks.set(found.name, { ...found, state, failure: undefined })
    if (decision.kind === 'adopt') return void write(decision.as)
    write('Running')
    if (fate === 'fails') return void write('Failed')
    if (fate === 'failsAfter') {
      if (isOutside) this.effect(found.name, 1)
      return void write('Failed')
    }
    if (fate === 'lostBetween' && !isOutside) return
    this.effect(found.name, 1)
    if (fate !== 'lostBetween') write('Applied')
  }

  effect(name: string, by: 1 | -1): void {
    const now = (this.effects.get(name) ?? 0) + by
    if (now !== 0 && now !== 1) throw new Error(`${name} took effect ${now} times`)
    this.effects.set(name, now)
  }
}

/**
 * `lostBetween`: after the intent was written; outside a transaction, after the effect. `failsAfter`: outside a
 * transaction, after the effect.
 */
type Fate = (typeof fates)[number]
const fates = ['passes', 'lostBefore', 'lostBetween', 'lostAfter', 'fails', 'failsAfter'] as const

it('a Migration applies every step exactly once, or compensates all of them, whatever fails on the way', () => {
  const run = fc.record({
    shape: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
    onFailure: fc.constantFrom('Stop', 'RunDown'),
    fate: fc.array(fc.constantFrom(...fates), { maxLength: 30 }),
  })
  fc.assert(
    fc.property(run, ({ shape, onFailure, fate }) => {
      const wished = shape.map((isTransactional, at) =>
        sqlStep(`S${at}`, { name: `s${at}`, isTransactional, verify, down: 'undo' }),
      )
      const database = new ModelDatabase()
      const order = orderOf({ steps: wished, onFailure, maxAttempts: 100 })
      const rest = fate[Symbol.iterator]()
      let end = 'lost'
      for (let life = 0; end === 'lost' && life < 100; life += 1) end = database.live(order, rest)
      const marks = [...database.marks.values()]
      // Outside a transaction a failed step may have had its effect. The marker records only the failure.
      const failed = new Set(marks.filter(({ state }) => state === 'Failed').map(({ name }) => name))
      const effects = wished.map(({ name }) => (failed.has(name) ? 0 : (database.effects.get(name) ?? 0)))
      if (end === 'done') {
        expect(effects).toEqual(wished.map(() => 1))
        return
      }
      expect(end).toMatch(/^failed /)
      const wantsNone = onFailure === 'RunDown' && !marks.some(({ state }) => state === 'UndoFailed')
      const first = wantsNone ? 0 : effects.indexOf(0)
      expect(effects).toEqual(wished.map((_, at) => (at < first ? 1 : 0)))
      // A retry completes it.
      expect(database.live({ ...order, retryToken: 'again' }, [][Symbol.iterator]())).toBe('done')
    }),
    { numRuns: 200 },
  )
})
