// Which SQL is inside DO blocks and the bodies of functions? What PL/pgSQL and SQL bodies write out is looked into, a line at a time;
// text that a block builds and executes is not, nor are other languages.
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

/** One piece of SQL. Lines from 1, of the statement's text. */
export interface InnerSql {
  readonly text: string
  readonly line: number
}

export interface ProceduralCode {
  readonly pieces: readonly InnerSql[]
  /** COMMIT or ROLLBACK of the language itself: their lines. */
  readonly endsOfTransactions: readonly number[]
  readonly blind: readonly { readonly message: string; readonly line: number }[]
  readonly errors: readonly (Pick<ReviewRejection, 'code' | 'message'> & { readonly line: number })[]
  readonly when: 'now' | 'whenCalled'
}

/** Undefined if the statement holds no code. */
export function proceduralCodeOf({ node, text }: Statement, parser: SqlParser): ProceduralCode | undefined {
  if (node.name !== 'DoStmt' && node.name !== 'CreateFunctionStmt') return undefined
  const when = node.name === 'DoStmt' ? 'now' : 'whenCalled'
  const empty = { pieces: [], endsOfTransactions: [], blind: [], errors: [], when } as const
  const options = optionsOf(node.fields[node.name === 'DoStmt' ? 'args' : 'options'])
  const body = bodyOf(options.find(({ name }) => name === 'as')?.value)
  // A body in the grammar of SQL itself is part of the tree already.
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

/** Of CREATE FUNCTION a list, whose second item is a symbol in a library; of DO a text. */
function bodyOf(value: unknown): string | undefined {
  return stringOf(value) ?? stringOf(listOf(fieldsOf(fieldsOf(value)['List'])['items'])[0])
}

/** A text in quotes may have others inside it and is then not found as it stands; the first line will do. */
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
    // Everything but the grammar may be a type or a table that the parser cannot know.
    return message.startsWith('syntax error') ? found : { ...found, blind: found.errors, errors: [] }
  }
  // Variables too, for what they begin with.
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

/** Of this statement, and not of those in its branches. */
function ownQueries(fields: Fields): readonly string[] {
  return Object.values(fields).flatMap((value) => {
    const { query, parseMode } = fieldsOf(fieldsOf(value)['PLpgSQL_expr'])
    if (typeof query !== 'string') return []
    // Source: RawParseMode. 0 is a statement, 2 an expression; the others are assignments, whose right side is one.
    if (parseMode === 0) return [query]
    return [`SELECT ${parseMode === 2 ? query : query.slice(query.indexOf('=') + 1)}`]
  })
}
