// SQL inside DO blocks and function bodies: the SQL that PL/pgSQL and SQL bodies contain, by line. Excludes SQL that a
// block builds and executes, and other languages.
import {
  excessIn,
  type Fields,
  fieldsOf,
  listOf,
  nodesBelow,
  optionsOf,
  type ReviewRejection,
  type SqlParser,
  type Statement,
  stringOf,
} from './sql-parser.ts'

/** One piece of SQL. Lines count from 1, in the statement's text. */
export interface InnerSql {
  readonly text: string
  readonly line: number
}

export interface ProceduralCode {
  readonly pieces: readonly InnerSql[]
  /** Lines of COMMIT and ROLLBACK of the language itself. */
  readonly endsOfTransactions: readonly number[]
  readonly blind: readonly { readonly message: string; readonly line: number }[]
  readonly errors: readonly (Pick<ReviewRejection, 'code' | 'message'> & { readonly line: number })[]
  readonly when: 'now' | 'whenCalled'
}

/** Undefined for a statement without code. */
export function proceduralCodeOf({ node, text }: Statement, parser: SqlParser): ProceduralCode | undefined {
  if (node.name !== 'DoStmt' && node.name !== 'CreateFunctionStmt') return undefined
  const when = node.name === 'DoStmt' ? 'now' : 'whenCalled'
  const empty = { pieces: [], endsOfTransactions: [], blind: [], errors: [], when } as const
  const options = optionsOf(node.fields[node.name === 'DoStmt' ? 'args' : 'options'])
  const body = bodyOf(options.find(({ name }) => name === 'as')?.value)
  // The tree already contains a body in the grammar of SQL.
  if (body === undefined) return empty
  const language = stringOf(options.find(({ name }) => name === 'language')?.value)?.toLowerCase() ?? 'plpgsql'
  const line = lineOf(text, body)
  if (language === 'sql') return { ...empty, pieces: [{ text: body, line }] }
  if (language === 'plpgsql') {
    const excess = excessIn(body)
    return { ...empty, ...(excess === undefined ? insideBlock(text, line, parser) : rejected(excess.refusal, line)) }
  }
  return { ...empty, blind: [{ message: `code in ${language} is not looked into`, line }] }
}

/** DO has a text. CREATE FUNCTION has a list, whose second item is a symbol in a library. */
function bodyOf(value: unknown): string | undefined {
  return stringOf(value) ?? stringOf(listOf(fieldsOf(fieldsOf(value)['List'])['items'])[0])
}

/** Returns 1 if the text does not contain the body unchanged: a quoted text may double the quotes inside it. */
function lineOf(text: string, body: string): number {
  const at = text.indexOf(body)
  return at === -1 ? 1 : text.slice(0, at).split('\n').length
}

type Inside = Pick<ProceduralCode, 'pieces' | 'endsOfTransactions' | 'blind' | 'errors'>

function rejected({ code, message }: ReviewRejection, line: number): Inside {
  return { pieces: [], endsOfTransactions: [], blind: [], errors: [{ code, message: `${message}, in the body`, line }] }
}

function insideBlock(text: string, firstLine: number, parser: SqlParser): Inside {
  const parsed = parser.parseProcedural(text)
  if ('refusal' in parsed) {
    const { message } = parsed.refusal
    const found = rejected(parsed.refusal, firstLine)
    // An error outside the grammar may concern a type or table that the parser does not know.
    return message.startsWith('syntax error') ? found : { ...found, blind: found.errors, errors: [] }
  }
  // Includes variables, because of their initial values.
  const statements = [...nodesBelow(parsed.tree)].filter(({ name }) => /^PLpgSQL_(stmt_|var$)/.test(name))
  const lineFrom = ({ lineno }: Fields) => firstLine - 1 + (typeof lineno === 'number' ? lineno : 1)
  return {
    pieces: statements.flatMap(({ fields }) => {
      const line = lineFrom(fields)
      return ownQueries(fields).map((query) => ({ text: query, line }))
    }),
    endsOfTransactions: statements
      .filter(({ name }) => name === 'PLpgSQL_stmt_commit' || name === 'PLpgSQL_stmt_rollback')
      .map(({ fields }) => lineFrom(fields)),
    blind: statements
      .filter(({ name, fields }) => name.includes('_dyn') || 'dynquery' in fields)
      .map(({ fields }) => ({ message: 'SQL that is built and executed is not looked into', line: lineFrom(fields) })),
    errors: [],
  }
}

/** Queries of this statement, without those of its branches. */
function ownQueries(fields: Fields): readonly string[] {
  return Object.values(fields).flatMap((value) => {
    const { query, parseMode } = fieldsOf(fieldsOf(value)['PLpgSQL_expr'])
    if (typeof query !== 'string') return []
    // Source: RawParseMode. 0 is a statement, 2 an expression; the others are assignments with an expression on the
    // right.
    if (parseMode === 0) return [query]
    return [`SELECT ${parseMode === 2 ? query : query.slice(query.indexOf('=') + 1)}`]
  })
}
