// Decisions of a Migration over random histories, against a model of what really happened. Histories contain
// interrupted and failed attempts, wrong verifications, edited texts, and objects made by hand.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { MigrationStep, VerifyQuery } from '../../../src/controllers/engines/migration-step.ts'
import type { MarkState, StepAttempt, StepMark } from '../../../src/controllers/engines/migration-target.ts'
import { decide, type MigrationOrder } from '../../../src/controllers/migration/migration-plan.ts'
import { stepChecksum } from '../../../src/controllers/migration/step-digest.ts'
import { copyStep, sqlStep } from './steps.ts'

/**
 * Fates of an attempt. `cutOff`: its worker dies `Before` the text was sent, `Behind` it, or `After` its applied
 * marker.
 */
const fates = ['passes', 'cutOffBefore', 'cutOffBehind', 'cutOffAfter', 'failsBefore', 'failsBehind'] as const
type Fate = (typeof fates)[number]

/** The object that a step creates. `part`: some rows of a copy, which a query does not distinguish from all of them. */
interface Thing {
  readonly is: 'missing' | 'part' | 'whole'
  /** Checksum of the text, if a step made it. */
  readonly madeBy?: string
}

const missing: Thing = { is: 'missing' }

class World {
  readonly marks = new Map<string, StepMark>()
  readonly things: Map<string, Thing>
  readonly #begun = new Set<string>()
  /** Fates of the next attempts; all later ones pass. */
  fates: readonly Fate[]

  constructor(things: Iterable<readonly [string, Thing]>, fates: readonly Fate[]) {
    this.things = new Map(things)
    this.fates = fates
  }

  /** Runs up to `lives` workers one after the other, until one reports an end. */
  live(order: MigrationOrder, lives: number): string {
    let end = 'cutOff'
    for (let life = 0; end === 'cutOff' && life < lives; life += 1) end = this.#life(order)
    return end
  }

  thing({ name }: MigrationStep): Thing {
    return this.things.get(name) ?? missing
  }

  #life(order: MigrationOrder): string {
    const verified = new Map<string, boolean>()
    for (let acts = 0; acts < 100; acts += 1) {
      const decision = decide(order, { marks: [...this.marks.values()], verified })
      if (decision.kind === 'verify') verified.set(decision.step.name, this.#holds(decision.step))
      else if (decision.kind === 'adopt') this.#adopt(decision.attempt, decision.as)
      else if (decision.kind === 'undo') {
        this.#undo(decision.step)
        verified.clear()
      } else if (decision.kind !== 'run') return decision.kind
      else if (this.#run(decision.attempt) === 'cutOff') return 'cutOff'
      else verified.delete(decision.attempt.step.name)
    }
    throw new Error('one life decides for ever')
  }

  #holds(step: MigrationStep): boolean {
    return step.verify?.expect === right.expect && this.thing(step).is !== 'missing'
  }

  #run(attempt: StepAttempt): 'cutOff' | 'goesOn' {
    const { step, checksum } = attempt
    const isOutside = step.kind === 'SQL' && !step.isTransactional
    const before = this.thing(step)
    if (isOutside && before.madeBy === checksum && this.#holds(step)) throw new Error(`${step.name} is done twice`)
    const fate = this.#fateOf(step)
    this.#begun.add(`${step.name} ${checksum}`)
    this.#write(attempt, 'Running')
    if (fate === 'cutOffBefore') return 'cutOff'
    const isInTheWay = step.kind === 'SQL' && before.is === 'whole'
    const hasActed = !isInTheWay && fate !== 'failsBefore'
    const passes = fate === 'passes' || fate === 'cutOffAfter'
    if (hasActed) this.things.set(step.name, { is: passes || isOutside ? 'whole' : 'part', madeBy: checksum })
    const isDone = hasActed && passes && this.#holds(step)
    // A copy also commits its batches.
    if (!isDone && step.kind === 'SQL' && !isOutside) this.things.set(step.name, before)
    if (fate === 'cutOffBehind') return 'cutOff'
    this.#write(attempt, isDone ? 'Applied' : 'Failed')
    return fate === 'cutOffAfter' ? 'cutOff' : 'goesOn'
  }

