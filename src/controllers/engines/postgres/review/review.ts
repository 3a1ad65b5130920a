// Review of steps by PostgreSQL's own grammar, before the worker sends anything. The rules judge every statement, and
// the SQL inside DO blocks and functions. Invariant: linear in the text, except for lines with findings. Pure; the
// caller passes the parser.
import type { MigrationStep, VerifyQuery } from '../../migration-step.ts'
import {
  type BlindSpot,
  type Finding,
  mostFindings,
  type ReviewRules,
  type ReviewSteps,
  type StepReview,
  shortMessage,
  type TextPlace,
} from '../../step-review.ts'
import { proceduralCodeOf } from './procedural-code.ts'
import { boundedParser, type SqlParser, type Statement, statementsOf } from './sql-parser.ts'
import { type Complaint, complaintsAbout, type Surroundings, transactionControl } from './statement-rules.ts'
import { type Position, TextPositions, textStart } from './text-position.ts'

export function stepReviewer(parser: SqlParser): ReviewSteps {
  const bounded = boundedParser(parser)
  return (steps, rules) => {
    const reviews = steps.map((step) => new PartsReview(bounded, step).all(rules))
    return {
      findings: reviews.flatMap(({ findings }) => findings),
      blindSpots: reviews.flatMap(({ blindSpots }) => blindSpots),
    }
  }
}

class PartsReview {
  readonly #parser: SqlParser
  readonly #step: MigrationStep
  readonly #findings: Finding[] = []
  readonly #blindSpots: BlindSpot[] = []

  constructor(parser: SqlParser, step: MigrationStep) {
    this.#parser = parser
    this.#step = step
  }

  all({ requiresVerify }: ReviewRules): StepReview {
    const step = this.#step
    if (step.kind === 'SQL') {
      this.#sqlOf(step.sql, step.isTransactional)
      if (step.verify === undefined && (requiresVerify || !step.isTransactional)) {
        const why = requiresVerify ? 'every step of this migration' : 'a step outside a transaction'
        this.#find('sql', textStart, { code: 'VerifyMissing', message: `${why} has to say how it is verified` })
      }
    }
    if ('down' in step && step.down !== undefined)
      this.#statements('down', step.down, { isTransactional: true, when: 'now' })
    if (step.verify !== undefined) this.#verify(step.verify)
    return { findings: this.#findings, blindSpots: this.#blindSpots }
  }

  #sqlOf(sql: string, isTransactional: boolean): void {
    const statements = this.#statements('sql', sql, { isTransactional, when: 'now' })
    if (isTransactional || statements === undefined) return
    const [first, second] = statements
    const positions = new TextPositions(sql)
    if (second !== undefined) {
      const message = 'a step outside a transaction is one statement, as nobody could say how far it came'
      this.#find('sql', positions.ofByte(second.start), { code: 'MoreThanOneStatement', message })
    }
    if (first?.node.name === 'IndexStmt' && first.node.fields['idxname'] === undefined) {
      const message =
        'an index that is made concurrently needs a name, so that what an interrupted attempt leaves is found'
      this.#find('sql', positions.ofByte(first.start), { code: 'IndexNameMissing', message })
    }
  }

  #verify({ sql }: VerifyQuery): void {
    const statements = this.#statements('verify', sql, { isTransactional: true, when: 'now' })
    if (statements === undefined) return
    const isQuery = statements[0]?.node.name === 'SelectStmt' && statements[0].node.fields['intoClause'] === undefined
    if (statements.length === 1 && isQuery) return
    this.#find('verify', textStart, { code: 'VerifyNotAQuery', message: 'this is not one query that only reads' })
  }

  /** Undefined if there are no statements to review. */
  #statements(part: Part, text: string, surroundings: Surroundings): readonly Statement[] | undefined {
    if (text.includes('\0'))
      return this.#find(part, textStart, { code: 'ParseError', message: 'the text contains the character NUL' })
    if (text.trim() === '')
      return this.#find(part, textStart, { code: 'EmptyStep', message: 'there is nothing to run' })
    const parsed = this.#parser.parse(text)
    const positions = new TextPositions(text)
    if ('refusal' in parsed) {
      const { code, message, character = 0 } = parsed.refusal
      return this.#find(part, positions.ofCharacter(character), { code, message })
    }
    const statements = statementsOf(parsed.tree, text)
    if (statements.length === 0)
      return this.#find(part, textStart, { code: 'EmptyStep', message: 'there is nothing to run but comments' })
    for (const statement of statements) {
      if (this.#isFull(part)) break
      this.#statement({ part, positions, surroundings }, statement)
    }
    return statements
  }

  #statement({ part, positions, surroundings }: Reading, statement: Statement): void {
    for (const complaint of complaintsAbout(statement, surroundings)) {
      this.#find(part, positions.ofByte(statement.start), complaint)
    }
    const code = proceduralCodeOf(statement, this.#parser)
    if (code === undefined) return
    const firstLine = positions.lineOfByte(statement.start)
    const positionOf = (line: number) => positions.ofLine(firstLine + line - 1)
    for (const { line, ...error } of code.errors) this.#find(part, positionOf(line), error)
    for (const { message, line } of code.blind) this.#overlook(part, positionOf(line), message)
    const inside = { ...surroundings, when: surroundings.when === 'now' ? code.when : surroundings.when }
    if (inside.when === 'now' && inside.isTransactional) {
      for (const line of code.endsOfTransactions) this.#find(part, positionOf(line), transactionControl)
    }
    for (const { text, line } of code.pieces) {
      if (this.#isFull(part)) break
      this.#piece(part, text, () => positionOf(line), inside)
    }
  }

  /** Reviews SQL inside a body. All its findings have the position of the piece. */
  #piece(part: Part, text: string, at: () => Position, surroundings: Surroundings): void {
    const parsed = this.#parser.parse(text)
    if ('refusal' in parsed) {
      const { code, message } = parsed.refusal
      if (code === 'StepTooComplex') this.#find(part, at(), { code, message: `${message}, in the body` })
      return
    }
    for (const statement of statementsOf(parsed.tree, text)) {
      for (const complaint of complaintsAbout(statement, surroundings)) this.#find(part, at(), complaint)
    }
  }

  /** A text with so many findings is rejected, whatever the rest contains. */
  #isFull(part: Part): boolean {
    return this.#findings.filter(({ place }) => place.part === part).length >= mostFindings
  }

  #find(part: Part, position: Position, { code, message }: Complaint): undefined {
    if (this.#isFull(part)) return
    this.#findings.push({ code, message: shortMessage(message), place: this.#place(part, position) })
  }

  #overlook(part: Part, position: Position, message: string): void {
    if (this.#blindSpots.length >= mostFindings) return
    this.#blindSpots.push({ message: shortMessage(message), place: this.#place(part, position) })
  }

  #place(part: Part, { line, column }: Position): TextPlace {
    return { step: this.#step.name, part, line, column }
  }
}

interface Reading {
  readonly part: Part
  readonly positions: TextPositions
  readonly surroundings: Surroundings
}

type Part = TextPlace['part']
