// May these steps run at all? Read by the server's own grammar before anything is sent: every statement is held against the rules, and so
// is what DO blocks and functions write out. Pure; the parser comes in.
import type { MigrationStep, VerifyQuery } from '../../migration-step.ts'
import type { BlindSpot, Finding, ReviewRules, ReviewSteps, StepReview, TextPlace } from '../../step-review.ts'
import { proceduralCodeOf } from './procedural-code.ts'
import { type SqlParser, type Statement, statementsOf } from './sql-parser.ts'
import { type Complaint, complaintsAbout, type Surroundings, transactionControl } from './statement-rules.ts'
import { type Position, positionOfByte, positionOfCharacter, positionOfLine } from './text-position.ts'

export function stepReviewer(parser: SqlParser): ReviewSteps {
  return (steps, rules) => {
    const reviews = steps.map((step) => new PartsReview(parser, step).all(rules))
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
        this.#find('sql', start, { code: 'VerifyMissing', message: `${why} has to say how it is verified` })
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
    if (second !== undefined) {
      const message = 'a step outside a transaction is one statement, as nobody could say how far it came'
      this.#find('sql', positionOfByte(sql, second.start), { code: 'MoreThanOneStatement', message })
    }
    if (first?.node.name === 'IndexStmt' && first.node.fields['idxname'] === undefined) {
      const message =
        'an index that is made concurrently needs a name, so that what an interrupted attempt leaves is found'
      this.#find('sql', positionOfByte(sql, first.start), { code: 'IndexNameMissing', message })
    }
  }

  #verify({ sql }: VerifyQuery): void {
    const statements = this.#statements('verify', sql, { isTransactional: true, when: 'now' })
    if (statements === undefined) return
    const isQuery = statements[0]?.node.name === 'SelectStmt' && statements[0].node.fields['intoClause'] === undefined
    if (statements.length === 1 && isQuery) return
    this.#find('verify', start, { code: 'VerifyNotAQuery', message: 'this is not one query that only reads' })
  }

  /** Undefined if there are none to look at. */
  #statements(part: Part, text: string, surroundings: Surroundings): readonly Statement[] | undefined {
    if (text.includes('\0'))
      return this.#find(part, start, { code: 'ParseError', message: 'the text contains the character NUL' })
    if (text.trim() === '') return this.#find(part, start, { code: 'EmptyStep', message: 'there is nothing to run' })
    const parsed = this.#parser.parse(text)
    if ('refusal' in parsed) {
      const { message, character = 0 } = parsed.refusal
      return this.#find(part, positionOfCharacter(text, character), { code: 'ParseError', message })
    }
    const statements = statementsOf(parsed.tree, text)
    if (statements.length === 0)
      return this.#find(part, start, { code: 'EmptyStep', message: 'there is nothing to run but comments' })
    for (const statement of statements) this.#statement(part, text, statement, surroundings)
    return statements
  }

  #statement(part: Part, text: string, statement: Statement, surroundings: Surroundings): void {
    for (const complaint of complaintsAbout(statement, surroundings)) {
      this.#find(part, positionOfByte(text, statement.start), complaint)
    }
    const code = proceduralCodeOf(statement, this.#parser)
    if (code === undefined) return
    const at = positionOfByte(text, statement.start)
    const positionOf = (line: number) => positionOfLine(text, at.line + line - 1)
    for (const { message, line } of code.errors) this.#find(part, positionOf(line), { code: 'ParseError', message })
    for (const { message, line } of code.blind)
      this.#blindSpots.push({ message, place: this.#place(part, positionOf(line)) })
    const inside = { ...surroundings, when: surroundings.when === 'now' ? code.when : surroundings.when }
    if (inside.when === 'now' && inside.isTransactional) {
      for (const line of code.endsOfTransactions) this.#find(part, positionOf(line), transactionControl)
    }
    for (const { text: inner, line } of code.pieces) this.#piece(part, inner, positionOf(line), inside)
  }

  /** SQL inside a body, whose findings all stand at its line. */
  #piece(part: Part, text: string, at: Position, surroundings: Surroundings): void {
    const parsed = this.#parser.parse(text)
    if ('refusal' in parsed) return
    for (const statement of statementsOf(parsed.tree, text)) {
      for (const complaint of complaintsAbout(statement, surroundings)) this.#find(part, at, complaint)
    }
  }

  #find(part: Part, position: Position, complaint: Complaint): undefined {
    this.#findings.push({ ...complaint, place: this.#place(part, position) })
  }

  #place(part: Part, { line, column }: Position): TextPlace {
    return { step: this.#step.name, part, line, column }
  }
}

type Part = TextPlace['part']

const start: Position = { line: 1, column: 1 }