  /**
   * Documented rule: outside a transaction, the query has to fail before the step has run. Otherwise it tells nothing
   * of an interrupted step.
   */
  #fateOf(step: MigrationStep): Fate {
    const [fate = 'passes', ...rest] = this.fates
    this.fates = rest
    const tellsNothing = step.kind === 'SQL' && this.thing(step).madeBy === undefined && this.#holds(step)
    return tellsNothing && fate.startsWith('cutOff') ? 'failsBehind' : fate
  }

  #adopt(attempt: StepAttempt, as: 'Applied' | 'Adopted'): void {
    const { step, checksum } = attempt
    const { madeBy = checksum } = this.thing(step)
    if (step.kind === 'Copy') throw new Error(`the rows of ${step.name} are compared by nobody`)
    if (!this.#holds(step)) throw new Error(`${step.name} is not done`)
    if (madeBy !== checksum && !this.#begun.has(`${step.name} ${checksum}`))
      throw new Error(`${step.name} is taken for done by another text, and was never run`)
    this.#write(attempt, as)
  }

  #undo(step: MigrationStep): void {
    const known = this.marks.get(step.name)
    if (known === undefined) throw new Error(`${step.name} has no mark`)
    if (this.thing(step).madeBy === undefined) throw new Error(`${step.name} was not made by us, and is taken back`)
    this.things.delete(step.name)
    this.marks.set(step.name, { ...known, state: 'Undone' })
  }

  #write({ step, ordinal, checksum, plan, token, attempt }: StepAttempt, state: MarkState): void {
    const failure = state === 'Failed' ? { sqlState: undefined, message: 'failed' } : undefined
    const found = { name: step.name, ordinal, checksum, plan, token, attempts: attempt, supersededBy: undefined }
    this.marks.set(step.name, { ...found, state, failure })
  }
}

interface Wish {
  readonly kind: Kind
  /** For a copy, a part of its rows. */
  readonly isMadeByHand: boolean
  /** True if the query is correct before it is repaired. */
  readonly isRight: boolean
  /** Kind of the edited text, if the first list did not apply the step. */
  readonly becomes: Kind | undefined
}

const kinds = ['inTransaction', 'outside', 'copy'] as const
type Kind = (typeof kinds)[number]

const right = { sql: 'SELECT there', expect: 'right' }
const wrong = { ...right, expect: 'wrong' }

function stepOf(kind: Kind, name: string, { text, verify }: { text: string; verify: VerifyQuery }): MigrationStep {
  const common = { name, verify, down: 'take it back' }
  return kind === 'copy'
    ? copyStep([text], common)
    : sqlStep(text, { ...common, isTransactional: kind === 'inTransaction' })
}

const wish = fc.record<Wish>({
  kind: fc.constantFrom(...kinds),
  isMadeByHand: fc.boolean(),
  isRight: fc.boolean(),
  becomes: fc.option(fc.constantFrom(...kinds), { nil: undefined }),
})

const history = fc.record({
  wishes: fc.array(wish, { minLength: 1, maxLength: 5 }),
  adoptsBaseline: fc.boolean(),
  onFailure: fc.constantFrom('Stop', 'RunDown'),
  fate: fc.array(fc.constantFrom(...fates), { maxLength: 20 }),
  /** Number of workers on the first list, before it is edited. */
  lives: fc.integer({ min: 1, max: 5 }),
})

/** For a SQL step, the query decides. */
function isOpen({ kind }: MigrationStep, { is }: Thing): boolean {
  return is === 'missing' || (is === 'part' && kind === 'Copy')
}

/** An object made by hand or by an earlier text blocks a SQL step permanently. */
function isInTheWay(step: MigrationStep, { is, madeBy }: Thing): boolean {
  return step.kind === 'SQL' && is !== 'missing' && madeBy !== stepChecksum(step)
}

it('a Migration runs nothing twice, compares its copies, and compensates only its own effects', () => {
  fc.assert(
    fc.property(history, ({ wishes, adoptsBaseline, onFailure, fate, lives }) => {
      const named = wishes.map((one, at) => ({ ...one, name: `s${at}` }))
      const world = new World(named.flatMap(madeByHand), fate)
      const orderOf = (steps: readonly MigrationStep[], retryToken: string): MigrationOrder => ({
        ...{ steps, onFailure, adoptsBaseline, retryToken, maxAttempts: 100, approval: { kind: 'Auto' } },
      })
      const first = named.map(({ kind, name, isRight }) =>
        stepOf(kind, name, { text: name, verify: isRight ? right : wrong }),
      )
      expect(world.live(orderOf(first, 'first'), lives)).toMatch(/^(done|failed|cutOff)$/)
      const edited = named.map(({ kind, name, becomes }) => {
        const isApplied = ['Applied', 'Adopted'].includes(world.marks.get(name)?.state ?? '')
        return becomes === undefined || isApplied
          ? stepOf(kind, name, { text: name, verify: right })
          : stepOf(becomes, name, { text: `${name} anew`, verify: right })
      })
      for (const token of ['second', 'third']) {
        expect(world.live(orderOf(edited, token), fate.length + 1)).toMatch(/^(done|failed)$/)
      }
      world.fates = []
      const end = world.live(orderOf(edited, 'last'), 1)
      const open = edited.filter((step) => isOpen(step, world.thing(step)))
      if (end === 'done') expect(open).toEqual([])
      else expect(edited.some((step) => isInTheWay(step, world.thing(step)))).toBe(true)
    }),
    { numRuns: 500 },
  )
})

function madeByHand({ name, kind, isMadeByHand }: Wish & { readonly name: string }): readonly [string, Thing][] {
  return isMadeByHand ? [[name, { is: kind === 'copy' ? 'part' : 'whole' }]] : []
}
